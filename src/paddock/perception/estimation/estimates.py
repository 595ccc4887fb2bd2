"""Estimate: the result of estimators; Localiser: their interface; PoseFix: a pose measured from outside."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

import numpy as np

from paddock.core.argument_checks import all_finite
from paddock.core.errors import PaddockError, format_value
from paddock.core.geometry import Pose
from paddock.core.observation import Observation
from paddock.perception.estimation.odometry import Floats


class Estimate(NamedTuple):
    """Estimated pose of a robot, with its covariance."""

    pose: Pose
    covariance: Floats  # of x, y [m] and heading [rad], shape (3, 3)
    particles: Floats | None = None  # x, y [m], heading [rad], weight; shape (n, 4)


class Localiser(Protocol):
    """Interface of pose estimators. A controller updates it with every observation and uses its estimate."""

    @property
    def estimate(self) -> Estimate:
        """Current estimate."""

    def update(self, observation: Observation, time: float) -> Estimate:
        """Process an observation at a time [s] that never decreases."""

    def reset(self, pose: Pose, covariance: Floats | None = None) -> None:
        """Restart at a pose; without a covariance, use that of the first start."""


@dataclass(frozen=True)
class PoseFix:
    """A robot's pose measured from outside, for example by an overhead camera. It may arrive late.

    A heading of NaN means that only the position was measured. The last row and column of the covariance are then
    ignored.
    """

    time_of_exposure: float  # [s] by the robot's clock
    x: float  # [m]
    y: float
    heading: float  # [rad]; NaN: not measured
    covariance: Floats = field(repr=False)  # of x, y [m] and heading [rad], shape (3, 3)

    def __post_init__(self) -> None:
        if not all_finite(self.time_of_exposure, self.x, self.y, self.heading if self.has_heading else 0.0):
            raise PaddockError(f"PoseFix: expected finite numbers, and a heading that is finite or NaN, got {self!r}")
        object.__setattr__(self, "covariance", check_covariance("PoseFix", self.covariance))
        known = 3 if self.has_heading else 2
        if not self.covariance[:known, :known].any():
            raise PaddockError("PoseFix: covariance: expected variances > 0: no measurement is exact")

    @property
    def has_heading(self) -> bool:
        """Whether the heading was measured."""
        return not (isinstance(self.heading, float) and math.isnan(self.heading))

    @property
    def pose(self) -> Pose:
        """Measured pose of the robot."""
        return Pose(self.x, self.y, self.heading)


class EllipseAxes(NamedTuple):
    """Semi-axes of an error ellipse [m], the longer one first, and the direction of the longer one [rad]."""

    major: float
    minor: float
    direction: float


def ellipse_axes(covariance: Floats, share: float = 0.95) -> EllipseAxes:
    """Return the ellipse that contains the position with a probability, from a covariance.

    Args:
        covariance: of a pose or position, x and y [m] first, shape (2, 2) or larger.
        share: the probability, 0 … 1.
    """
    if not 0 < share < 1:
        raise PaddockError(f"ellipse_axes: share: expected a probability between 0 and 1, got {share!r}")
    if np.ndim(covariance) != 2 or min(np.shape(covariance)) < 2:
        raise PaddockError(f"ellipse_axes: covariance: expected shape (2, 2) or larger, got {_describe(covariance)}")
    values, vectors = np.linalg.eigh(np.asarray(covariance, float)[:2, :2])
    reach = -2 * math.log(1 - share)  # the quantile of χ² with two degrees of freedom
    minor, major = (math.sqrt(max(0.0, value) * reach) for value in values)
    return EllipseAxes(major, minor, math.atan2(vectors[1, 1], vectors[0, 1]))


def check_covariance(what: str, covariance: object) -> Floats:
    """Return a valid covariance of a pose, or raise a PaddockError."""
    try:
        matrix = np.array(covariance, float)
    except (TypeError, ValueError):  # words, or rows of different lengths
        matrix = np.empty(0)
    if matrix.shape != (3, 3) or not np.isfinite(matrix).all():
        raise PaddockError(f"{what}: covariance: expected 3 × 3 finite numbers, got {_describe(covariance)}")
    if not np.allclose(matrix, matrix.T, atol=1e-12) or np.linalg.eigvalsh(matrix)[0] < -1e-12:
        raise PaddockError(f"{what}: covariance: expected a symmetric matrix without negative variances")
    return matrix


def check_memory(what: str, memory: float) -> None:
    """Raise a PaddockError if the maximum delay of a measurement [s] is not valid."""
    if not (all_finite(memory) and memory >= 0):
        raise PaddockError(f"{what}: memory: expected seconds >= 0, got {memory!r}")


def _describe(covariance: object) -> str:
    return f"shape {covariance.shape}" if isinstance(covariance, np.ndarray) else format_value(covariance)
