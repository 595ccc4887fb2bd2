"""Expected ranges of beams and cones to known walls, and their derivatives by the pose."""

from __future__ import annotations

import math

from paddock.core.jit import kernel


@kernel
def expected_ranges(poses, beams, walls, half, limit, ranges):
    """Compute ranges [m] of all beams from all poses, at most `limit`; ranges has shape (pose, beam).

    Poses are rows x, y, heading. Beams are rows x, y, direction in the robot's frame. Walls are rows x0, y0, x1, y1.
    `half` is half the opening angle of a cone [rad]; 0 is a ray.
    """
    for i in range(poses.shape[0]):
        x, y, heading = poses[i, 0], poses[i, 1], poses[i, 2]
        c, s = math.cos(heading), math.sin(heading)
        for k in range(beams.shape[0]):
            ox, oy = x + c * beams[k, 0] - s * beams[k, 1], y + s * beams[k, 0] + c * beams[k, 1]
            ranges[i, k], _, _, _ = nearest_echo(ox, oy, heading + beams[k, 2], half, walls, limit)


@kernel
def range_slopes(pose, beams, walls, half, limit, ranges, slopes):
    """Compute ranges of all beams from a pose, and their derivatives by x, y and heading, shape (beam, 3)."""
    c, s = math.cos(pose[2]), math.sin(pose[2])
    for k in range(beams.shape[0]):
        bx, by = c * beams[k, 0] - s * beams[k, 1], s * beams[k, 0] + c * beams[k, 1]
        distance, dx, dy, wall = nearest_echo(pose[0] + bx, pose[1] + by, pose[2] + beams[k, 2], half, walls, limit)
        ranges[k] = distance
        if wall < 0:  # the nearest point is fixed: a corner, or the foot of the perpendicular
            slopes[k, 0], slopes[k, 1], slopes[k, 2] = -dx, -dy, dx * by - dy * bx
        else:  # the end of a ray slides along the wall
            nx, ny = walls[wall, 1] - walls[wall, 3], walls[wall, 2] - walls[wall, 0]
            across = nx * dx + ny * dy
            slopes[k, 0], slopes[k, 1] = -nx / across, -ny / across
            slopes[k, 2] = (nx * by - ny * bx + distance * (nx * dy - ny * dx)) / across


@kernel
def nearest_echo(ox, oy, direction, half, walls, limit):
    """Return the range [m], the unit vector to the echo, and the wall hit by a ray; -1 for a point's echo or none."""
    distance, ux, uy, wall = limit, 0.0, 0.0, -1
    if half <= 0.0:
        dx, dy = math.cos(direction), math.sin(direction)
        for k in range(walls.shape[0]):
            t = ray_to_wall(ox, oy, dx, dy, walls[k])
            if t < distance:
                distance, ux, uy, wall = t, dx, dy, k
        return distance, ux, uy, wall
    ax, ay = math.cos(direction), math.sin(direction)
    least = math.cos(half)
    for k in range(walls.shape[0]):
        for place in range(3):  # both ends, and the foot of the perpendicular
            px, py = point_of_wall(ox, oy, walls[k], place)
            d = math.hypot(px, py)
            if 1e-12 < d < distance and px * ax + py * ay >= least * d:
                distance, ux, uy, wall = d, px / d, py / d, -1
        for side in range(2):
            edge = direction + (half if side else -half)
            dx, dy = math.cos(edge), math.sin(edge)
            t = ray_to_wall(ox, oy, dx, dy, walls[k])
            if t < distance - 1e-12:
                distance, ux, uy, wall = t, dx, dy, k
    return distance, ux, uy, wall


@kernel
def ray_to_wall(ox, oy, dx, dy, wall):
    """Return the distance along a ray to a wall [m]; infinity if the ray misses it."""
    ex, ey = wall[2] - wall[0], wall[3] - wall[1]
    ax, ay = wall[0] - ox, wall[1] - oy
    cross = dx * ey - dy * ex
    if cross == 0.0:
        return math.inf
    t, share = (ax * ey - ay * ex) / cross, (ax * dy - ay * dx) / cross
    return t if t >= 0.0 and 0.0 <= share <= 1.0 else math.inf


@kernel
def point_of_wall(ox, oy, wall, place):
    """Return a point of a wall relative to a position: its first end, its second end, or the nearest point."""
    ax, ay, ex, ey = wall[0] - ox, wall[1] - oy, wall[2] - wall[0], wall[3] - wall[1]
    share = place * 1.0
    if place == 2:
        long = ex * ex + ey * ey
        share = min(1.0, max(0.0, -(ax * ex + ay * ey) / long)) if long > 0.0 else 0.0
    return ax + share * ex, ay + share * ey
