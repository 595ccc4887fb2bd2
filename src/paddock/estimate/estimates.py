"""What every estimator gives (Estimate), how it is asked (Localiser), and a pose seen from outside (PoseFix)."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

import numpy as np

from paddock.core.errors import PaddockError
from paddock.core.geometry import Pose
from paddock.core.numeric import all_finite
from paddock.core.observation import Observation
from paddock.estimate.motion_model import Floats


class Estimate(NamedTuple):
    """Where a robot takes itself to be, and how sure it is."""

    pose: Pose
    covariance: Floats  # of x, y [m] and heading [rad], shape (3, 3)
    particles: Floats | None = None  # x, y [m], heading [rad], weight; shape (n, 4)


class Localiser(Protocol):
    """An estimator. Controllers keep it, update it with every observation, and drive by what it answers."""

    @property
    def estimate(self) -> Estimate:
        """The present estimate."""

    def update(self, observation: Observation, time: float) -> Estimate:
        """Take a look at all sensors, at a time [s] that never goes back."""

    def reset(self, pose: Pose, covariance: Floats | None = None) -> None:
        """Begin anew at a pose; None: as sure of it as at the very beginning."""


@dataclass(frozen=True)
class PoseFix:
    """A robot's pose as somebody saw it from outside, such as a camera above: it may arrive late.

    A heading of NaN means that only the place was seen; then the covariance's last row and column do not count.
    """

    time_of_exposure: float  # [s] by the robot's clock
    x: float  # [m]
    y: float
    heading: float  # [rad]; NaN: not seen
    covariance: Floats = field(repr=False)  # of x, y [m] and heading [rad], shape (3, 3)

    def __post_init__(self) -> None:
        if not all_finite(self.time_of_exposure, self.x, self.y, self.heading if self.has_heading else 0.0):
            raise PaddockError(f"PoseFix: expected finite numbers, and a heading that is finite or NaN, got {self!r}")
        object.__setattr__(self, "covariance", check_covariance("PoseFix", self.covariance))

    @property
    def has_heading(self) -> bool:
        """Whether more than the place was seen."""
        return not (isinstance(self.heading, float) and math.isnan(self.heading))

    @property
    def pose(self) -> Pose:
        """Where the robot was."""
        return Pose(self.x, self.y, self.heading)


class EllipseAxes(NamedTuple):
    """An error ellipse's half axes [m], the longer one first, and the direction of that [rad]."""

    major: float
    minor: float
    direction: float


def ellipse_axes(covariance: Floats, share: float = 0.95) -> EllipseAxes:
    """The ellipse that holds the position with a probability, by a pose's or a position's covariance.

    Args:
        covariance: of x, y [m] first, shape (2, 2) or larger.
        share: the probability, 0 … 1.
    """
    if not 0 < share < 1:
        raise PaddockError(f"ellipse_axes: share: expected a probability between 0 and 1, got {share!r}")
    values, vectors = np.linalg.eigh(np.asarray(covariance, float)[:2, :2])
    reach = -2 * math.log(1 - share)  # the quantile of χ² with two degrees of freedom
    minor, major = (math.sqrt(max(0.0, value) * reach) for value in values)
    return EllipseAxes(major, minor, math.atan2(vectors[1, 1], vectors[0, 1]))


def check_covariance(what: str, covariance: object) -> Floats:
    """A covariance of a pose, or a PaddockError."""
    matrix = np.array(covariance, float)
    if matrix.shape != (3, 3) or not np.isfinite(matrix).all():
        raise PaddockError(f"{what}: covariance: expected 3 × 3 finite numbers, got shape {matrix.shape}")
    if not np.allclose(matrix, matrix.T, atol=1e-12) or np.linalg.eigvalsh(matrix)[0] < -1e-12:
        raise PaddockError(f"{what}: covariance: expected a symmetric matrix without negative variances")
    return matrix
