"""Coverage: the area of the floor that a robot has visited."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from paddock.arena.metrics.metric import Metric, RunTime, checked_above_zero
from paddock.core.errors import PaddockError
from paddock.core.jit import Kernel, kernel
from paddock.simulation.engine.model import Floats
from paddock.simulation.engine.state import X, Y
from paddock.simulation.worlds.world_spec import WorldSpec

MAX_CELLS = 1 << 20
LEFT, BOTTOM, SCALE, COLUMNS, ROWS = range(5)


@kernel
def coverage(numbers, robot_state, sums, marks):
    """Mark the cell under the robot."""
    column = min(max(math.floor((robot_state[X] - numbers[LEFT]) * numbers[SCALE]), 0.0), numbers[COLUMNS] - 1.0)
    row = min(max(math.floor((robot_state[Y] - numbers[BOTTOM]) * numbers[SCALE]), 0.0), numbers[ROWS] - 1.0)
    cell = int(row * numbers[COLUMNS] + column)
    if marks[cell] == 0:
        marks[cell] = 1
        sums[0] += 1.0


@dataclass(frozen=True, kw_only=True)
class Coverage(Metric):
    """`visited`: number of square floor cells that the robot's centre has visited."""

    cell: float = 0.1  # side of a cell [m]

    kernel: ClassVar[Kernel] = coverage
    columns: ClassVar[int] = 1
    needs_world: ClassVar[bool] = True

    def __post_init__(self) -> None:
        checked_above_zero("Coverage", "cell", self.cell, "metres")

    def names(self) -> tuple[str, ...]:
        return ("visited",)

    def numbers(self, world: WorldSpec, scene: int) -> list[float]:
        return [*world.bounds[:2], 1.0 / self.cell, *self._size(world)]

    def marks(self, world: WorldSpec) -> int:
        columns, rows = self._size(world)
        if columns * rows > MAX_CELLS:
            raise PaddockError(
                f"Coverage: cell: {self.cell:g} m gives {columns * rows:,} cells of {world.name}: "
                f"expected at most {MAX_CELLS:,}: use a larger cell"
            )
        return columns * rows

    def compute_results(self, sums: Floats, run: RunTime) -> Sequence[Floats]:
        return (sums[..., 0],)

    def _size(self, world: WorldSpec) -> tuple[int, int]:
        x0, y0, x1, y1 = world.bounds
        return max(1, math.ceil((x1 - x0) / self.cell)), max(1, math.ceil((y1 - y0) / self.cell))
