"""Where robots start: the poses that a world offers, those of a rule by seed, and who gets which of them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Literal

import numpy as np

from paddock.core.errors import PaddockError, SimulationError, SpecError
from paddock.core.geometry import Pose
from paddock.core.seeds import draw_uniform
from paddock.simulation.engine.model import Floats
from paddock.simulation.robots import RobotSpec
from paddock.simulation.worlds.floor import curve
from paddock.simulation.worlds.placement import Room, start_pose
from paddock.simulation.worlds.world_spec import GOALS, RobotPlacement, WorldSpec

StartRule = Literal["placed", "named", "line", "anywhere"]
TRIES = 500  # poses that a rule offers to each robot


def list_starts(world: WorldSpec) -> list[Pose]:
    """Return the starts that are not goals, then the start poses of the world's robots."""
    starts = [Pose(*start.at, math.radians(start.heading_deg)) for start in world.starts if start.name not in GOALS]
    return starts + [start_pose(world, robot) for robot in world.robots]


def draw_starts(world: WorldSpec, rule: StartRule, seed: int, number: int = 0, count: int = 1) -> Iterator[Pose]:
    """Yield the start poses that a rule offers to a robot, the preferred one first; equal seeds give equal poses.

    Args:
        world: the world; its own robots have the rule "placed".
        rule: "placed": where the world places its robots; "named": the world's starts in random order; "line": spread
            evenly along the first line on the floor, in alternating directions if the world has several robots;
            "anywhere": inside the bounds.
        seed: seed of all draws.
        number: number of the robot.
        count: number of robots.
    """
    if rule == "named" and len(world.starts) < count:
        problem = f"{world.name} has {len(world.starts)} starts for {count} robots: add [[starts]]"
        raise SpecError(problem, path="randomise.starts")
    if rule == "line" and not world.floor.strokes:
        raise SpecError(f"{world.name} has no line: add [[floor.strokes]]", path="randomise.starts")
    for trial in range(TRIES):
        if rule == "placed":
            yield start_pose(world, world.robots[number])
        elif rule == "named":
            start = sorted(world.starts, key=lambda start: draw_uniform(seed, "start", start.name))[number]
            yield Pose(*start.at, math.radians(start.heading_deg))
        elif rule == "line":
            meets = len(world.robots) > 1 and number % 2 == 1  # every second robot drives in the opposite direction
            backwards = (draw_uniform(seed, "direction") < 0.5) ^ meets
            yield find_on_line(world, draw_uniform(seed, "line", trial) + number / count, backwards=backwards)
        else:
            x0, y0, x1, y1 = world.bounds
            name = world.robots[number].name if number < len(world.robots) else number
            x, y, turn = (draw_uniform(seed, name, what, "anywhere", trial) for what in "xyh")
            yield Pose(x0 + x * (x1 - x0), y0 + y * (y1 - y0), 2 * math.pi * turn - math.pi)


def deal_starts(room: Room, robots: Mapping[str, RobotSpec], poses: Iterable[Pose]) -> dict[str, Pose]:
    """Give each robot, in this order, the first pose with some space around it, else any free pose of the world.

    The robots are added to the room.
    """
    offered, dealt = list(poses), dict[str, Pose]()
    heading = offered[0].heading if offered else 0.0
    for name, kind in robots.items():
        pose = room.choose(kind, offered) or room.free_pose(kind, heading)
        if pose is None:
            raise SimulationError(
                f"{room.world.name} has room for {len(dealt)} robots, not for {len(robots)}: choose a larger world"
            )
        room.add(kind, pose, f"robot {name!r}")
        dealt[name] = pose
    return dealt


def take_turns(robots: Mapping[str, RobotSpec], turn: int) -> dict[str, RobotSpec]:
    """Return the robots in another order; over the turns each of them comes first, so each gets every start."""
    names = list(robots)
    first = turn % max(1, len(names))
    return {name: robots[name] for name in names[first:] + names[:first]}


def fit_robot(world: WorldSpec, robot: RobotSpec) -> WorldSpec:
    """Return this world with that robot: as the type of all its robots, or as its only robot if it has none."""
    if world.robots:
        return world.with_robots(*(replace(placed, type=robot) for placed in world.robots))
    return fill_world(world, {"robot": robot})


def fill_world(world: WorldSpec, robots: Mapping[str, RobotSpec]) -> WorldSpec:
    """Return the world with other robots, at any free poses."""
    room, poses = Room(world.with_robots()), dict[str, Pose]()
    for name, kind in robots.items():
        pose = room.free_pose(kind)
        if pose is None:
            raise SpecError(
                f"{world.name} has no room for {len(robots)} robots of type {kind.name!r}: use a larger world",
                path="robot",
                file=world.file,
            )
        room.add(kind, pose, f"robot {name!r}")
        poses[name] = pose
    return world.with_robots(*(RobotPlacement.from_pose(name, robots[name], pose) for name, pose in poses.items()))


def place_freely(
    world: WorldSpec, kinds: Iterable[RobotSpec], candidates: Iterable[Iterable[Pose]], *, fix: str
) -> list[Pose]:
    """Return the first free one of the candidate poses of each robot; `fix` is the advice if there is none."""
    room, poses = Room(world), list[Pose]()
    for robot, kind, offered in zip(world.robots, kinds, candidates, strict=True):
        pose = next((pose for pose in offered if not room.problem(kind, pose)), None)
        if pose is None:
            raise PaddockError(f"{world.name}: no free start pose for robot {robot.name!r}: {fix}")
        room.add(kind, pose, f"robot {robot.name!r}")
        poses.append(pose)
    return poses


class FloorLine:
    """The world's first line as points, with their distances along it [m]."""

    def __init__(self, world: WorldSpec) -> None:
        stroke = world.floor.strokes[0]
        points = np.array(curve(stroke))
        self.points = np.vstack([points, points[:1]]) if stroke.closed else points
        self.along = np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(self.points, axis=0).T))])

    @property
    def length(self) -> float:
        """Length of the line [m], including the closing segment of a closed line."""
        return float(self.along[-1])

    def sample(self, shares: Floats) -> Floats:
        """Return x, y [m] and heading [rad] at fractions of the length, shape (fraction, 3)."""
        way = np.mod(shares, 1.0) * self.length
        piece = np.clip(np.searchsorted(self.along, way, side="right") - 1, 0, len(self.along) - 2)
        dx, dy = (self.points[piece + 1] - self.points[piece]).T
        x, y = (np.interp(way, self.along, self.points[:, axis]) for axis in (0, 1))
        return np.stack([x, y, np.arctan2(dy, dx)], axis=1)


def find_on_line(world: WorldSpec, share: float, *, backwards: bool = False) -> Pose:
    """Return the pose at a fraction of the length of the world's first line, heading along it."""
    x, y, heading = FloorLine(world).sample(np.array([share]))[0].tolist()
    return Pose(x, y, heading + (math.pi if backwards else 0.0))
