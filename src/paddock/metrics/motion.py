"""Measures of motion: how far, how fast, how often against something."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from paddock.core.jit import Kernel, kernel
from paddock.engine.model import Floats
from paddock.engine.state import CONTACTS, FORWARD, TURN
from paddock.metrics.base import Metric, Run

LENGTH, NET, TURNED = range(3)
TICKS, TIMES, BEFORE = range(3)


@kernel
def travel(moving, dt, sums):
    """Add up the way of one tick."""
    way = moving[FORWARD] * dt
    sums[LENGTH] += abs(way)
    sums[NET] += way
    sums[TURNED] += abs(moving[TURN]) * dt


@kernel
def contact(moving, sums):
    """Count a tick in contact, and whether it is the first."""
    if moving[CONTACTS] > 0.0:
        sums[TICKS] += 1.0
        sums[TIMES] += 1.0 - sums[BEFORE]
        sums[BEFORE] = 1.0
    else:
        sums[BEFORE] = 0.0


@dataclass(frozen=True, kw_only=True)
class Travel(Metric):
    """`distance` driven [m], `mean_speed` [m/s] (backwards counts against it), `turned` [rad] to either side."""

    kernel: ClassVar[Kernel] = travel
    columns: ClassVar[int] = 3

    def names(self) -> tuple[str, ...]:
        return "distance", "mean_speed", "turned"

    def figures(self, sums: Floats, run: Run) -> Sequence[Floats]:
        return sums[..., LENGTH], run.mean(sums[..., NET]) / run.dt, sums[..., TURNED]


@dataclass(frozen=True, kw_only=True)
class Contact(Metric):
    """`contact_time` [s] spent touching anything, and `contacts`, how many times that began."""

    kernel: ClassVar[Kernel] = contact
    columns: ClassVar[int] = 3

    def names(self) -> tuple[str, ...]:
        return "contact_time", "contacts"

    def figures(self, sums: Floats, run: Run) -> Sequence[Floats]:
        return sums[..., TICKS] * run.dt, sums[..., TIMES]
