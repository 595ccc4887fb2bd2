"""Metrics of motion: distance, speed, contacts."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from paddock.arena.metrics.metric import Metric, RunTime
from paddock.core.jit import Kernel, kernel
from paddock.simulation.engine.model import Floats
from paddock.simulation.engine.state import CONTACTS, HEADING, LEFT_SPEED, RIGHT_SPEED, X, Y

LENGTH, NET, TURNED, LAST_X, LAST_Y, LAST_HEADING = range(6)
TICKS, TIMES, BEFORE = range(3)


@kernel
def distance(robot_state, sums):
    """Sum the distance and the turn since the last tick."""
    x, y, heading = robot_state[X], robot_state[Y], robot_state[HEADING]
    dx, dy = x - sums[LAST_X], y - sums[LAST_Y]
    way = math.sqrt(dx * dx + dy * dy)  # hypot is much slower on GPUs
    turned = abs(heading - sums[LAST_HEADING])
    sums[LENGTH] += way
    sums[NET] += way if robot_state[LEFT_SPEED] + robot_state[RIGHT_SPEED] >= 0.0 else -way
    sums[TURNED] += min(turned, 2.0 * math.pi - turned)
    sums[LAST_X], sums[LAST_Y], sums[LAST_HEADING] = x, y, heading


@kernel
def contact(robot_state, sums):
    """Count ticks in contact and the starts of contacts. The sums are NaN once contacts are NaN."""
    if robot_state[CONTACTS] != robot_state[CONTACTS]:
        sums[TICKS] = sums[TIMES] = robot_state[CONTACTS]
    elif robot_state[CONTACTS] > 0.0:
        sums[TICKS] += 1.0
        sums[TIMES] += 1.0 - sums[BEFORE]
        sums[BEFORE] = 1.0
    else:
        sums[BEFORE] = 0.0


@dataclass(frozen=True, kw_only=True)
class Distance(Metric):
    """`distance` driven [m], `mean_speed` [m/s] (backwards is negative), `turned` [rad] to either side.

    The distance is the sum of the steps between the poses of all ticks. Moving a robot by hand adds nothing.
    """

    kernel: ClassVar[Kernel] = distance
    columns: ClassVar[int] = 6

    def names(self) -> tuple[str, ...]:
        return "distance", "mean_speed", "turned"

    def start(self, poses: Floats, numbers: Floats) -> Floats:
        sums = super().start(poses, numbers)
        sums[..., LAST_X:] = poses
        return sums

    def skip_jump(self, sums: Floats, pose: Sequence[float]) -> None:
        sums[LAST_X:] = pose

    def compute_results(self, sums: Floats, run: RunTime) -> Sequence[Floats]:
        return sums[..., LENGTH], run.mean(sums[..., NET]) / run.dt, sums[..., TURNED]


@dataclass(frozen=True, kw_only=True)
class ContactTime(Metric):
    """`contact_time` [s] in contact with anything, and `contacts`, the number of contacts."""

    kernel: ClassVar[Kernel] = contact
    columns: ClassVar[int] = 3

    def names(self) -> tuple[str, ...]:
        return "contact_time", "contacts"

    def compute_results(self, sums: Floats, run: RunTime) -> Sequence[Floats]:
        return sums[..., TICKS] * run.dt, sums[..., TIMES]
