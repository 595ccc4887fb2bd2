"""Expected scans at many poses in a known map: distances of beam ends from surfaces, and ranges."""

from __future__ import annotations

import math

from paddock.core.jit import kernel


@kernel
def end_distances(points, poses, frame, values, most, distances):
    """Compute the distances of beam ends from surfaces, in units of the field's sigma, at most `most`.

    Args:
        points: beam ends in the robot's frame [m], shape (k, 2).
        poses: poses of the robot, shape (n, 3).
        frame: frame of the field.
        values: values of the field, exp(-d² / 2), 0 far from all surfaces.
        most: maximum distance.
        distances: receives the distances, shape (n, k).
    """
    least = math.exp(-0.5 * most * most)
    for i in range(poses.shape[0]):
        c, s = math.cos(poses[i, 2]), math.sin(poses[i, 2])
        for k in range(points.shape[0]):
            x, y = poses[i, 0] + c * points[k, 0] - s * points[k, 1], poses[i, 1] + s * points[k, 0] + c * points[k, 1]
            column, row = math.floor((x - frame.x) / frame.resolution), math.floor((y - frame.y) / frame.resolution)
            distances[i, k] = most
            if 0 <= row < values.shape[0] and 0 <= column < values.shape[1] and values[row, column] > least:
                distances[i, k] = math.sqrt(max(0.0, -2.0 * math.log(values[row, column])))


@kernel
def cast_beams(beams, poses, frame, occupied, limit, ranges):
    """Compute ranges [m] of beams (rows x, y, direction on the robot) to occupied cells, at most `limit`."""
    side = frame.resolution
    for i in range(poses.shape[0]):
        c, s = math.cos(poses[i, 2]), math.sin(poses[i, 2])
        for k in range(beams.shape[0]):
            x = (poses[i, 0] + c * beams[k, 0] - s * beams[k, 1] - frame.x) / side
            y = (poses[i, 1] + s * beams[k, 0] + c * beams[k, 1] - frame.y) / side
            direction = poses[i, 2] + beams[k, 2]
            ranges[i, k] = side * cast_beam(x, y, math.cos(direction), math.sin(direction), occupied, limit / side)


@kernel
def cast_beam(x, y, dx, dy, occupied, limit):
    """Return the distance along a ray to the middle of the first occupied cell, at most `limit`; lengths in cells."""
    column, row = math.floor(x), math.floor(y)
    step_x, step_y = (1 if dx > 0.0 else -1), (1 if dy > 0.0 else -1)
    per_x, per_y = (1.0 / abs(dx) if dx != 0.0 else math.inf), (1.0 / abs(dy) if dy != 0.0 else math.inf)
    next_x = (column + (1 if dx > 0.0 else 0) - x) / dx if dx != 0.0 else math.inf
    next_y = (row + (1 if dy > 0.0 else 0) - y) / dy if dy != 0.0 else math.inf
    gone = 0.0
    while gone < limit:
        if 0 <= row < occupied.shape[0] and 0 <= column < occupied.shape[1] and occupied[row, column]:
            return min(limit, 0.5 * (gone + min(next_x, next_y)))
        gone = min(next_x, next_y)
        if next_x < next_y:
            next_x += per_x
            column += step_x
        else:
            next_y += per_y
            row += step_y
    return limit
