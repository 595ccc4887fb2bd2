"""Jerkiness: a metric of the changes of a robot's wheel speeds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from paddock import kernel
from paddock.arena.metrics import Metric
from paddock.testing.plugins import LEFT_SPEED, RIGHT_SPEED, Floats, Kernel, RunTime

TOTAL, LEFT, RIGHT = range(3)


@kernel
def add_changes(robot_state, sums):
    """Sum the absolute changes of both wheel speeds since the previous tick."""
    sums[TOTAL] += abs(robot_state[LEFT_SPEED] - sums[LEFT]) + abs(robot_state[RIGHT_SPEED] - sums[RIGHT])
    sums[LEFT], sums[RIGHT] = robot_state[LEFT_SPEED], robot_state[RIGHT_SPEED]


@dataclass(frozen=True, kw_only=True)
class Jerkiness(Metric):
    """`jerkiness` [m/s]: total absolute change of the speeds of both wheels."""

    kernel: ClassVar[Kernel] = add_changes
    columns: ClassVar[int] = 3

    def names(self) -> tuple[str, ...]:
        return ("jerkiness",)

    def compute_results(self, sums: Floats, run: RunTime) -> Sequence[Floats]:
        return (sums[..., TOTAL],)
