"""Footprint: the outline of a robot's body on the floor, as collision checks take it."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from paddock.core.errors import PaddockError
from paddock.core.geometry import Disc, Shape, bounding_radius

Floats = NDArray[np.float64]
MOST_SPACING = 0.03  # of points on an outline [m],
POINTS = 8  # and at least so many along its largest radius


@dataclass(frozen=True)
class Footprint:
    """A body around the point that it turns about. A disc's two radii are equal."""

    inscribed: float  # radius of the largest circle around that point inside the outline [m]
    half_width: float  # how far it reaches to the side, at most [m]: a straight way must be twice as wide
    circumscribed: float  # radius of the smallest around the outline [m]
    outline: Floats = field(repr=False)  # points on it, x forward, y left [m], shape (n, 2)
    spacing: float  # the largest gap between them [m]

    @classmethod
    def of(cls, shape: Shape, spacing: float | None = None) -> Footprint:
        """The footprint of a body's shape.

        Args:
            shape: in the robot's frame, such as `robot.spec.body.shape`.
            spacing: of points on the outline, at most [m]; None: an eighth of its radius, and 3 cm at most.
        """
        if spacing is None:
            spacing = min(MOST_SPACING, bounding_radius(shape) / POINTS)
        if not spacing > 0:
            raise PaddockError(f"Footprint: spacing: expected metres > 0, got {spacing!r}")
        if isinstance(shape, Disc):
            count = max(8, math.ceil(math.tau * shape.radius / spacing))
            angles = np.arange(count) * math.tau / count
            circle = np.column_stack((np.cos(angles), np.sin(angles)))
            inner = max(0.0, shape.radius - math.hypot(shape.x, shape.y))
            wide = abs(shape.y) + shape.radius
            return cls(inner, wide, bounding_radius(shape), (shape.x, shape.y) + shape.radius * circle, spacing)
        points: list[tuple[float, float]] = []
        inner = math.inf
        for (x0, y0), (x1, y1) in zip(shape, (*shape[1:], shape[0]), strict=True):
            length = math.hypot(x1 - x0, y1 - y0)
            inner = min(inner, (x0 * y1 - x1 * y0) / length)  # to the left of the edge, as corners go around
            pieces = max(1, math.ceil(length / spacing))
            points += [(x0 + (x1 - x0) * k / pieces, y0 + (y1 - y0) * k / pieces) for k in range(pieces)]
        wide = max(abs(y) for _, y in shape)
        return cls(max(0.0, inner), wide, bounding_radius(shape), np.array(points), spacing)

    def numbers(self, margin: float) -> Floats:
        """As kernels take it, with a margin around the outline [m]."""
        return np.array([self.inscribed, self.circumscribed, margin + self.spacing / 2])
