"""Tests of the removal of mixed pixels: ranges between two surfaces."""

from __future__ import annotations

import math

import numpy as np

from paddock.perception.mapping.mapper import drop_mixed_pixels
from paddock.perception.mapping.scan import Scan


def look(*ranges: float) -> list[float]:
    angles = np.radians(np.arange(len(ranges), dtype=float))
    return drop_mixed_pixels(Scan(0.0, angles, np.array(ranges), 8.0)).ranges.tolist()


def test_range_between_two_surfaces_is_removed() -> None:
    ranges = look(1.0, 1.0, 2.2, 4.0, 4.0)
    assert math.isnan(ranges[2])
    assert ranges[:2] + ranges[3:] == [1.0, 1.0, 4.0, 4.0]


def test_noisy_wall_corner_and_thin_leg_are_kept() -> None:
    for ranges in ([1.0, 1.02, 0.99, 1.01, 1.0], [1.0, 1.0, 3.0, 3.0, 3.0], [4.0, 4.0, 1.0, 4.0, 4.0]):
        assert look(*ranges) == ranges


def test_ranges_beside_no_hits_are_kept() -> None:
    assert look(1.0, 3.0, math.inf, 3.0, math.inf) == [1.0, 3.0, math.inf, 3.0, math.inf]
