"""Ranges between two surfaces, where nothing is."""

from __future__ import annotations

import math

import numpy as np

from paddock.mapping.mixed_pixels import drop_mixed_pixels
from paddock.mapping.scan import Scan


def look(*ranges: float) -> list[float]:
    angles = np.radians(np.arange(len(ranges), dtype=float))
    return drop_mixed_pixels(Scan(0.0, angles, np.array(ranges), 8.0)).ranges.tolist()


def test_a_range_between_two_surfaces_is_left_out() -> None:
    ranges = look(1.0, 1.0, 2.2, 4.0, 4.0)
    assert math.isnan(ranges[2])
    assert ranges[:2] + ranges[3:] == [1.0, 1.0, 4.0, 4.0]


def test_a_wall_with_noise_a_corner_and_a_thin_leg_stay() -> None:
    for ranges in ([1.0, 1.02, 0.99, 1.01, 1.0], [1.0, 1.0, 3.0, 3.0, 3.0], [4.0, 4.0, 1.0, 4.0, 4.0]):
        assert look(*ranges) == ranges


def test_what_is_beside_nothing_stays() -> None:
    assert look(1.0, 3.0, math.inf, 3.0, math.inf) == [1.0, 3.0, math.inf, 3.0, math.inf]
