"""What all metrics share: figures that are added up for every robot while it runs.

A metric has one definition, its kernel. The compiled loop runs it, and so does a Meter in
Python: live, or over a Trace.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from paddock.core.errors import PaddockError, format_value
from paddock.core.jit import Kernel
from paddock.core.numeric import all_finite
from paddock.engine.model import Floats
from paddock.worlds.spec import WorldSpec


class RunTime(NamedTuple):
    """How long a run took, for turning sums into means."""

    ticks: NDArray[np.int64]  # of every world, shape (W, 1)
    dt: float  # [s]

    def mean(self, total: Floats) -> Floats:
        """A sum over ticks as a mean, shape (W, N); NaN where nothing ran."""
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray(total / np.where(self.ticks > 0, self.ticks, np.nan))


@dataclass(frozen=True, kw_only=True)
class Metric(ABC):
    """Numbers about every robot of every world, computed inside the kernel."""

    robot: str | None = None  # only of this robot; None: of all

    kernel: ClassVar[Kernel]  # what it adds up; its parameters are some of those of `note_motion` or `note_readings`
    columns: ClassVar[int]  # how many sums it keeps
    needs_world: ClassVar[bool] = False  # its numbers depend on the world
    is_goal: ClassVar[bool] = False  # whether a world may stop once all robots have reached it

    @abstractmethod
    def names(self) -> tuple[str, ...]:
        """What its figures are called."""

    @abstractmethod
    def figures(self, sums: Floats, run: RunTime) -> Sequence[Floats]:
        """The figures, shape (W, N) each, from the sums, shape (W, N, columns)."""

    def scenes(self) -> int | None:
        """How many scenes it was made for; None: for any."""
        return None

    def looks_at(self) -> str | None:
        """The name of the sensor that it needs."""
        return None

    def numbers(self, world: WorldSpec, scene: int) -> list[float]:
        """What the kernel wants to know in one of the scenes."""
        return []

    def start(self, poses: Floats, numbers: Floats) -> Floats:
        """The sums before the first tick, from all poses (W, N, 3) and the worlds' numbers (W, ·)."""
        return np.zeros((*poses.shape[:2], self.columns))

    def skip_jump(self, sums: Floats, pose: Sequence[float]) -> None:  # noqa: B027 (most have nothing to do)
        """A robot was put to another pose by hand: the way there does not count. `sums` has shape (columns)."""

    def marks(self, world: WorldSpec) -> int:
        """How many marks it makes for a robot in a scene, one byte each."""
        return 0


def checked_point(owner: str, name: str, point: object) -> tuple[float, float]:
    """Two finite coordinates [m]."""
    values = list(point) if isinstance(point, (Sequence, np.ndarray)) and not isinstance(point, str) else []
    if len(values) != 2 or not all_finite(*values):
        raise PaddockError(f"{owner}: {name}: expected [x, y] in metres, got {format_value(point)}")
    return float(values[0]), float(values[1])


def checked_above_zero(owner: str, name: str, value: object, unit: str) -> None:
    """A number > 0."""
    if not (all_finite(value) and value > 0):  # type: ignore[operator]
        raise PaddockError(f"{owner}: {name}: expected {unit} > 0, got {format_value(value)}")
