"""Floor plans, and scans of a simulated laser with 180 beams."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from paddock.core.geometry import ORIGIN, Pose, compose
from paddock.perception.estimation.measurements import expected_ranges
from paddock.perception.mapping import Scan

Floats = NDArray[np.float64]
ROOM = np.array([[0, 0, 8, 0], [8, 0, 8, 6], [8, 6, 0, 6], [0, 6, 0, 0], [3, 0, 3, 2], [5, 6, 5, 4.5]], float)
CORRIDOR = np.array([[-100, 0, 100, 0], [-100, 2, 100, 2]], float)
ANGLES = np.radians(np.arange(-90.0, 90.0))


def see(
    walls: Floats,
    pose: Pose,
    seed: int = 0,
    time: float = 0.0,
    reach: float = 20.0,
    noise: float = 0.01,
    angles: Floats = ANGLES,
    mount: Pose = ORIGIN,
) -> Scan:
    """Return a scan with noise [m]."""
    ranges = np.empty((1, len(angles)))
    beams = np.column_stack((np.zeros((len(angles), 2)), angles))
    expected_ranges(np.array([compose(pose, mount)]), beams, walls, 0.0, reach, ranges)
    noisy = ranges[0] + np.random.default_rng(seed).normal(0.0, noise, len(angles))
    return Scan(time, angles, np.where(ranges[0] < reach, noisy, np.inf), reach, mount)


def box(x0: float, y0: float, x1: float, y1: float) -> list[list[float]]:
    """Return four walls."""
    return [[x0, y0, x1, y0], [x1, y0, x1, y1], [x1, y1, x0, y1], [x0, y1, x0, y0]]


def ring_corridor(seed: int = 3) -> Floats:
    """Return a corridor 2 m wide around a block of 16 m × 10 m, with cupboards along its outer wall."""
    random = np.random.default_rng(seed)
    walls = box(0, 0, 20, 14) + box(2, 2, 18, 12)
    for x in np.arange(1.5, 19, 2.6):
        for y in (0.0, 13.7):
            at = x + random.uniform(-0.8, 0.8)
            walls += box(at, y, at + random.uniform(0.3, 1.0), y + 0.3)
    for y in np.arange(2.5, 11, 3.1):
        for x in (0.0, 19.7):
            at = y + random.uniform(-0.8, 0.8)
            walls += box(x, at, x + 0.3, at + random.uniform(0.3, 1.0))
    return np.array(walls, float)


def equal_rooms(count: int = 6) -> Floats:
    """Return identical rooms of 4 m × 4 m along a corridor of 2 m, with doors of 1 m."""
    walls = [[0, 0, 4.0 * count, 0], [0, 0, 0, 6], [4.0 * count, 0, 4.0 * count, 6], [0, 6, 4.0 * count, 6]]
    for k in range(count):
        x = 4.0 * k
        walls += [[x, 2, x + 1.5, 2], [x + 2.5, 2, x + 4, 2], [x, 2, x, 6]]
        walls += box(x + 0.2, 4.5, x + 1.0, 5.8)
    return np.array(walls, float)
