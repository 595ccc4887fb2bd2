"""BoardSpec: a chessboard with markers in its white squares (ChArUco), for calibrating lenses."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated

import numpy as np

from paddock.core.errors import SpecError
from paddock.core.spec import Metres, Number, Spec
from paddock.perception.vision.lens import Floats

MARKERS = 50  # in the dictionary DICT_4X4_50
Squares = Annotated[int, Number("squares", low=3, high=20)]


@dataclass(frozen=True, kw_only=True, slots=True)
class BoardSpec(Spec):
    """A calibration board. Its frame is that of OpenCV: x right, y down from its upper left corner."""

    columns: Squares = 7
    rows: Squares = 5
    square: Metres = 0.035  # fits on A4
    marker: Metres = 0.026

    def check(self) -> None:
        if self.marker >= self.square:
            raise SpecError(f"expected metres < {self.square:g}, the square, got {self.marker:g}", path="marker")
        count = self.columns * self.rows // 2
        if count > MARKERS:
            raise SpecError(f"expected at most {2 * MARKERS} squares, got {self.columns * self.rows}", path="columns")

    @property
    def width(self) -> float:
        """Width [m]."""
        return self.columns * self.square

    @property
    def height(self) -> float:
        """Height [m]."""
        return self.rows * self.square

    @property
    def corners(self) -> Floats:
        """Inner corners [m] by number, row by row, shape (N, 3)."""
        across, down = np.meshgrid(np.arange(1, self.columns), np.arange(1, self.rows))
        places: Floats = np.stack([across, down, 0 * down], axis=-1).reshape(-1, 3) * np.float64(self.square)
        return places

    def white_squares(self) -> Iterator[tuple[int, int, int]]:
        """Yield marker, column and row of each white square."""
        white = [(column, row) for row in range(self.rows) for column in range(self.columns) if (column + row) % 2]
        for marker, (column, row) in enumerate(white):
            yield marker, column, row
