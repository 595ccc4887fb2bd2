"""Poses and plane geometry in plain Python, for specs and loaders. The engine has its own kernels."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations, pairwise
from typing import NamedTuple

Point = tuple[float, float]
MAX_CHORDS = 10_000  # maximum per arc; only arcs of kilometres would need more


class Pose(NamedTuple):
    """Pose of a robot: position [m] and heading [rad], counter-clockwise from the x axis."""

    x: float
    y: float
    heading: float


ORIGIN = Pose(0.0, 0.0, 0.0)


class Disc(NamedTuple):
    """A filled circle [m]."""

    x: float
    y: float
    radius: float


Convex = tuple[Point, ...]
"""A convex polygon, counter-clockwise [m]."""

Shape = Disc | Convex


def wrap(angle: float) -> float:
    """Wrap an angle to (-pi, pi] [rad]."""
    turned = math.remainder(angle, 2 * math.pi)
    return math.pi if turned == -math.pi else turned


def compose(start: Pose, step: Pose) -> Pose:
    """Return the pose after a step; the step is given in the frame of its start."""
    c, s = math.cos(start.heading), math.sin(start.heading)
    x, y = start.x + c * step.x - s * step.y, start.y + s * step.x + c * step.y
    return Pose(x, y, wrap(start.heading + step.heading))


def relative(start: Pose, end: Pose) -> Pose:
    """Return the pose `end` in the frame of `start`: the step from start to end."""
    c, s = math.cos(start.heading), math.sin(start.heading)
    dx, dy = end.x - start.x, end.y - start.y
    return Pose(c * dx + s * dy, c * dy - s * dx, wrap(end.heading - start.heading))


def place_shape(shape: Shape, x: float, y: float, heading: float) -> Shape:
    """Transform a shape from the body frame to the world frame."""
    c, s = math.cos(heading), math.sin(heading)
    if isinstance(shape, Disc):
        return Disc(x + c * shape.x - s * shape.y, y + s * shape.x + c * shape.y, shape.radius)
    return tuple((x + c * px - s * py, y + s * px + c * py) for px, py in shape)


def bar(a: Point, b: Point, thickness: float) -> Convex:
    """Return the rectangle around the segment a-b, `thickness` wide and as long as the segment."""
    length = math.dist(a, b)
    nx, ny = (a[1] - b[1]) / length * thickness / 2, (b[0] - a[0]) / length * thickness / 2
    return (
        (a[0] - nx, a[1] - ny),
        (b[0] - nx, b[1] - ny),
        (b[0] + nx, b[1] + ny),
        (a[0] + nx, a[1] + ny),
    )


def rectangle(width: float, height: float) -> Convex:
    """Return an axis-parallel rectangle centred on the origin."""
    w, h = width / 2, height / 2
    return ((-w, -h), (w, -h), (w, h), (-w, h))


def arc_points(at: Point, radius: float, start: float, end: float, tolerance: float) -> list[Point]:
    """Return points on a circular arc whose chords stay within `tolerance` of the arc [m, rad]."""
    pieces = chord_count(radius, abs(end - start), tolerance)
    angles = [start + (end - start) * i / pieces for i in range(pieces + 1)]
    return [(at[0] + radius * math.cos(a), at[1] + radius * math.sin(a)) for a in angles]


def chord_count(radius: float, angle: float, tolerance: float) -> int:
    """Return the number of chords needed to stay within `tolerance` of an arc [m, rad]."""
    step = 2 * math.acos(max(0.5, 1 - tolerance / radius))  # at least three chords per circle
    return min(MAX_CHORDS, max(1, math.ceil(angle / step)))


def smooth(points: Sequence[Point], *, closed: bool, pieces: int = 12) -> list[Point]:
    """Return a centripetal Catmull-Rom curve through the points, without loops or overshoots at uneven spacing."""
    n = len(points)
    curve: list[Point] = []
    for i in range(n if closed else n - 1):
        if closed:
            four = [points[(i + k) % n] for k in (-1, 0, 1, 2)]
        else:
            before = points[i - 1] if i > 0 else _mirror(points[1], points[0])
            after = points[i + 2] if i + 2 < n else _mirror(points[-2], points[-1])
            four = [before, points[i], points[i + 1], after]
        curve += [_on_spline(four, j / pieces) for j in range(pieces)]
    if not closed:
        curve.append(points[-1])
    return curve


def _mirror(point: Point, at: Point) -> Point:
    return 2 * at[0] - point[0], 2 * at[1] - point[1]


def _on_spline(p: Sequence[Point], share: float) -> Point:
    """Return the point at `share` of the way from p[1] to p[2] (Barry and Goldman 1988)."""
    knots = [0.0]
    for a, b in pairwise(p):
        knots.append(knots[-1] + max(math.sqrt(math.dist(a, b)), 1e-9))
    t = knots[1] + share * (knots[2] - knots[1])

    def mix(a: Point, b: Point, ta: float, tb: float) -> Point:
        w = (t - ta) / (tb - ta)
        return a[0] + w * (b[0] - a[0]), a[1] + w * (b[1] - a[1])

    first = [mix(p[k], p[k + 1], knots[k], knots[k + 1]) for k in range(3)]
    second = [mix(first[k], first[k + 1], knots[k], knots[k + 2]) for k in range(2)]
    return mix(second[0], second[1], knots[1], knots[2])


def signed_area(polygon: Sequence[Point]) -> float:
    """Return the area of a simple polygon [m²], positive if counter-clockwise."""
    total = 0.0
    for (x0, y0), (x1, y1) in zip(polygon, (*polygon[1:], polygon[0]), strict=True):
        total += x0 * y1 - x1 * y0
    return total / 2


def is_convex(polygon: Sequence[Point]) -> bool:
    """Whether a polygon is convex, counter-clockwise, and winds around once."""
    n = len(polygon)
    turned = 0.0
    for i in range(n):
        a, b, c = polygon[i - 2], polygon[i - 1], polygon[i]
        cross, dot = _cross(a, b, c), (b[0] - a[0]) * (c[0] - b[0]) + (b[1] - a[1]) * (c[1] - b[1])
        if cross < -1e-12:
            return False
        turned += math.atan2(cross, dot)
    return abs(turned - math.tau) < 0.1


def on_one_line(polygon: Sequence[Point]) -> bool:
    """Whether all corners of a polygon are collinear."""
    n = len(polygon)
    size = max(math.dist(point, polygon[0]) for point in polygon)
    return all(abs(_cross(polygon[i - 2], polygon[i - 1], polygon[i])) <= 1e-9 * size * size for i in range(n))


def crosses_itself(polygon: Sequence[Point]) -> bool:
    """Whether any two sides of a polygon cross."""
    n = len(polygon)
    sides = [(polygon[i - 1], polygon[i]) for i in range(n)]
    return any(
        _cross(a, b, c) * _cross(a, b, d) < 0 and _cross(c, d, a) * _cross(c, d, b) < 0
        for (a, b), (c, d) in combinations(sides, 2)
    )


def _cross(a: Point, b: Point, c: Point) -> float:
    """Return the cross product of b - a and c - b, positive if the path a-b-c turns left."""
    return (b[0] - a[0]) * (c[1] - b[1]) - (b[1] - a[1]) * (c[0] - b[0])


def bounding_radius(shape: Shape) -> float:
    """Return the largest distance of a point of the shape from the origin of its frame."""
    if isinstance(shape, Disc):
        return math.hypot(shape.x, shape.y) + shape.radius
    return max(math.hypot(x, y) for x, y in shape)


def inner_radius(polygon: Convex) -> float:
    """Return half of the polygon's smallest width, the longest move that cannot skip a thin wall."""
    smallest = math.inf
    for (x0, y0), (x1, y1) in zip(polygon, (*polygon[1:], polygon[0]), strict=True):
        nx, ny = y0 - y1, x1 - x0
        n = math.hypot(nx, ny)
        smallest = min(smallest, max(((x - x0) * nx + (y - y0) * ny) / n for x, y in polygon))
    return smallest / 2


def compute_bounds(shape: Shape) -> tuple[float, float, float, float]:
    """Return the axis-parallel bounds x0, y0, x1, y1."""
    if isinstance(shape, Disc):
        return (
            shape.x - shape.radius,
            shape.y - shape.radius,
            shape.x + shape.radius,
            shape.y + shape.radius,
        )
    xs, ys = [p[0] for p in shape], [p[1] for p in shape]
    return min(xs), min(ys), max(xs), max(ys)


def overlap(a: Shape, b: Shape) -> float:
    """Return the penetration depth of two shapes [m]; zero or less if they do not overlap."""
    if isinstance(a, Disc) and isinstance(b, Disc):
        return a.radius + b.radius - math.hypot(a.x - b.x, a.y - b.y)
    if isinstance(a, Disc):
        return _disc_in_polygon(a, b)  # type: ignore[arg-type]
    if isinstance(b, Disc):
        return _disc_in_polygon(b, a)
    return min(_overlap_along_edges(a, b), _overlap_along_edges(b, a))


def compute_distance(a: Shape, b: Shape) -> float:
    """Return the distance between two shapes [m]; 0 if they touch or overlap."""
    if isinstance(a, Disc) or isinstance(b, Disc):
        return max(0.0, -overlap(a, b))
    if overlap(a, b) >= 0.0:
        return 0.0
    return min(-overlap(Disc(*corner, 0.0), other) for shape, other in ((a, b), (b, a)) for corner in shape)


def _overlap_along_edges(a: Convex, b: Convex) -> float:
    smallest = math.inf
    for (x0, y0), (x1, y1) in zip(a, (*a[1:], a[0]), strict=True):
        nx, ny = y1 - y0, x0 - x1  # outwards
        n = math.hypot(nx, ny)
        smallest = min(smallest, -min(((x - x0) * nx + (y - y0) * ny) / n for x, y in b))
    return smallest


def _disc_in_polygon(disc: Disc, polygon: Convex) -> float:
    nearest, inside = math.inf, True
    for (x0, y0), (x1, y1) in zip(polygon, (*polygon[1:], polygon[0]), strict=True):
        dx, dy, px, py = x1 - x0, y1 - y0, disc.x - x0, disc.y - y0
        if dx * py - dy * px < 0:
            inside = False
        t = min(1.0, max(0.0, (px * dx + py * dy) / max(dx * dx + dy * dy, 1e-300)))
        nearest = min(nearest, math.hypot(px - t * dx, py - t * dy))
    return disc.radius + nearest if inside else disc.radius - nearest
