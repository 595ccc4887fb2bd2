"""Consistency of estimators: NEES and NIS, and the bands in which they lie for a consistent filter."""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from paddock.core.argument_checks import all_finite
from paddock.core.errors import PaddockError
from paddock.core.geometry import Pose, wrap
from paddock.perception.estimation.estimates import Estimate
from paddock.perception.estimation.odometry import Floats

PRECISION = 1e-14
MAX_TERMS = 10_000


def chi_square_share(value: float, freedom: int) -> float:
    """Return the probability of less than `value`, with `freedom` degrees of freedom."""
    return _gamma_share(freedom / 2, value / 2) if value / 2 > 0 else 0.0


@functools.cache
def chi_square_quantile(share: float, freedom: int) -> float:
    """Return the value below which a share 0 … 1 of the distribution lies."""
    if not (all_finite(share) and 0 < share < 1):
        raise PaddockError(f"chi_square_quantile: share: expected a probability between 0 and 1, got {share!r}")
    if freedom < 1:
        raise PaddockError(f"chi_square_quantile: freedom: expected at least 1 degree of freedom, got {freedom!r}")
    low, high = 0.0, 2.0 * freedom
    while chi_square_share(high, freedom) < share:
        low, high = high, 2 * high
    while high - low > 1e-12 * high and low < (middle := (low + high) / 2) < high:
        low, high = (middle, high) if chi_square_share(middle, freedom) < share else (low, middle)
    return (low + high) / 2


def _gamma_share(shape: float, x: float) -> float:
    """Return the regularised lower incomplete gamma function, by its series or a continued fraction."""
    scale = math.exp(shape * math.log(x) - x - math.lgamma(shape))
    if x < shape + 1:
        term = total = 1 / shape
        for n in range(1, MAX_TERMS):
            term *= x / (shape + n)
            total += term
            if term < PRECISION * total:
                break
        return scale * total
    b, tiny = x + 1 - shape, 1e-300  # modified Lentz's method
    c, d = 1 / tiny, 1 / b
    fraction = d
    for n in range(1, MAX_TERMS):
        a = -n * (n - shape)
        b += 2
        d = 1 / (a * d + b or tiny)
        c = b + a / c or tiny
        fraction *= c * d
        if abs(c * d - 1) < PRECISION:
            break
    return 1 - scale * fraction


class Innovation(NamedTuple):
    """Innovation of a measurement: its squared Mahalanobis distance from the expected value (NIS)."""

    time: float  # of the measurement [s]
    source: str
    nis: float
    freedom: int
    accepted: bool  # False: rejected as an outlier


class Band(NamedTuple):
    """Interval in which a metric should lie."""

    low: float
    high: float

    def share_inside(self, values: ArrayLike) -> float:
        """Return the share of values inside, 0 … 1; NaN without values."""
        array = np.asarray(values, float)
        return float(((array >= self.low) & (array <= self.high)).mean()) if array.size else float("nan")


def normalised_error(estimate: Estimate, true: Pose) -> float:
    """Return the NEES: the squared error of a pose in units of its covariance; 3 on average for a consistent filter.

    The result is NaN if the covariance is not positive definite.
    """
    error = np.array(
        [estimate.pose.x - true[0], estimate.pose.y - true[1], wrap(estimate.pose.heading - true[2])], float
    )
    if np.linalg.eigvalsh(estimate.covariance)[0] <= 0:
        return float("nan")
    return float(error @ np.linalg.solve(estimate.covariance, error))


def normalised_errors(estimates: Sequence[Estimate], truth: Sequence[Pose] | Floats) -> Floats:
    """Return the NEES of each estimate compared with the true poses at the same times, shape (n)."""
    if len(estimates) != len(truth):
        raise PaddockError(f"normalised_errors: {len(estimates)} estimates, but {len(truth)} true poses")
    return np.array([normalised_error(e, Pose(*map(float, t))) for e, t in zip(estimates, truth, strict=True)])


def consistency_band(runs: int = 1, freedom: int = 3, share: float = 0.95) -> Band:
    """Return the band that contains the mean NEES, or NIS with `freedom` degrees, of `runs` runs with a probability."""
    if runs < 1:
        raise PaddockError(f"consistency_band: runs: expected at least 1, got {runs!r}")
    rest = (1 - share) / 2
    low, high = (chi_square_quantile(part, freedom * runs) / runs for part in (rest, 1 - rest))
    return Band(low, high)


def innovation_share(innovations: Sequence[Innovation], share: float = 0.95) -> float:
    """Return the share of accepted innovations whose NIS lies in the band of its degrees of freedom."""
    kept = [step for step in innovations if step.accepted]
    inside = [consistency_band(1, step.freedom, share).share_inside([step.nis]) for step in kept]
    return float(np.mean(inside)) if inside else float("nan")
