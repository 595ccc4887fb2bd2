"""Consistency of estimators: NEES and NIS, and the bands in which they lie for a consistent filter."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from paddock.core.errors import PaddockError
from paddock.core.geometry import Pose, wrap
from paddock.perception.estimation.chi_square import chi_square_quantile
from paddock.perception.estimation.estimates import Estimate
from paddock.perception.estimation.motion_model import Floats


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
