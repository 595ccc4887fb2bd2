"""The two steps of an extended Kalman filter of a pose: what motion does to it, and what a measurement does."""

from __future__ import annotations

import numpy as np

from paddock.core.geometry import Pose, wrap
from paddock.estimate.motion_model import Floats, roll, roll_jacobians
from paddock.estimate.travel import WheelTravel


def predict(pose: Pose, covariance: Floats, travel: WheelTravel, separation: float) -> tuple[Pose, Floats]:
    """A pose and its covariance, shape (3, 3), after the wheels have rolled; they are so far apart [m]."""
    left, right, noise = travel
    by_pose, by_travel = roll_jacobians(pose.heading, left, right, separation)
    moved: Floats = by_pose @ covariance @ by_pose.T + by_travel @ noise @ by_travel.T
    return roll(pose, left, right, separation), moved


def correct(pose: Pose, covariance: Floats, off: Floats, slopes: Floats, noise: Floats) -> tuple[Pose, Floats]:
    """The same after a measurement; the covariance in Joseph's form, which stays symmetric and positive.

    Args:
        pose: before.
        covariance: before, shape (3, 3).
        off: what was measured less what was expected, shape (k).
        slopes: derivatives of what is expected by the pose, shape (k, 3).
        noise: covariance of the measurement, shape (k, k).
    """
    gain = covariance @ slopes.T @ np.linalg.inv(slopes @ covariance @ slopes.T + noise)
    x, y, heading = (np.array(pose) + gain @ off).tolist()
    keep = np.eye(3) - gain @ slopes
    return Pose(x, y, wrap(heading)), keep @ covariance @ keep.T + gain @ noise @ gain.T


def squared_distance(off: Floats, spread: Floats) -> float:
    """Mahalanobis' distance, squared."""
    return float(off @ np.linalg.solve(spread, off))
