"""Footprint: the outline of a robot's body on the floor, for collision checks."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from paddock.core.errors import PaddockError
from paddock.core.geometry import Disc, Shape, bounding_radius
from paddock.perception.mapping.scan import Floats

MAX_SPACING = 0.03  # maximum distance of points on an outline [m]
POINTS = 8  # minimum number of points along its largest radius


@dataclass(frozen=True)
class Footprint:
    """A body relative to its centre of rotation. The two radii of a disc are equal."""

    inscribed: float  # radius of the largest circle around the centre inside the outline [m]
    half_width: float  # maximum extent to the side [m]; a straight passage must be twice as wide
    circumscribed: float  # radius of the smallest circle around the outline [m]
    outline: Floats = field(repr=False)  # points on it, x forward, y left [m], shape (n, 2)
    spacing: float  # the largest gap between them [m]

    @classmethod
    def of(cls, shape: Shape, spacing: float | None = None) -> Footprint:
        """Create the footprint of a body's shape.

        Args:
            shape: in the robot's frame, such as `robot.spec.body.shape`.
            spacing: maximum distance of points on the outline [m]; None: an eighth of its radius, and at most 3 cm.
        """
        if spacing is None:
            spacing = min(MAX_SPACING, bounding_radius(shape) / POINTS)
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
            inner = min(inner, (x0 * y1 - x1 * y0) / length)  # to the left of the edge: corners are counter-clockwise
            pieces = max(1, math.ceil(length / spacing))
            points += [(x0 + (x1 - x0) * k / pieces, y0 + (y1 - y0) * k / pieces) for k in range(pieces)]
        wide = max(abs(y) for _, y in shape)
        return cls(max(0.0, inner), wide, bounding_radius(shape), np.array(points), spacing)

    def numbers(self, margin: float) -> Floats:
        """Return the numbers for kernels, with a margin around the outline [m]."""
        return np.array([self.inscribed, self.circumscribed, margin + self.spacing / 2])
