"""AlternativePose: alternative pose of a robot, based on the fixes that a filter rejects, with a majority vote."""

from __future__ import annotations

import numpy as np

from paddock.core.geometry import ORIGIN, Pose, wrap
from paddock.perception.estimation.chi_square import chi_square_quantile
from paddock.perception.estimation.kalman import correct, predict, squared_distance
from paddock.perception.estimation.motion_model import Floats
from paddock.perception.estimation.travel import WheelTravel


class AlternativePose:
    """Alternative pose that moves with the robot's wheels. A fix that agrees refines it and votes for it.

    Any other fix votes against it. Without votes, the next fix replaces it (the majority vote of Boyer and Moore 1981).
    Outliers, which differ from each other, therefore never win. Fixes of a kidnapped robot win, even if some are
    outliers.
    """

    def __init__(self, time: float) -> None:
        self.time, self.votes = time, 0
        self.pose, self.covariance = ORIGIN, np.zeros((3, 3))

    def move(self, time: float, travel: WheelTravel, separation: float) -> None:
        """Move the pose to a time by the travel of the wheels."""
        self.time = time
        self.pose, self.covariance = predict(self.pose, self.covariance, travel, separation)

    def add_fix(self, fix: Floats, covariance: Floats, gate: float) -> None:
        """Count a fix of the current time: x, y [m], heading [rad]."""
        if not self.votes:
            self.pose, self.covariance, self.votes = Pose(*fix.tolist()), covariance.copy(), 1
            return
        off = fix - np.array(self.pose)
        off[2] = wrap(float(off[2]))
        if squared_distance(off, self.covariance + covariance) < chi_square_quantile(gate, 3):
            self.pose, self.covariance = correct(self.pose, self.covariance, off, np.eye(3), covariance)
            self.votes += 1
        else:
            self.votes -= 1
