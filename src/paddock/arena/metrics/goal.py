"""Metrics of navigation: a goal region to reach, a path to follow."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from paddock.arena.metrics.metric import Metric, RunTime, checked_above_zero, checked_point
from paddock.core.argument_checks import is_list
from paddock.core.errors import PaddockError, format_value
from paddock.core.jit import Kernel, kernel
from paddock.simulation.engine.model import Floats
from paddock.simulation.engine.state import X, Y
from paddock.simulation.worlds.world_spec import WorldSpec

NOW, NEAREST, START, REACHED = range(4)
GOAL_X, GOAL_Y, GOAL_RADIUS = range(3)
NEVER = -1.0


@kernel
def goal(numbers, robot_state, tick, sums):
    """Update the distance to the goal. Return 1 when it is reached for the first time, else 0."""
    away = math.hypot(robot_state[X] - numbers[GOAL_X], robot_state[Y] - numbers[GOAL_Y])
    sums[NOW] = away
    sums[NEAREST] = min(sums[NEAREST], away)
    if sums[REACHED] < 0.0 and away <= numbers[GOAL_RADIUS]:
        sums[REACHED] = tick
        return 1
    return 0


@kernel
def along(numbers, robot_state, sums):
    """Find the nearest point of the path, and update the largest distance along it."""
    nearest, best, before = numbers[0], -1.0, 0.0
    for k in range(2, 2 * int(numbers[1]), 2):
        ex, ey = numbers[k + 2] - numbers[k], numbers[k + 3] - numbers[k + 1]
        px, py = robot_state[X] - numbers[k], robot_state[Y] - numbers[k + 1]
        length = math.hypot(ex, ey)
        t = min(length, max(0.0, (px * ex + py * ey) / length)) if length > 0.0 else 0.0
        away = math.hypot(px - t * ex / length, py - t * ey / length) if length > 0.0 else math.hypot(px, py)
        if away <= nearest:
            nearest, best = away, before + t
        before += length
    sums[0] = max(sums[0], best)


@dataclass(frozen=True, kw_only=True)
class Goal(Metric):
    """A circular goal region. A world stops once all its robots have reached all their goals.

    `goal_distance` is the distance [m] to its centre at the end, `goal_nearest` the smallest one, `goal_progress` =
    distance at the start - nearest, `goal_time` [s] the time from the start of the run to the goal; NaN if not reached.
    """

    at: tuple[float, float] | Sequence[tuple[float, float]]  # one point, or one for every scene [m]
    radius: float = 0.1  # [m]
    name: str = "goal"

    kernel: ClassVar[Kernel] = goal
    columns: ClassVar[int] = 4
    is_goal: ClassVar[bool] = True

    def __post_init__(self) -> None:
        checked_above_zero("Goal", "radius", self.radius, "metres")
        for i in range(len(self.at) if self._many() else 1):
            self._point(i)

    def names(self) -> tuple[str, ...]:
        return tuple(f"{self.name}_{what}" for what in ("distance", "nearest", "progress", "time"))

    def numbers(self, world: WorldSpec, scene: int) -> list[float]:
        return [*self._point(scene), self.radius]

    def start(self, poses: Floats, numbers: Floats) -> Floats:
        away = np.hypot(poses[..., 0] - numbers[:, None, GOAL_X], poses[..., 1] - numbers[:, None, GOAL_Y])
        reached = np.where(away <= self.radius, 0.0, NEVER)
        return np.stack([away, away, away, reached], axis=-1)

    def compute_results(self, sums: Floats, run: RunTime) -> Sequence[Floats]:
        reached = sums[..., REACHED]
        when = np.where(reached == NEVER, np.nan, reached * run.dt)
        return sums[..., NOW], sums[..., NEAREST], sums[..., START] - sums[..., NEAREST], when

    def scenes(self) -> int | None:
        return len(self.at) if self._many() else None

    def _many(self) -> bool:
        return is_list(self.at) and len(self.at) > 0 and all(is_list(point) for point in self.at)

    def _point(self, scene: int) -> tuple[float, float]:
        return checked_point("Goal", "at", self.at[scene] if self._many() else self.at)


@dataclass(frozen=True, kw_only=True)
class PathProgress(Metric):
    """Progress along a path of line segments: `along` [m], the largest path length of a point nearest to the robot.

    A point counts only if the robot is within `width` of the path, so that a robot behind a wall does not skip ahead.
    """

    points: Sequence[tuple[float, float]] | Sequence[Sequence[tuple[float, float]]]  # one path, or one per scene
    width: float = math.inf  # [m]
    name: str = "along"

    kernel: ClassVar[Kernel] = along
    columns: ClassVar[int] = 1

    def __post_init__(self) -> None:
        if self.width != math.inf:
            checked_above_zero("PathProgress", "width", self.width, "metres")
        for i in range(len(self.points) if self._many() else 1):
            self._path(i)

    def names(self) -> tuple[str, ...]:
        return (self.name,)

    def numbers(self, world: WorldSpec, scene: int) -> list[float]:
        path = self._path(scene)
        return [self.width, len(path), *(number for point in path for number in point)]

    def compute_results(self, sums: Floats, run: RunTime) -> Sequence[Floats]:
        return (sums[..., 0],)

    def scenes(self) -> int | None:
        return len(self.points) if self._many() else None

    def _many(self) -> bool:
        paths = self.points if is_list(self.points) else ()
        return len(paths) > 0 and all(is_list(path) and len(path) > 0 and is_list(path[0]) for path in paths)

    def _path(self, scene: int) -> list[Any]:
        path = self.points[scene] if self._many() else self.points
        if not is_list(path):
            raise PaddockError(f"PathProgress: points: expected a list of [x, y] in metres, got {format_value(path)}")
        if len(path) < 2:
            raise PaddockError(f"PathProgress: points: expected at least 2 points, got {len(path)}")
        return [checked_point("PathProgress", "points", point) for point in path]
