"""The two steps of an extended Kalman filter of a pose: prediction by motion, correction by a measurement."""

from __future__ import annotations

import numpy as np

from paddock.core.geometry import Pose, wrap
from paddock.perception.estimation.motion_model import Floats, roll, roll_jacobians
from paddock.perception.estimation.travel import WheelTravel


def predict(pose: Pose, covariance: Floats, travel: WheelTravel, separation: float) -> tuple[Pose, Floats]:
    """Return pose and covariance, shape (3, 3), after the travel of wheels with a separation [m]."""
    left, right, noise = travel
    by_pose, by_travel = roll_jacobians(pose.heading, left, right, separation)
    moved: Floats = by_pose @ covariance @ by_pose.T + by_travel @ noise @ by_travel.T
    return roll(pose, left, right, separation), moved


def correct(pose: Pose, covariance: Floats, off: Floats, slopes: Floats, noise: Floats) -> tuple[Pose, Floats]:
    """Return pose and covariance after a measurement; the Joseph form keeps the covariance symmetric and positive.

    Args:
        pose: pose before the measurement.
        covariance: covariance before the measurement, shape (3, 3).
        off: measured minus expected values, shape (k).
        slopes: derivatives of the expected values by the pose, shape (k, 3).
        noise: covariance of the measurement, shape (k, k).
    """
    gain = covariance @ slopes.T @ np.linalg.inv(slopes @ covariance @ slopes.T + noise)
    x, y, heading = (np.array(pose) + gain @ off).tolist()
    keep = np.eye(3) - gain @ slopes
    return Pose(x, y, wrap(heading)), keep @ covariance @ keep.T + gain @ noise @ gain.T


def squared_distance(off: Floats, spread: Floats) -> float:
    """Return the squared Mahalanobis distance."""
    return float(off @ np.linalg.solve(spread, off))
