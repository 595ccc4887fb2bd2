"""Randomisation of an exercise by seed: start poses and wheel errors."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Annotated, Literal

from paddock.core.errors import PaddockError, SpecError
from paddock.core.geometry import Pose
from paddock.core.keyed_random import draw_uniform
from paddock.core.spec import MetresOrZero, Number, Spec
from paddock.simulation.worlds import Placed, WorldSpec
from paddock.simulation.worlds.placement import Room, robot_types, start_pose
from paddock.teaching.exercises.student_lines import find_on_line

TRIES = 500  # attempts to find a free pose


@dataclass(frozen=True, kw_only=True, slots=True)
class Randomise(Spec):
    """Randomisation with uniform distributions, drawn from the seed and the robot's name.

    `starts` is one of: "placed" (the poses of the world's robots), "named" (the world's starts in random order),
    "anywhere", or "line" (spread evenly along the first line on the floor, with alternating directions).
    """

    starts: Literal["placed", "named", "line", "anywhere"] = "placed"
    position: MetresOrZero = 0.0  # maximum offset from the start, along x and along y
    heading_deg: Annotated[float, Number("degrees", low=0, high=180)] = 0.0  # maximum rotation to either side
    wheel_error: Annotated[float, Number("a relative error", low=0, high=0.2)] = 0.0  # maximum error of wheel diameters

    def apply(self, world: WorldSpec, seed: int) -> WorldSpec:
        """Return the randomised world of a seed."""
        self._refuse_missing_starts(world)
        room, robots = Room(world), []
        for number, (robot, spec) in enumerate(zip(world.robots, robot_types(world), strict=True)):
            poses = self._list_poses(world, number, seed)
            pose = next((pose for pose in poses if not room.problem(spec, pose)), None)
            if pose is None:
                raise PaddockError(f"{world.name}: no free start pose for robot {robot.name!r}: reduce [randomise]")
            room.add(spec, pose, f"robot {robot.name!r}")
            robots.append(self._place(robot, pose, seed))
        return world.with_robots(*robots)

    def _refuse_missing_starts(self, world: WorldSpec) -> None:
        if self.starts == "named" and len(world.starts) < len(world.robots):
            problem = f"{world.name} has {len(world.starts)} starts for {len(world.robots)} robots: add [[starts]]"
            raise SpecError(problem, path="randomise.starts")
        if self.starts == "line" and not world.floor.strokes:
            raise SpecError(f"{world.name} has no line: add [[floor.strokes]]", path="randomise.starts")

    def _list_poses(self, world: WorldSpec, number: int, seed: int) -> Iterator[Pose]:
        """Yield candidate start poses of a robot."""
        robot = world.robots[number]
        for trial in range(TRIES):
            x, y, heading = self._draw_start(world, number, seed, trial)
            dx, dy, turn = (2 * draw_uniform(seed, robot.name, what, trial) - 1 for what in ("x", "y", "heading"))
            yield Pose(x + self.position * dx, y + self.position * dy, heading + math.radians(self.heading_deg) * turn)

    def _draw_start(self, world: WorldSpec, number: int, seed: int, trial: int) -> Pose:
        if self.starts == "placed":
            return start_pose(world, world.robots[number])
        if self.starts == "named":
            start = sorted(world.starts, key=lambda start: draw_uniform(seed, "start", start.name))[number]
            return Pose(*start.at, math.radians(start.heading_deg))
        if self.starts == "line":
            share = draw_uniform(seed, "line", trial) + number / len(world.robots)
            return find_on_line(world, share, backwards=(draw_uniform(seed, "direction") < 0.5) ^ (number % 2 == 1))
        x0, y0, x1, y1 = world.bounds
        x, y, turn = (draw_uniform(seed, world.robots[number].name, what, "anywhere", trial) for what in "xyh")
        return Pose(x0 + x * (x1 - x0), y0 + y * (y1 - y0), 2 * math.pi * turn - math.pi)

    def _place(self, robot: Placed, pose: Pose, seed: int) -> Placed:
        left, right = (
            own + self.wheel_error * (2 * draw_uniform(seed, robot.name, wheel) - 1)
            for own, wheel in zip(robot.wheel_diameter_error, ("left", "right"), strict=True)
        )
        placed = replace(robot, at=(pose.x, pose.y), heading_deg=math.degrees(pose.heading), start=None)
        return replace(placed, wheel_diameter_error=(left, right))
