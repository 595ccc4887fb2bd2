"""OdometryModel: uncertainty of the odometry of a log, which logs do not contain."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from paddock.core.geometry import Pose, relative
from paddock.perception.mapping.logs.scan_log import ScanLog
from paddock.perception.mapping.motion_step import MotionStep


@dataclass(frozen=True, kw_only=True)
class OdometryModel:
    """Standard deviations of a step: a constant plus shares of its distance and turn."""

    distance: float = 0.01  # [m]
    distance_share: float = 0.06
    angle: float = math.radians(0.3)
    angle_share: float = 0.1
    angle_per_metre: float = math.radians(1.0)

    def step(self, start: Pose, end: Pose) -> MotionStep:
        """Return the step between two poses by odometry, with its covariance."""
        step = relative(start, end)
        way = math.hypot(step.x, step.y)
        across = self.distance + self.distance_share * way
        turn = self.angle + self.angle_share * abs(step.heading) + self.angle_per_metre * way
        return MotionStep(step, np.diag([across, across, turn]) ** 2)

    def steps(self, log: ScanLog) -> Iterator[MotionStep]:
        """Yield the steps to each scan of a log; the first step is empty."""
        previous = log.odometry[0]
        for pose in log.odometry:
            yield self.step(previous, pose) if pose is not previous else MotionStep()
            previous = pose
