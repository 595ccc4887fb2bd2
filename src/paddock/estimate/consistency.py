"""Consistency: are an estimator's errors as large as it says? NEES and NIS, and the bands where they should lie."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from paddock.core.errors import PaddockError
from paddock.core.geometry import Pose, wrap
from paddock.estimate.chi_square import chi_square_quantile
from paddock.estimate.estimates import Estimate
from paddock.estimate.motion_model import Floats


class Innovation(NamedTuple):
    """How surprising a measurement was: its squared Mahalanobis distance from what was expected."""

    time: float  # of the measurement [s]
    source: str
    nis: float
    freedom: int
    accepted: bool  # False: gated out as an outlier


class Band(NamedTuple):
    """Where a figure should lie."""

    low: float
    high: float

    def share_inside(self, values: ArrayLike) -> float:
        """The share of values inside, 0 … 1; NaN without any."""
        array = np.asarray(values, float)
        return float(((array >= self.low) & (array <= self.high)).mean()) if array.size else float("nan")


def normalised_error(estimate: Estimate, true: Pose) -> float:
    """NEES: the squared error of a pose in units of its own covariance; 3 on average, if that is honest.

    NaN of an estimate that claims to know something exactly: no error can be measured in units of nothing.
    """
    error = np.array(
        [estimate.pose.x - true[0], estimate.pose.y - true[1], wrap(estimate.pose.heading - true[2])], float
    )
    if np.linalg.eigvalsh(estimate.covariance)[0] <= 0:
        return float("nan")
    return float(error @ np.linalg.solve(estimate.covariance, error))


def normalised_errors(estimates: Sequence[Estimate], truth: Sequence[Pose] | Floats) -> Floats:
    """NEES of each estimate against the true poses of the same moments, shape (n)."""
    if len(estimates) != len(truth):
        raise PaddockError(f"normalised_errors: {len(estimates)} estimates, but {len(truth)} true poses")
    return np.array([normalised_error(e, Pose(*map(float, t))) for e, t in zip(estimates, truth, strict=True)])


def consistency_band(runs: int = 1, freedom: int = 3, share: float = 0.95) -> Band:
    """Where the mean over so many runs of NEES, or of NIS with that many degrees of freedom, lies this often."""
    if runs < 1:
        raise PaddockError(f"consistency_band: runs: expected at least 1, got {runs!r}")
    rest = (1 - share) / 2
    low, high = (chi_square_quantile(part, freedom * runs) / runs for part in (rest, 1 - rest))
    return Band(low, high)


def innovation_share(innovations: Sequence[Innovation], share: float = 0.95) -> float:
    """The share of innovations whose NIS lies in the band of its own degrees of freedom; outliers do not count."""
    kept = [step for step in innovations if step.accepted]
    inside = [consistency_band(1, step.freedom, share).share_inside([step.nis]) for step in kept]
    return float(np.mean(inside)) if inside else float("nan")
