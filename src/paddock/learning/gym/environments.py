"""The shipped environments. Each is a small class with its worlds, observation, rewards and endings."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from paddock.core.errors import SpecError
from paddock.core.geometry import wrap
from paddock.learning.gym.endings import ContactMade, FloorCovered, GoalReached, LineLost
from paddock.learning.gym.env_spec import EnvSpec
from paddock.learning.gym.places import FreeSpace
from paddock.learning.gym.rewards import (
    ArrivalReward,
    AvoidanceReward,
    ContactReward,
    DiscoveryReward,
    LineReward,
    ProgressReward,
    TimeReward,
    WallReward,
)
from paddock.learning.gym.terms import Ending, RewardTerm, TermContext
from paddock.simulation.engine.model import Floats
from paddock.simulation.worlds import WorldSpec, load_world
from paddock.simulation.worlds.floor import curve
from paddock.simulation.worlds.mazes import make_maze, make_maze_world
from paddock.simulation.worlds.rooms import make_track

UNSEEN = 1_000_000  # mazes from this number on are for testing
Observed = tuple[object, ...]
Rewards = tuple[RewardTerm, ...]
Endings = tuple[Ending, ...]


@dataclass(frozen=True, kw_only=True)
class AvoidEnv(EnvSpec):
    """Drive fast and straight without contact."""

    rewards: Rewards = (AvoidanceReward(), ContactReward(weight=-10.0))
    endings: Endings = (ContactMade(),)
    timeout_is_success: ClassVar[bool] = True

    def make_worlds(self) -> list[WorldSpec]:
        return self.make_rooms(side=26.0, pieces=(3, 6), gap=5.0)


@dataclass(frozen=True, kw_only=True)
class GoToEnv(EnvSpec):
    """Drive to a goal among obstacles; goal and room are drawn from the seed."""

    observe: Observed = ("ranges", "goal")
    rewards: Rewards = (
        ProgressReward(weight=0.1),
        ArrivalReward(weight=5.0),
        ContactReward(weight=-0.1),
        TimeReward(weight=-0.01),
    )
    endings: Endings = (GoalReached(),)
    time_limit: float = 60.0

    def make_worlds(self) -> list[WorldSpec]:
        return self.make_rooms(side=40.0, pieces=(6, 12))


@dataclass(frozen=True, kw_only=True)
class MazeEnv(EnvSpec):
    """Find the exit of a maze: the shipped one, a generated one, or one of a separate set for testing."""

    kind: Literal["fixed", "generated", "unseen"] = "generated"
    size: int = 5  # columns and rows of generated mazes
    observe: Observed = ("ranges", "goal")
    rewards: Rewards = (
        ProgressReward(weight=0.1, to="way"),
        ArrivalReward(weight=10.0),
        ContactReward(weight=-0.05),
        TimeReward(weight=-0.01),
    )
    endings: Endings = (GoalReached(),)
    time_limit: float = 300.0
    rooms: int = 16
    plot_radii: ClassVar[float] = 0.8

    def make_worlds(self) -> list[WorldSpec]:
        if self.kind == "fixed":
            return [load_world("maze")]
        robot, first = self.load_robot(), self.first_room + (UNSEEN if self.kind == "unseen" else 0)
        unit = TermContext(robot, 0.0, 0.0).radius
        return [
            make_maze_world(
                make_maze(self.size, self.size, seed=first + i), corridor=6.0 * unit, thickness=0.3 * unit,
                height=2.0 * max(robot.body.height, unit), robot=robot, name=f"maze-{first + i}",
            )
            for i in range(self.rooms)
        ]  # fmt: skip

    def make_goals(self, space: FreeSpace, rng: np.random.Generator) -> Floats:
        return self.make_exit(space)[None]

    def make_exit(self, space: FreeSpace) -> Floats:
        world = space.built.spec
        for start in world.starts:
            if start.name == "exit":
                return np.array(start.at)
        file = world.file or world.name
        raise SpecError("missing: a start called 'exit', where the maze ends", path="starts", file=file)


@dataclass(frozen=True, kw_only=True)
class LineFollowEnv(EnvSpec):
    """Follow a line on the floor."""

    observe: Observed = ("floor",)
    rewards: Rewards = (LineReward(),)
    endings: Endings = (LineLost(),)
    dt: float = 0.05
    rooms: int = 8
    timeout_is_success: ClassVar[bool] = True

    def make_worlds(self) -> list[WorldSpec]:
        robot = self.load_robot()
        mounts = np.array(TermContext(robot, 0.0, 0.0).slot("floor").sensor.mounts)
        width = 1.8 * np.ptp(mounts[:, 1]) / (len(mounts) - 1) if len(mounts) > 1 else 0.018
        return [make_track(self.first_room + i, robot, width=float(width)) for i in range(self.rooms)]

    def make_starts(self, space: FreeSpace, rng: np.random.Generator) -> Floats:
        """Return poses on the line, along it in either direction."""
        return draw_on_line(space, rng, self.places, self.robots)


@dataclass(frozen=True, kw_only=True)
class WallFollowEnv(EnvSpec):
    """Drive along walls and obstacles, with the wall to the right."""

    rewards: Rewards = (WallReward(), ContactReward(weight=-0.5))
    timeout_is_success: ClassVar[bool] = True

    def make_worlds(self) -> list[WorldSpec]:
        return self.make_rooms(side=30.0, pieces=(0, 2), gap=7.0)

    def make_starts(self, space: FreeSpace, rng: np.random.Generator) -> Floats:
        """Return poses next to a wall and parallel to it."""
        r, step = space.radius, 1e-3 * space.radius
        points = space.draw(40 * self.places, rng, margin=0.3 * r)
        points = points[space.clearance(points) < 2.2 * r][: self.places]
        if not len(points):
            raise SpecError("expected walls to follow, found none", path="world", file=space.built.spec.name)
        rise = [
            space.clearance(points + offset) - space.clearance(points - offset)
            for offset in np.array([[step, 0.0], [0.0, step]])
        ]
        headings = [wrap(math.atan2(dy, dx) - 0.5 * math.pi) for dx, dy in zip(*rise, strict=True)]
        poses = np.column_stack([points, headings])
        return poses[np.arange(self.places) % len(poses)][:, None]


@dataclass(frozen=True, kw_only=True)
class ExploreEnv(EnvSpec):
    """Visit two unknown rooms."""

    observe: Observed = ("ranges", "news")
    rewards: Rewards = (DiscoveryReward(), ContactReward(weight=-0.05), TimeReward(weight=-0.01))
    endings: Endings = (FloorCovered(share=0.8),)
    time_limit: float = 300.0

    def make_worlds(self) -> list[WorldSpec]:
        return self.make_rooms(side=32.0, pieces=(1, 4), gap=5.0, door=7.0)


def draw_on_line(space: FreeSpace, rng: np.random.Generator, count: int, robots: int) -> Floats:
    """Draw poses on the line of a world's floor, along it in either direction, shape (count, robots, 3)."""
    world = space.built.spec
    file = world.file or world.name
    if not world.floor.strokes:
        raise SpecError("missing: a line to follow, such as [[floor.strokes]]", path="floor.strokes", file=file)
    points = np.array(curve(world.floor.strokes[0]))
    middles, ways = 0.5 * (points[1:] + points[:-1]), np.diff(points, axis=0)
    good = np.flatnonzero((space.clearance(middles) > 1.1 * space.radius) & (np.hypot(*ways.T) > 0))
    poses = np.empty((count, robots, 3))
    for row in poses:
        left = good
        for pose in row:
            if not len(left):
                raise SpecError(f"expected a line with room for {robots} robots", path="floor.strokes", file=file)
            k = left[rng.integers(len(left))]
            heading = math.atan2(ways[k, 1], ways[k, 0]) + math.pi * rng.integers(2)
            pose[:] = *middles[k], wrap(heading)
            left = left[np.hypot(*(middles[left] - middles[k]).T) > 2.5 * space.radius]
    return poses
