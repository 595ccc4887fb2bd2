"""MotionStep: motion of a robot between two scans, with its covariance."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from paddock.core.geometry import ORIGIN, Pose, compose, wrap
from paddock.perception.estimation.motion_model import Floats, roll, roll_jacobians
from paddock.perception.estimation.travel import WheelTravel

NO_SPREAD: Floats = np.zeros((3, 3))


class MotionStep(NamedTuple):
    """A pose in the frame of an earlier one."""

    pose: Pose = ORIGIN
    covariance: Floats = NO_SPREAD  # in that frame [m, m, rad], shape (3, 3)

    def roll(self, travel: WheelTravel, separation: float) -> MotionStep:
        """Return the step extended by the travel of both wheels [m]."""
        left, right, noise = travel
        by_pose, by_travel = roll_jacobians(self.pose.heading, left, right, separation)
        spread = by_pose @ self.covariance @ by_pose.T + by_travel @ noise @ by_travel.T
        return MotionStep(roll(self.pose, left, right, separation), spread)

    def after(self, start: Pose, covariance: Floats) -> tuple[Pose, Floats]:
        """Return the end pose and its covariance, from a start pose and its covariance."""
        end = compose(start, self.pose)
        c, s = math.cos(start.heading), math.sin(start.heading)
        by_start = np.array([[1.0, 0.0, start.y - end.y], [0.0, 1.0, end.x - start.x], [0.0, 0.0, 1.0]])
        by_step = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
        return end, by_start @ covariance @ by_start.T + by_step @ self.covariance @ by_step.T

    def then(self, further: MotionStep) -> MotionStep:
        """Return this step followed by a further one."""
        return MotionStep(*further.after(self.pose, self.covariance))


def subtract(pose: Pose, other: Pose) -> Floats:
    """Return the difference of two poses in one frame: x, y [m] and heading [rad], within half a turn."""
    return np.array([pose.x - other.x, pose.y - other.y, wrap(pose.heading - other.heading)])


def fuse(guess: Pose, covariance: Floats, seen: Pose, seen_covariance: Floats, doubt: Floats) -> tuple[Pose, Floats]:
    """Return the pose by a scan, or by odometry in unconstrained directions, and its covariance.

    Args:
        guess: the pose by odometry.
        covariance: its covariance.
        seen: the pose by the scan.
        seen_covariance: its covariance.
        doubt: covariance of the guess in the weights of both. It is larger than that of odometry, because odometry with
            a scale error has the same error in every step.
    """
    gain = doubt @ np.linalg.inv(doubt + seen_covariance)
    x, y, heading = (np.array(guess) + gain @ subtract(seen, guess)).tolist()
    keep = np.eye(3) - gain
    return Pose(x, y, wrap(heading)), keep @ covariance @ keep.T + gain @ seen_covariance @ gain.T
