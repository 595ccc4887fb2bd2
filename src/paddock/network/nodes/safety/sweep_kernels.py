"""The compiled loop of the protective field: a body swept along its stopping path."""

from __future__ import annotations

import math

from paddock.core.jit import kernel


@kernel
def distance_to_body(normals, offsets, x, y):
    """Return the distance from the edges of a convex body to a point in its frame [m]; negative inside."""
    farthest = -math.inf
    for k in range(offsets.shape[0]):
        farthest = max(farthest, normals[k, 0] * x + normals[k, 1] * y - offsets[k])
    return farthest


@kernel
def find_contact(points, pose, normals, offsets, way, reach, margin, tolerance):
    """Return the index of the first pose of a path at which a body comes too near to a point; -1 if there is none.

    A point that is already inside the margin may stay there but must not come nearer, so that an escape is possible.

    Args:
        points: obstacle points in the frame of odometry [m], shape (n, 2).
        pose: pose of the body in that frame.
        normals: outward normals of its edges, shape (edges, 2).
        offsets: distances of its edges from its centre along the normals [m].
        way: poses of the path in the body's current frame: x, y [m], cosine and sine of the heading, shape (steps, 4).
        reach: points farther than this from the centre are ignored [m].
        margin: minimum distance to points [m].
        tolerance: distance by which a point may come nearer [m].
    """
    c, s = math.cos(pose[2]), math.sin(pose[2])
    first = way.shape[0]
    for i in range(points.shape[0]):
        dx, dy = points[i, 0] - pose[0], points[i, 1] - pose[1]
        if not dx * dx + dy * dy < reach * reach:
            continue
        x, y = c * dx + s * dy, c * dy - s * dx
        now = distance_to_body(normals, offsets, x, y) - tolerance
        for k in range(first):
            ahead, aside = x - way[k, 0], y - way[k, 1]
            along, across = way[k, 2] * ahead + way[k, 3] * aside, way[k, 2] * aside - way[k, 3] * ahead
            if distance_to_body(normals, offsets, along, across) < min(margin, now):
                first = k
                break
    return first if first < way.shape[0] else -1
