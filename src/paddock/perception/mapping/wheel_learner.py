"""WheelLearner: estimates the errors of a robot's wheels while it maps, from the steps between matched scans."""

from __future__ import annotations

import math

import numpy as np

from paddock.core.geometry import ORIGIN, Pose, relative
from paddock.perception.estimation.motion_model import Floats, roll_jacobians
from paddock.perception.estimation.travel import WheelTravel
from paddock.perception.mapping.motion_step import MotionStep, subtract
from paddock.perception.mapping.pose_graph import rotate_covariance, rotation

TOLERANCE = 0.01  # standard deviation of the errors of unknown wheels, relative
WAY, TURN = 0.5, 0.5  # length [m] and turn [rad] of a step, after which it is used
SURPRISE = 11.3  # chi², 3 dimensions, 99 %: a robot that is pushed or blocked teaches nothing about its wheels
LEAST_SPREAD: Floats = np.diag([0.01, 0.01, math.radians(0.2)]) ** 2  # limit of the accuracy of a matched step


class WheelLearner:
    """A Kalman filter for the relative errors of both wheel diameters and of the wheel separation.

    Worn wheels have the same error in every step, so that scans of a place with many surfaces also correct odometry
    where scans show nothing (Kümmerle et al. 2011). Directions that a scan does not constrain contribute nothing.
    """

    def __init__(self, separation: float) -> None:
        """Start without errors; `separation` is the assumed distance between the wheels [m]."""
        self.nominal, self.errors = separation, np.zeros(3)  # of the left and right diameter and of the separation
        self.covariance: Floats = np.eye(3) * TOLERANCE**2
        self.restart(ORIGIN, None)

    @property
    def separation(self) -> float:
        """Current estimate of the distance between the wheels [m]."""
        return self.nominal * (1 + float(self.errors[2]))

    def correct(self, travel: WheelTravel) -> WheelTravel:
        """Return the travel of wheels with the estimated errors."""
        left, right = (1 + self.errors[:2]).tolist()
        return travel._replace(left=travel.left * left, right=travel.right * right)

    def restart(self, pose: Pose, spread: Floats | None) -> None:
        """Begin a step at a pose by a scan; `spread` is its covariance, None if no scan determines it."""
        self._start, self._spread = pose, spread
        self._step, self._by_errors = MotionStep(), np.zeros((3, 3))  # the step by odometry, its derivatives by errors
        self._way = self._turn = 0.0

    def learn(self, step: MotionStep, left: float, right: float, pose: Pose, spread: Floats | None) -> None:
        """Extend the step by odometry and the corrected travel [m], up to a pose by a scan with its covariance."""
        if self._spread is None:
            self.restart(pose, spread)
            return
        self._extend(step, left, right)
        if max(self._way / WAY, self._turn / TURN) >= 1:
            if spread is not None:
                self._update(pose, spread + self._spread + LEAST_SPREAD)
            self.restart(pose, spread)

    def _extend(self, step: MotionStep, left: float, right: float) -> None:
        turn = (right - left) / self.separation
        _, by_travel = roll_jacobians(0.0, left, right, self.separation)
        by_errors = np.column_stack((by_travel[:, 1] * left, by_travel[:, 0] * right, -by_travel[:, 2] * turn))
        before, self._step = self._step.pose, self._step.then(step)
        lever = np.outer((before.y - self._step.pose.y, self._step.pose.x - before.x, 0.0), self._by_errors[2])
        self._by_errors = self._by_errors + lever + rotation(-before.heading) @ by_errors
        self._way, self._turn = self._way + abs(left + right) / 2, self._turn + abs(turn)

    def _update(self, pose: Pose, spread: Floats) -> None:
        noise = rotate_covariance(spread, self._start.heading) + self._step.covariance
        slopes = self._by_errors
        certainty = np.linalg.inv(slopes @ self.covariance @ slopes.T + noise)
        difference = subtract(relative(self._start, pose), self._step.pose)
        if difference @ certainty @ difference > SURPRISE:
            return
        gain = self.covariance @ slopes.T @ certainty
        self.errors = self.errors + gain @ difference
        self.covariance = (np.eye(3) - gain @ slopes) @ self.covariance
