"""LikelihoodField: likelihood of beam ends, for scan matching."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from paddock.core.errors import PaddockError
from paddock.perception.mapping.frame import GridFrame
from paddock.perception.mapping.matching_kernels import pool_squares, splat
from paddock.perception.mapping.scan import Floats

Values = NDArray[np.float32]


class LikelihoodField:
    """1 on surfaces, decreasing with the distance like a Gaussian of width `sigma` [m]; 0 far from all surfaces."""

    def __init__(self, frame: GridFrame, sigma: float) -> None:
        if not (sigma > 0 and frame.resolution > 0):
            raise PaddockError(f"LikelihoodField: expected sigma and resolution > 0, got {sigma}, {frame.resolution}")
        self.frame = GridFrame(float(frame.x), float(frame.y), float(frame.resolution), frame.rows, frame.columns)
        self.sigma = float(sigma)
        self._tables: Values = np.zeros((1, *frame.shape), np.float32)
        self._pooled = 0  # number of levels above the first that are up to date

    @classmethod
    def from_points(cls, points: Floats, resolution: float = 0.05, sigma: float = 0.1) -> LikelihoodField:
        """Create a field around points of surfaces [m], shape (n, 2)."""
        points = np.asarray(points, float).reshape(-1, 2)
        (x0, y0), (x1, y1) = (points.min(0), points.max(0)) if len(points) else ((0.0, 0.0), (0.0, 0.0))
        field = cls(GridFrame.around(x0, y0, x1, y1, resolution, margin=3 * sigma + resolution), sigma)
        field.add_points(points)
        return field

    @property
    def values(self) -> Values:
        """Values of the field, in the shape of the frame."""
        return self._tables[0]  # type: ignore[no-any-return]

    def add_points(self, points: Floats) -> None:
        """Add points of surfaces [m], shape (n, 2). Points outside the frame are ignored."""
        self._pooled = 0
        splat(np.ascontiguousarray(points, float).reshape(-1, 2), self.frame, self.sigma, self.values)

    def tables(self, levels: int) -> Values:
        """Return tables of maxima: level k has the largest value in the square of 2^k cells that starts at a cell."""
        if len(self._tables) <= levels:
            kept, self._tables = self._tables, np.empty((levels + 1, *self.frame.shape), np.float32)
            self._tables[: len(kept)] = kept
        while self._pooled < levels:
            pool_squares(self._tables[self._pooled], 1 << self._pooled, self._tables[self._pooled + 1])
            self._pooled += 1
        return self._tables
