"""Coverage: how much of the floor a robot has visited."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from paddock.core.errors import PaddockError
from paddock.core.jit import Kernel, kernel
from paddock.engine.model import Floats
from paddock.engine.state import X, Y
from paddock.metrics.base import Metric, Run, checked_above_zero
from paddock.worlds.build import BuiltWorld

MOST_CELLS = 1 << 20
LEFT, BOTTOM, SCALE, COLUMNS, ROWS = range(5)


@kernel
def coverage(numbers, moving, sums, marks):
    """Mark the cell under the robot."""
    column = min(max(math.floor((moving[X] - numbers[LEFT]) * numbers[SCALE]), 0.0), numbers[COLUMNS] - 1.0)
    row = min(max(math.floor((moving[Y] - numbers[BOTTOM]) * numbers[SCALE]), 0.0), numbers[ROWS] - 1.0)
    cell = int(row * numbers[COLUMNS] + column)
    if marks[cell] == 0:
        marks[cell] = 1
        sums[0] += 1.0


@dataclass(frozen=True, kw_only=True)
class Coverage(Metric):
    """`visited`: how many square cells of the world's floor the robot's centre has been in."""

    cell: float = 0.1  # side of a cell [m]

    kernel: ClassVar[Kernel] = coverage
    columns: ClassVar[int] = 1

    def __post_init__(self) -> None:
        checked_above_zero("Coverage", "cell", self.cell, "metres")

    def names(self) -> tuple[str, ...]:
        return ("visited",)

    def numbers(self, built: BuiltWorld, scene: int) -> list[float]:
        return [*built.spec.bounds[:2], 1.0 / self.cell, *self._size(built)]

    def marks(self, built: BuiltWorld) -> int:
        columns, rows = self._size(built)
        if columns * rows > MOST_CELLS:
            raise PaddockError(
                f"Coverage: cell: {self.cell:g} m makes {columns * rows:,} cells of {built.spec.name}: "
                f"expected at most {MOST_CELLS:,}, so a larger cell"
            )
        return columns * rows

    def figures(self, sums: Floats, run: Run) -> Sequence[Floats]:
        return (sums[..., 0],)

    def _size(self, built: BuiltWorld) -> tuple[int, int]:
        x0, y0, x1, y1 = built.spec.bounds
        return max(1, math.ceil((x1 - x0) / self.cell)), max(1, math.ceil((y1 - y0) / self.cell))
