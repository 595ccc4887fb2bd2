"""Confidence intervals, compared with those of an independent library."""

from __future__ import annotations

import math
from typing import Any

import pytest
import scipy  # its parts are loaded when they are first named
from hypothesis import given
from hypothesis import strategies as st

from paddock.core.errors import PaddockError
from paddock.experiments.sweeps import estimate_mean, estimate_share
from paddock.experiments.sweeps.intervals import student_quantile


@pytest.mark.parametrize("confidence", [0.8, 0.95, 0.999])
@pytest.mark.parametrize("freedom", [1, 2, 3, 4, 9, 30, 101, 400])
def test_student_quantiles_match_scipy(confidence: float, freedom: int) -> None:
    assert student_quantile(confidence, freedom) == pytest.approx(
        scipy.stats.t.ppf((1 + confidence) / 2, freedom), rel=1e-9
    )


def test_quantile_with_many_degrees_of_freedom_is_nearly_normal() -> None:
    assert student_quantile(0.95, 401) == pytest.approx(scipy.stats.t.ppf(0.975, 401), rel=0.005)


@given(st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=30))
def test_interval_of_mean_matches_scipy(values: list[float]) -> None:
    found = estimate_mean([*values, math.nan])
    assert found.runs == len(values)
    error = scipy.stats.sem(values)
    low, high = (
        (found.mean, found.mean) if error == 0 else scipy.stats.t.interval(0.95, len(values) - 1, found.mean, error)
    )
    assert (found.low, found.high) == pytest.approx((low, high), rel=1e-6, abs=1e-6)


@given(st.integers(1, 200).flatmap(lambda count: st.tuples(st.integers(0, count), st.just(count))))
def test_interval_of_share_matches_scipy(hits: tuple[int, int]) -> None:
    found = estimate_share(*hits)
    wanted = scipy.stats.binomtest(*hits).proportion_ci(0.95, method="wilson")
    assert (found.low, found.high) == pytest.approx((wanted.low, wanted.high), abs=1e-9)


def test_too_few_values_have_no_interval() -> None:
    assert math.isnan(estimate_mean([]).mean)
    assert estimate_mean([3.0])[0] == 3.0
    assert math.isnan(estimate_mean([3.0]).low)


@pytest.mark.parametrize("call", [
    lambda: estimate_mean([1.0, 2.0], confidence=2), lambda: estimate_mean([1.0, 2.0], confidence=0),
    lambda: estimate_share(4, 3), lambda: estimate_share(-1, 3), lambda: estimate_share(1, 3, confidence=1),
])  # fmt: skip
def test_invalid_share_is_refused(call: Any) -> None:
    with pytest.raises(PaddockError, match=r"expected a (share between 0 and 1|number from 0 to 3), got"):
        call()
