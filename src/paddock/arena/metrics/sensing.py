"""Metrics of sensor readings: nearness to objects, obstacle avoidance, line following."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from paddock.arena.metrics.metric import Metric, RunTime, checked_above_zero
from paddock.core.jit import Kernel, kernel
from paddock.simulation.engine.model import Floats
from paddock.simulation.engine.state import LEFT_SPEED, RIGHT_SPEED
from paddock.simulation.worlds.world_spec import WorldSpec

MOST, MEAN = range(2)
ON_LINE, OFF_CENTRE = range(2)


@kernel
def measure_nearness(limit, readings, first, count):
    """Return the largest nearness of some sensors, and the sum of all."""
    most, total = 0.0, 0.0
    for k in range(first, first + count):
        near = 1.0 - min(1.0, readings[k] / limit)
        most = max(most, near)
        total += near
    return most, total


@kernel
def compute_avoidance(left, right, nearness):
    """Return the avoidance fitness V · (1 - √Δ) · (1 - nearness); the wheel speeds are relative to the maximum."""
    difference = min(1.0, 0.5 * abs(left - right))
    return max(0.0, 0.5 * (left + right)) * (1.0 - math.sqrt(difference)) * (1.0 - nearness)


@kernel
def measure_offset(limit, readings, first, count):
    """Return the offset of a line from the middle of a row of sensors, 0 … 1; -1 if no reading is below the limit."""
    weight, moment = 0.0, 0.0
    for k in range(count):
        dark = max(0.0, limit - readings[first + k])
        weight += dark
        moment += dark * (2.0 * k - (count - 1.0))
    return abs(moment) / (weight * max(1.0, count - 1.0)) if weight > 0.0 else -1.0


@kernel
def nearness(numbers, readings, first, count, sums):
    """Sum the nearness."""
    most, total = measure_nearness(numbers[0], readings, first, count)
    sums[MOST] += most
    sums[MEAN] += total / count


@kernel
def avoidance(numbers, readings, first, count, robot_state, sums):
    """Sum the avoidance fitness: fast, straight motion away from obstacles."""
    most, _ = measure_nearness(numbers[0], readings, first, count)
    sums[0] += compute_avoidance(robot_state[LEFT_SPEED] / numbers[1], robot_state[RIGHT_SPEED] / numbers[1], most)


@kernel
def line(numbers, readings, first, count, sums):
    """Sum the ticks on the line, and the offset from its centre."""
    off_centre = measure_offset(numbers[0], readings, first, count)
    sums[ON_LINE] += 1.0 if off_centre >= 0.0 else 0.0
    sums[OFF_CENTRE] += off_centre if off_centre >= 0.0 else 1.0


@dataclass(frozen=True, kw_only=True)
class Closeness(Metric):
    """Nearness of objects, 0 out of range … 1 touching: `nearness` of the nearest, `mean_nearness` of all sensors."""

    device: str = "proximity"
    range: float = 0.07  # [m]

    kernel: ClassVar[Kernel] = nearness
    columns: ClassVar[int] = 2

    def __post_init__(self) -> None:
        checked_above_zero(type(self).__name__, "range", self.range, "metres")

    def required_device(self) -> str:
        return self.device

    def names(self) -> tuple[str, ...]:
        return "nearness", "mean_nearness"

    def numbers(self, world: WorldSpec, scene: int) -> list[float]:
        return [self.range]

    def compute_results(self, sums: Floats, run: RunTime) -> Sequence[Floats]:
        return run.mean(sums[..., MOST]), run.mean(sums[..., MEAN])


@dataclass(frozen=True, kw_only=True)
class Avoidance(Metric):
    """`avoidance`: mean of V · (1 - √Δ) · (1 - nearness), the fitness of Floreano and Mondada (1994), 0 … 1.

    V is the wheels' mean speed relative to `speed`, Δ half of their difference relative to it. Unlike in the paper,
    driving backwards counts as 0.
    """

    speed: float  # maximum wheel speed [m/s]
    device: str = "proximity"
    range: float = 0.07  # [m]

    kernel: ClassVar[Kernel] = avoidance
    columns: ClassVar[int] = 1

    def __post_init__(self) -> None:
        checked_above_zero("Avoidance", "range", self.range, "metres")
        checked_above_zero("Avoidance", "speed", self.speed, "m/s")

    def required_device(self) -> str:
        return self.device

    def names(self) -> tuple[str, ...]:
        return ("avoidance",)

    def numbers(self, world: WorldSpec, scene: int) -> list[float]:
        return [self.range, self.speed]

    def compute_results(self, sums: Floats, run: RunTime) -> Sequence[Floats]:
        return (run.mean(sums[..., 0]),)


@dataclass(frozen=True, kw_only=True)
class Line(Metric):
    """`on_line`: fraction of the time in which a ground sensor detected the line; `off_centre`: mean distance of the
    line from the middle of the sensor row, 0 in the middle … 1 at its end or not detected."""

    device: str = "ground"
    dark: float = 0.5  # readings below this are the line

    kernel: ClassVar[Kernel] = line
    columns: ClassVar[int] = 2

    def __post_init__(self) -> None:
        checked_above_zero("Line", "dark", self.dark, "a reading")

    def required_device(self) -> str:
        return self.device

    def names(self) -> tuple[str, ...]:
        return "on_line", "off_centre"

    def numbers(self, world: WorldSpec, scene: int) -> list[float]:
        return [self.dark]

    def compute_results(self, sums: Floats, run: RunTime) -> Sequence[Floats]:
        return run.mean(sums[..., ON_LINE]), run.mean(sums[..., OFF_CENTRE])
