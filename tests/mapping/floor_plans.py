"""Walls to look at, and what a laser of 180 beams sees of them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from paddock.core.geometry import Pose
from paddock.estimate.range_kernels import expected_ranges
from paddock.mapping import Scan

Floats = NDArray[np.float64]
ROOM = np.array([[0, 0, 8, 0], [8, 0, 8, 6], [8, 6, 0, 6], [0, 6, 0, 0], [3, 0, 3, 2], [5, 6, 5, 4.5]], float)
CORRIDOR = np.array([[-100, 0, 100, 0], [-100, 2, 100, 2]], float)
ANGLES = np.linspace(-np.pi / 2, np.pi / 2, 180)


def see(walls: Floats, pose: Pose, seed: int = 0, time: float = 0.0, reach: float = 20.0, noise: float = 0.01) -> Scan:
    """A scan with noise [m]."""
    ranges = np.empty((1, len(ANGLES)))
    beams = np.column_stack((np.zeros((len(ANGLES), 2)), ANGLES))
    expected_ranges(np.array([pose]), beams, walls, 0.0, reach, ranges)
    noisy = ranges[0] + np.random.default_rng(seed).normal(0.0, noise, len(ANGLES))
    return Scan(time, ANGLES, np.where(ranges[0] < reach, noisy, np.inf), reach)
