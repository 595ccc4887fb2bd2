"""What differs from seed to seed in an exercise: where robots begin, and their wheels."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Annotated, Literal

from paddock.core.chance import chance
from paddock.core.errors import PaddockError, SpecError
from paddock.core.geometry import Pose
from paddock.core.spec import MetresOrZero, Number, Spec
from paddock.worlds import Placed, WorldSpec
from paddock.worlds.placement import Room, random_poses, robot_types, start_pose

TRIES = 200  # of a pose with room


@dataclass(frozen=True, kw_only=True, slots=True)
class Randomise(Spec):
    """All is drawn evenly, from the seed and the robot's name."""

    starts: Literal["placed", "named", "anywhere"] = "placed"  # as the world has it; one of its starts; any free place
    position: MetresOrZero = 0.0  # how far from there, along x and along y
    heading_deg: Annotated[float, Number("degrees", low=0, high=180)] = 0.0  # how far turned, to either side
    wheel_error: Annotated[float, Number("a relative error", low=0, high=0.2)] = 0.0  # of each wheel's diameter

    def apply(self, world: WorldSpec, seed: int) -> WorldSpec:
        """The world of a seed."""
        if self.starts == "named" and len(world.starts) < len(world.robots):
            problem = f"{world.name} has {len(world.starts)} starts for {len(world.robots)} robots"
            raise SpecError(f"{problem}: add [[starts]] to the world", path="randomise.starts")
        specs, room, robots = robot_types(world), Room(world), []
        for robot, spec, pose in zip(world.robots, specs, self._list_starts(world, seed), strict=True):
            near = (moved for moved in self._list_poses(pose, robot.name, seed) if not room.problem(spec, moved))
            found = next(near, None)
            if found is None:
                raise PaddockError(f"{world.name}: robot {robot.name!r} finds no room near its start: randomise less")
            room.add(spec, found, f"robot {robot.name!r}")
            robots.append(self._place(robot, found, seed))
        return world.with_robots(*robots)

    def _list_starts(self, world: WorldSpec, seed: int) -> list[Pose]:
        if self.starts == "anywhere":
            return random_poses(world, robot_types(world), seed)
        if self.starts == "placed":
            return [start_pose(world, robot) for robot in world.robots]
        shuffled = sorted(world.starts, key=lambda start: chance(seed, "start", start.name))
        return [Pose(*start.at, math.radians(start.heading_deg)) for start in shuffled[: len(world.robots)]]

    def _list_poses(self, pose: Pose, name: str, seed: int) -> Iterator[Pose]:
        """Poses near a start, one after the other."""
        for trial in range(TRIES):
            dx, dy, turn = (2 * chance(seed, name, what, trial) - 1 for what in ("x", "y", "heading"))
            moved = pose.x + self.position * dx, pose.y + self.position * dy
            yield Pose(*moved, pose.heading + math.radians(self.heading_deg) * turn)

    def _place(self, robot: Placed, pose: Pose, seed: int) -> Placed:
        errors = tuple(self.wheel_error * (2 * chance(seed, robot.name, wheel) - 1) for wheel in ("left", "right"))
        left, right = (own + drawn for own, drawn in zip(robot.wheel_diameter_error, errors, strict=True))
        heading_deg = math.degrees(pose.heading)
        placed = replace(robot, at=(pose.x, pose.y), heading_deg=heading_deg, start=None)
        return replace(placed, wheel_diameter_error=(left, right))
