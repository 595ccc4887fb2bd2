"""ThingSpec: description of a thing that robots can push: its outline, mass and friction."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated

from paddock.core.errors import SpecError
from paddock.core.geometry import Convex, Disc, Pose, Shape, place_shape, rectangle, signed_area, wrap
from paddock.core.spec import Color, Degrees, Name, Number, Point, Spec
from paddock.simulation.robots.drives import Length
from paddock.simulation.robots.robot_spec import GRAVITY, check_outline

THING_COLOR = "#c05640"
Friction = Annotated[float, Number("a coefficient of friction", low=0, high=10)]


@dataclass(frozen=True, kw_only=True, slots=True)
class ThingSpec(Spec):
    """A thing that robots can push: a cylinder, a box, or a prism over a convex polygon."""

    name: Name
    at: Point  # position of its centre of mass
    heading_deg: Degrees = 0.0
    radius: Length | None = None
    size: tuple[Length, Length] | None = None  # of a box: along its heading, across it
    outline: tuple[Point, ...] | None = (
        None  # corners, counter-clockwise; moved so that its centre of mass is at [0, 0]
    )
    height: Length = 0.1
    mass: Annotated[float, Number("kilograms", above=0, minimum=1e-6, limit=1e6)]
    friction: Annotated[float, Number("a coefficient of friction", above=0, minimum=1e-3, high=10)] = (
        0.3  # on the floor
    )
    contact_friction: Friction = 0.3  # with robots, walls and other things
    color: Color = THING_COLOR

    def check(self) -> None:
        given = [key for key in ("radius", "size", "outline") if getattr(self, key) is not None]
        if len(given) != 1:
            got = " and ".join(given) or "none of them"
            raise SpecError(
                f"expected one of radius, size and outline, got {got}", path=given[-1] if given else "radius"
            )
        if self.outline is not None:
            check_outline(self.outline)

    @property
    def pose(self) -> Pose:
        """The pose at the start."""
        return Pose(*self.at, wrap(math.radians(self.heading_deg)))

    @property
    def shape(self) -> Shape:
        """The outline around the centre of mass."""
        if self.radius is not None:
            return Disc(0.0, 0.0, self.radius)
        if self.size is not None:
            return rectangle(*self.size)
        assert self.outline is not None
        x, y = _find_centroid(self.outline)
        moved = place_shape(self.outline, -x, -y, 0.0)
        assert not isinstance(moved, Disc)
        return moved

    @property
    def sliding_force(self) -> float:
        """Largest force of friction with the floor [N]."""
        return self.friction * self.mass * GRAVITY

    @property
    def lever(self) -> float:
        """Mean distance of the footprint from its centre [m]: largest moment of friction by largest force."""
        shape = self.shape
        return 2 / 3 * shape.radius if isinstance(shape, Disc) else _compute_mean_distance(shape)


def _find_centroid(polygon: Convex) -> Point:
    x0, y0 = polygon[0]  # as the origin, for precision
    x = y = 0.0
    for (ax, ay), (bx, by) in zip(polygon, (*polygon[1:], polygon[0]), strict=True):
        cross = (ax - x0) * (by - y0) - (bx - x0) * (ay - y0)
        x += (ax + bx - 2 * x0) * cross / 6
        y += (ay + by - 2 * y0) * cross / 6
    area = signed_area(polygon)
    return x0 + x / area, y0 + y / area


def _compute_mean_distance(polygon: Convex) -> float:
    """Return the mean distance of a convex polygon's points from the origin, which is inside.

    A side at distance h, seen from angle a to b, adds the integral of h³ / (3 cos³) from a to b.
    """
    total = 0.0
    for (ax, ay), (bx, by) in zip(polygon, (*polygon[1:], polygon[0]), strict=True):
        length = math.hypot(bx - ax, by - ay)
        h = (ax * by - bx * ay) / length
        start, end = (((x * (bx - ax) + y * (by - ay)) / length / h) for x, y in ((ax, ay), (bx, by)))  # tangents
        total += h**3 / 6 * (_integrate(end) - _integrate(start))
    return total / signed_area(polygon)


def _integrate(tangent: float) -> float:
    """Return twice the integral of 1 / cos³ from 0 to the angle with this tangent."""
    return tangent * math.hypot(1, tangent) + math.asinh(tangent)
