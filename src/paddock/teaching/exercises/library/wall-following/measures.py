"""Figures for the checks."""

import numpy as np

RADIUS = 0.037  # of an e-puck [m]
NEAR = 0.07  # distance between robot and wall [m]: the range of the sensors
SEARCH = 20.0  # time to find a wall [s]


def near_wall(trace, world):
    """Fraction of the time in which the robot was near a wall; the time to find one does not count."""
    x, y = trace.pose[trace.time >= SEARCH, :2].T
    if not len(x):
        return np.nan
    left, bottom, right, top = world.bounds
    away = np.minimum.reduce([x - left, right - x, y - bottom, top - y])
    (wx, _), (_, end) = world.walls[0].points
    away = np.minimum(away, np.hypot(x - wx, y - np.minimum(y, end)) - world.walls[0].thickness / 2)
    box = world.boxes[0]
    away = np.minimum(away, np.hypot(*(np.maximum(box.at[k] - box.size[k] / 2 - p, 0) for k, p in enumerate((x, y)))))
    return np.mean(away - RADIUS < NEAR)


def rounds(trace, world):
    """Rounds about the centre of the room, counter-clockwise; earlier clockwise motion does not count."""
    left, bottom, right, top = world.bounds
    angle = np.unwrap(np.arctan2(trace.pose[:, 1] - (bottom + top) / 2, trace.pose[:, 0] - (left + right) / 2))
    return np.max(angle - np.minimum.accumulate(angle)) / (2 * np.pi)
