"""Means over the time of a run: of sensor readings, and of the distance to a point."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from paddock.arena.metrics.metric import Metric, RunTime, checked_point
from paddock.core.jit import Kernel, kernel
from paddock.simulation.engine.model import Floats
from paddock.simulation.engine.state import X, Y
from paddock.simulation.worlds.world_spec import WorldSpec


@kernel
def mean_reading(readings, first, count, sums):
    """Sum the mean of a device's values."""
    total = 0.0
    for k in range(first, first + count):
        total += readings[k]
    sums[0] += total / count


@kernel
def mean_distance(numbers, robot_state, sums):
    """Sum the distance to a point."""
    dx, dy = robot_state[X] - numbers[0], robot_state[Y] - numbers[1]
    sums[0] += math.sqrt(dx * dx + dy * dy)


@dataclass(frozen=True, kw_only=True)
class MeanReading(Metric):
    """`mean_reading` of a device over the run, in its unit; for a nose, the mean concentration."""

    device: str
    name: str = "mean_reading"

    kernel: ClassVar[Kernel] = mean_reading
    columns: ClassVar[int] = 1

    def required_device(self) -> str:
        return self.device

    def names(self) -> tuple[str, ...]:
        return (self.name,)

    def compute_results(self, sums: Floats, run: RunTime) -> Sequence[Floats]:
        return (run.mean(sums[..., 0]),)


@dataclass(frozen=True, kw_only=True)
class MeanDistance(Metric):
    """`mean_distance` from the robot's centre to a point over the run [m]."""

    at: tuple[float, float]  # [m]
    name: str = "mean_distance"

    kernel: ClassVar[Kernel] = mean_distance
    columns: ClassVar[int] = 1

    def __post_init__(self) -> None:
        checked_point("MeanDistance", "at", self.at)

    def names(self) -> tuple[str, ...]:
        return (self.name,)

    def numbers(self, world: WorldSpec, scene: int) -> list[float]:
        return list(checked_point("MeanDistance", "at", self.at))

    def compute_results(self, sums: Floats, run: RunTime) -> Sequence[Floats]:
        return (run.mean(sums[..., 0]),)
