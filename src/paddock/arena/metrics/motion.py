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
STALLED, STALL_X, STALL_Y, STALL_HEADING = range(4)
STILL = 1e-7  # motion in a tick below which a robot stands [m], [rad]
CREEPING = 1e-3  # sum of the wheel speeds below which a robot is not expected to move [m/s]


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


@kernel
def stall(robot_state, sums):
    """Count ticks in which the robot stood although the wheels drove it, or did not turn although they turned it."""
    x, y, heading = robot_state[X], robot_state[Y], robot_state[HEADING]
    left, right = robot_state[LEFT_SPEED], robot_state[RIGHT_SPEED]
    if abs(x - sums[STALL_X]) < STILL and abs(y - sums[STALL_Y]) < STILL:
        turns = abs(heading - sums[STALL_HEADING]) >= STILL
        if abs(left + right) > CREEPING or (left != right and not turns):
            sums[STALLED] += 1.0
    sums[STALL_X], sums[STALL_Y], sums[STALL_HEADING] = x, y, heading


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


@dataclass(frozen=True, kw_only=True)
class StallTime(Metric):
    """`stall_time` [s] in which the wheels turned in vain, in front of a wall, a robot or too heavy a thing."""

    kernel: ClassVar[Kernel] = stall
    columns: ClassVar[int] = 4

    def names(self) -> tuple[str, ...]:
        return ("stall_time",)

    def start(self, poses: Floats, numbers: Floats) -> Floats:
        sums = super().start(poses, numbers)
        sums[..., STALL_X:] = poses
        return sums

    def skip_jump(self, sums: Floats, pose: Sequence[float]) -> None:
        sums[STALL_X:] = pose

    def compute_results(self, sums: Floats, run: RunTime) -> Sequence[Floats]:
        return (sums[..., STALLED] * run.dt,)
