"""Slow reference implementations of the kernels, with no shared code or formulas."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from statistics import NormalDist

import numpy as np

Point = tuple[float, float]
Segment = tuple[Point, Point]
Circle = tuple[float, float, float]  # x, y, radius [m]


# Rays and cones.


def ray_to_segment(origin: Point, angle: float, a: Point, b: Point) -> float:
    """Rotate the scene so that the ray is the x axis; the segment is hit where it crosses that axis."""
    (ax, ay), (bx, by) = seen_from(origin, angle, a), seen_from(origin, angle, b)
    if ay == by == 0.0:
        if min(ax, bx) <= 0.0 <= max(ax, bx):
            return 0.0
        return min(ax, bx) if min(ax, bx) > 0.0 else math.inf
    if (ay > 0.0 and by > 0.0) or (ay < 0.0 and by < 0.0):
        return math.inf
    share = abs(ay) / (abs(ay) + abs(by))
    x = ax + share * (bx - ax)
    return x if x >= 0.0 else math.inf


def ray_to_disc(origin: Point, angle: float, disc: Circle) -> float:
    """Intersect a ray and a disc by Pythagoras in the ray's frame."""
    x, y = seen_from(origin, angle, disc[:2])
    radius = disc[2]
    if math.hypot(x, y) <= radius:
        return 0.0
    if abs(y) > radius or x < 0.0:
        return math.inf
    return x - math.sqrt((radius - abs(y)) * (radius + abs(y)))


def grown(segment: Segment, by: float) -> Segment:
    """Return the segment extended at both ends [m]; shortened if negative."""
    (x0, y0), (x1, y1) = segment
    length = math.dist(*segment)
    ux, uy = (x1 - x0) / length * by, (y1 - y0) / length * by
    return (x0 - ux, y0 - uy), (x1 + ux, y1 + uy)


def first_hit(
    origin: Point, angle: float, segments: Iterable[Segment], discs: Iterable[Circle], grow: float = 0.0
) -> float:
    """Return the distance to the nearest obstacle, each enlarged or reduced by a tolerance."""
    hits = [ray_to_segment(origin, angle, *grown(s, grow)) for s in segments]
    hits += [ray_to_disc(origin, angle, (x, y, r + grow)) for x, y, r in discs]
    return min(hits, default=math.inf)


def cone_to_points(
    origin: Point, angle: float, half: float, incidence: float, points: np.ndarray, normals: np.ndarray
) -> float:
    """Return the nearest of many points in the cone that is met at most `incidence` off its normal."""
    away = points - np.array(origin)
    distance = np.hypot(away[:, 0], away[:, 1])
    bearing = np.arctan2(away[:, 1], away[:, 0]) - angle
    off_axis = np.abs(np.angle(np.exp(1j * bearing)))
    with np.errstate(invalid="ignore", divide="ignore"):
        cosine = np.abs((away * normals).sum(axis=1)) / distance
    off_normal = np.arccos(np.clip(np.nan_to_num(cosine, nan=1.0), 0.0, 1.0))
    seen = (off_axis <= half) & (off_normal <= incidence)
    return float(distance[seen].min()) if seen.any() else math.inf


def cone_to_segment(
    origin: Point, angle: float, half: float, incidence: float, segment: Segment, samples: int = 20001
) -> float:
    """Test many points of the segment."""
    a, b = np.array(segment[0]), np.array(segment[1])
    points = a + np.linspace(0.0, 1.0, samples)[:, None] * (b - a)
    normal = np.array([-(b - a)[1], (b - a)[0]]) / math.dist(*segment)
    return cone_to_points(origin, angle, half, incidence, points, np.broadcast_to(normal, points.shape))


def cone_to_disc(
    origin: Point, angle: float, half: float, incidence: float, disc: Circle, samples: int = 20001
) -> float:
    """Test many points of the rim that face the sensor."""
    turn = np.linspace(0.0, 2 * math.pi, samples)
    normals = np.stack([np.cos(turn), np.sin(turn)], axis=1)
    points = np.array(disc[:2]) + disc[2] * normals
    facing = ((points - np.array(origin)) * normals).sum(axis=1) <= 0.0
    return cone_to_points(origin, angle, half, incidence, points[facing], normals[facing])


# Shapes.


def seen_from(origin: Point, angle: float, point: Point) -> Point:
    """Return a point in the frame at `origin`, rotated by `angle`."""
    away = complex(point[0] - origin[0], point[1] - origin[1]) * complex(math.cos(angle), -math.sin(angle))
    return away.real, away.imag


def point_to_segment(point: Point, a: Point, b: Point) -> float:
    """Rotate the segment onto the x axis."""
    x, y = seen_from(a, math.atan2(b[1] - a[1], b[0] - a[0]), point)
    length = math.dist(a, b)
    return math.hypot(x - length if x > length else min(x, 0.0), y)


def depth_inside(points: np.ndarray, polygon: Sequence[Point]) -> np.ndarray:
    """Return the depth of points in a convex polygon from its nearest side; negative outside [m]."""
    deepest = np.full(len(points), math.inf)
    for (x0, y0), (x1, y1) in zip(polygon, (*polygon[1:], polygon[0]), strict=True):
        left = ((x1 - x0) * (points[:, 1] - y0) - (y1 - y0) * (points[:, 0] - x0)) / math.hypot(x1 - x0, y1 - y0)
        deepest = np.minimum(deepest, left)
    return deepest


def outline_points(polygon: Sequence[Point], per_side: int = 60) -> np.ndarray:
    """Return points along the sides of a polygon."""
    sides = zip(polygon, (*polygon[1:], polygon[0]), strict=True)
    share = np.linspace(0.0, 1.0, per_side)[:, None]
    return np.concatenate([np.array(a) + share * (np.array(b) - np.array(a)) for a, b in sides])


def circle_depth(circle: Circle, segment: Segment) -> float:
    """Return the penetration depth of a segment in a circle [m]."""
    return circle[2] - point_to_segment(circle[:2], *segment)


def polygon_depth(polygon: Sequence[Point], segment: Segment) -> float:
    """Return the largest depth of a segment's points in a convex polygon [m]."""
    share = np.linspace(0.0, 1.0, 400)[:, None]
    a, b = np.array(segment[0]), np.array(segment[1])
    return float(depth_inside(a + share * (b - a), polygon).max())


def polygon_in_circle(polygon: Sequence[Point], circle: Circle) -> float:
    """Return the overlap depth of a convex polygon and a circle, by many points of the outline [m]."""
    points = outline_points(polygon)
    reached = circle[2] - float(np.hypot(points[:, 0] - circle[0], points[:, 1] - circle[1]).min())
    centre = float(depth_inside(np.array([circle[:2]]), polygon)[0])
    return max(reached, centre + circle[2] if centre > 0.0 else -math.inf)


def polygons_depth(a: Sequence[Point], b: Sequence[Point]) -> float:
    """Return the depth of points of either outline in the other polygon [m]."""
    return max(float(depth_inside(outline_points(a), b).max()), float(depth_inside(outline_points(b), a).max()))


# Motion, floor and chance.


def rolled(left: float, right: float, wheel_separation: float, pieces: int = 20000) -> tuple[float, float, float]:
    """Return the pose after the wheels rolled given distances, by many small straight steps."""
    turn = (right - left) / wheel_separation
    headings = turn * (np.arange(pieces) + 0.5) / pieces
    length = 0.5 * (left + right) / pieces
    return float(np.cos(headings).sum() * length), float(np.sin(headings).sum() * length), turn


def disc_points(centre: Point, radius: float, across: int = 81) -> np.ndarray:
    """Return points that fill a disc evenly."""
    line = np.linspace(-radius, radius, across)
    x, y = np.meshgrid(line, line)
    inside = x * x + y * y <= radius * radius * (1 + 1e-12)
    return np.stack([x[inside] + centre[0], y[inside] + centre[1]], axis=1)


def normal_quantile(p: float) -> float:
    """Return the inverse of the normal distribution."""
    return NormalDist().inv_cdf(p)


# Pictures.


def picture_depth(
    eye: tuple[float, float, float],
    angle: float,
    size: tuple[int, int],
    fov: float,
    walls: Iterable[tuple[Segment, float]],
    drums: Iterable[tuple[Circle, float]],
    grow: float = 0.0,
) -> np.ndarray:
    """Return the depth ahead [m] of every pixel, one ray each; obstacles have heights and are enlarged slightly."""
    columns, rows = size
    focal = columns / 2 / math.tan(fov / 2)
    depth = np.full((rows, columns), math.inf)
    walls, drums = list(walls), list(drums)
    for column in range(columns):
        off = math.atan2(columns / 2 - column - 0.5, focal)
        hits = [(ray_to_segment(eye[:2], angle + off, *grown(s, grow)), top) for s, top in walls]
        hits += [(ray_to_disc(eye[:2], angle + off, (x, y, r + grow)), top) for (x, y, r), top in drums]
        hits = sorted((t * math.cos(off), top + grow) for t, top in hits if t < math.inf)
        for row in range(rows):
            rise = (rows / 2 - row - 0.5) / focal
            for ahead, top in hits:
                if -grow <= eye[2] + rise * ahead <= top:
                    depth[row, column] = ahead
                    break
    return depth
