"""Intersections of rays and cones with segments and discs. Directions are unit vectors; a miss returns infinity."""

from __future__ import annotations

import math

from paddock.core.jit import kernel

MISS = math.inf
LEEWAY = 1e-12  # [m] tolerance, so that no ray passes between two adjoining walls
GRAZING = 1e-9  # [m] extent across a ray below which the intersection is dominated by rounding errors


@kernel
def ray_to_segment(ox, oy, dx, dy, x0, y0, x1, y1):
    """Return the distance along the ray from (ox, oy) to the segment."""
    px, py = x0 - ox, y0 - oy
    qx, qy = x1 - ox, y1 - oy
    p_side, q_side = dx * py - dy * px, dx * qy - dy * qx  # distances of the ends to the left of the ray
    if (p_side > LEEWAY and q_side > LEEWAY) or (p_side < -LEEWAY and q_side < -LEEWAY):
        return MISS
    cross = q_side - p_side
    if abs(cross) < GRAZING:  # collinear: take the nearer end that is not behind
        a, b = px * dx + py * dy, qx * dx + qy * dy
        if a * b <= 0.0:
            return 0.0
        return min(a, b) if a > 0.0 else MISS
    t = (px * qy - py * qx) / cross
    return t if t >= 0.0 else MISS


@kernel
def ray_to_disc(ox, oy, dx, dy, x, y, radius):
    """Return the distance along the ray to the disc; 0 from inside the disc."""
    px, py = x - ox, y - oy
    off = px * px + py * py - radius * radius
    if off <= 0.0:
        return 0.0
    along = px * dx + py * dy
    if along <= 0.0:
        return MISS
    square = along * along - off
    if square < 0.0:
        return MISS
    return along - math.sqrt(square)


@kernel
def cone_to_segment(ox, oy, dx, dy, cos_half, sin_half, tan_incidence, x0, y0, x1, y1):
    """Return the distance to the nearest point of the segment inside the cone that returns an echo, and its direction.

    The cone opens by less than 90° to each side of (dx, dy). A point returns an echo if the angle of incidence
    is at most atan(tan_incidence). Both conditions restrict the segment to an interval, so the result is exact.
    """
    # In the frame of the cone: x along its axis.
    ax, ay = x0 - ox, y0 - oy
    bx, by = x1 - ox, y1 - oy
    ax, ay = ax * dx + ay * dy, ay * dx - ax * dy
    bx, by = bx * dx + by * dy, by * dx - bx * dy
    ex, ey = bx - ax, by - ay
    length2 = ex * ex + ey * ey
    if length2 == 0.0:
        return MISS, dx, dy
    low, high = 0.0, 1.0
    for side in (-1.0, 1.0):  # inside: side * y * cos_half <= x * sin_half
        start = ax * sin_half - side * ay * cos_half
        slope = ex * sin_half - side * ey * cos_half
        if slope == 0.0:
            if start < 0.0:
                return MISS, dx, dy
        elif slope > 0.0:
            low = max(low, -start / slope)
        else:
            high = min(high, -start / slope)
    length = math.sqrt(length2)
    foot = -(ax * ex + ay * ey) / length2  # of the perpendicular from the origin
    away = abs(ax * ey - ay * ex) / length  # its length
    spread = away * tan_incidence / length
    low, high = max(low, foot - spread), min(high, foot + spread)
    if low > high:
        return MISS, dx, dy
    t = min(max(foot, low), high)
    return measure_vector(ax + t * ex, ay + t * ey, dx, dy)


@kernel
def cone_to_disc(ox, oy, dx, dy, cos_half, sin_half, sin_incidence, x, y, radius):
    """Return the distance to the nearest point of the disc inside the cone that returns an echo, and its direction."""
    px, py = x - ox, y - oy
    away = math.hypot(px, py)
    if away <= radius:
        return 0.0, dx, dy
    along, aside = px * dx + py * dy, py * dx - px * dy
    if abs(aside) * cos_half <= along * sin_half:  # the centre lies inside the cone
        return away - radius, px / away, py / away
    # The nearest point is then on the cone's edge, on the side of the centre.
    reach = along * cos_half + abs(aside) * sin_half
    miss = abs(aside) * cos_half - along * sin_half
    if reach <= 0.0 or miss > radius or miss > radius * sin_incidence:
        return MISS, dx, dy
    distance = reach - math.sqrt(radius * radius - miss * miss)
    side = math.copysign(sin_half, aside)
    return distance, dx * cos_half - dy * side, dy * cos_half + dx * side


@kernel
def measure_vector(x, y, dx, dy):
    """Return the length of a vector given in the frame of (dx, dy), and its direction in the outer frame."""
    length = math.hypot(x, y)
    if length == 0.0:
        return 0.0, dx, dy
    x, y = x / length, y / length
    return length, x * dx - y * dy, y * dx + x * dy


@kernel
def distance_to_segment(x, y, x0, y0, x1, y1):
    """Return the distance from a point to a segment."""
    ex, ey = x1 - x0, y1 - y0
    px, py = x - x0, y - y0
    length2 = ex * ex + ey * ey
    t = 0.0
    if length2 > 0.0:
        t = min(1.0, max(0.0, (px * ex + py * ey) / length2))
    return math.hypot(px - t * ex, py - t * ey)
