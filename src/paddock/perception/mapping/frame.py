"""GridFrame: position and size of a grid's cells in the world."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from paddock.core.argument_checks import all_finite
from paddock.core.errors import PaddockError

Cells = NDArray[np.int64]
Points = NDArray[np.float64]
MAX_CELLS = 400_000_000  # of a grid: 1000 m × 1000 m with cells of 5 cm


class GridFrame(NamedTuple):
    """Frame of a grid in the world. Arrays over it have shape (rows, columns); cell [0, 0] has the smallest x and y."""

    x: float  # of the lower left corner of cell [0, 0] [m]
    y: float
    resolution: float  # side of a cell [m]
    rows: int
    columns: int

    @classmethod
    def around(cls, x0: float, y0: float, x1: float, y1: float, resolution: float, margin: float = 0.0) -> GridFrame:
        """Return the smallest frame around a rectangle and a margin [m], with cells on multiples of their side."""
        if not all_finite(x0, y0, x1, y1):
            raise PaddockError(f"GridFrame: expected finite bounds, got {x0}, {y0}, {x1}, {y1}")
        column, row = (math.floor((low - margin) / resolution) for low in (x0, y0))
        columns, rows = (math.ceil((high + margin) / resolution) for high in (x1, y1))
        rows, columns = max(1, rows - row), max(1, columns - column)
        check_cells(rows, columns, resolution)
        return cls(column * resolution, row * resolution, resolution, rows, columns)

    @property
    def shape(self) -> tuple[int, int]:
        """Numbers of rows and columns."""
        return self.rows, self.columns

    @property
    def bounds(self) -> tuple[float, float, float, float]:
        """Bounds x0, y0, x1, y1 [m]."""
        return self.x, self.y, self.x + self.columns * self.resolution, self.y + self.rows * self.resolution

    def cell(self, x: float, y: float) -> tuple[int, int]:
        """Return row and column of a point [m], which may lie outside."""
        return math.floor((y - self.y) / self.resolution), math.floor((x - self.x) / self.resolution)

    def cells(self, points: Points) -> Cells:
        """Return rows and columns of points [m], shape (n, 2)."""
        return np.floor((np.asarray(points)[:, ::-1] - (self.y, self.x)) / self.resolution).astype(np.int64)

    def centre(self, row: int, column: int) -> tuple[float, float]:
        """Return the centre of a cell [m]."""
        return self.x + (column + 0.5) * self.resolution, self.y + (row + 0.5) * self.resolution

    def centres(self, cells: Cells) -> Points:
        """Return the centres x, y [m] of cells (row, column)."""
        row, column = np.asarray(cells, float).T
        return np.column_stack((self.x + (column + 0.5) * self.resolution, self.y + (row + 0.5) * self.resolution))

    def holds(self, row: int, column: int) -> bool:
        """Return whether a cell is inside."""
        return 0 <= row < self.rows and 0 <= column < self.columns

    def inside(self, cells: Cells) -> NDArray[np.bool_]:
        """Return whether each of some cells (row, column) is inside, shape (n,)."""
        return np.asarray(((cells >= 0) & (cells < self.shape)).all(axis=1))


def check_cells(rows: int, columns: int, resolution: float) -> None:
    """Raise an error if a grid would have too many cells."""
    if rows * columns > MAX_CELLS:
        raise PaddockError(
            f"a grid of {rows} × {columns} cells of {resolution:g} m has too many: "
            f"expected at most {MAX_CELLS:,}; use larger cells, or check for a wrong pose or range"
        )
