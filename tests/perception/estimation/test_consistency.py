"""Tests of chi-square bands and error ellipses."""

from __future__ import annotations

import math

import numpy as np
import pytest

from paddock.core.geometry import Pose
from paddock.perception.estimation import (
    Band,
    Estimate,
    chi_square_quantile,
    consistency_band,
    ellipse_axes,
    normalised_error,
    normalised_errors,
)


@pytest.mark.parametrize(
    ("share", "freedom", "value"),
    [(0.99, 1, 6.634897), (0.99, 3, 11.344867), (0.95, 2, 5.991465), (0.025, 60, 40.481748), (0.975, 300, 349.874469)],
)
def test_chi_square_quantiles_match_tables(share: float, freedom: int, value: float) -> None:
    assert chi_square_quantile(share, freedom) == pytest.approx(value, abs=1e-5)


@pytest.mark.parametrize(
    ("runs", "low", "high"), [(1, 0.22, 9.35), (20, 2.02, 4.16), (50, 2.36, 3.72), (100, 2.54, 3.50)]
)
def test_consistency_bands_match_published_values(runs: int, low: float, high: float) -> None:
    assert consistency_band(runs) == (pytest.approx(low, abs=0.005), pytest.approx(high, abs=0.005))


def test_normalised_error_is_in_units_of_the_covariance() -> None:
    estimate = Estimate(Pose(1.0, 2.0, 3.1), np.diag([0.01, 0.04, 0.09]))
    assert normalised_error(estimate, Pose(1.1, 2.2, 3.1)) == pytest.approx(2.0)
    assert normalised_error(estimate, Pose(1.0, 2.0, -3.1)) == pytest.approx((2 * math.pi - 6.2) ** 2 / 0.09)
    assert math.isnan(normalised_error(Estimate(Pose(0, 0, 0), np.zeros((3, 3))), Pose(1, 1, 1)))
    assert len(normalised_errors([estimate] * 3, np.zeros((3, 3)))) == 3
    assert Band(1.0, 2.0).share_inside([0.5, 1.5, 1.7, 2.5]) == 0.5


def test_ellipse_axes_match_the_covariance() -> None:
    turned = math.radians(30)
    c, s = math.cos(turned), math.sin(turned)
    rotation = np.array([[c, -s], [s, c]])
    major, minor, direction = ellipse_axes(rotation @ np.diag([0.04, 0.01]) @ rotation.T, 0.95)
    assert (major, minor) == (
        pytest.approx(0.2 * math.sqrt(5.991465), rel=1e-6),
        pytest.approx(0.1 * math.sqrt(5.991465), rel=1e-6),
    )
    assert math.tan(direction) == pytest.approx(math.tan(turned))
