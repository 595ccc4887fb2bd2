"""The simplest planner: straight on while there is room, else a turn to the freer side."""

from __future__ import annotations

from typing import Any

import numpy as np

from paddock.core.observation import Observation, WheelSpeeds
from paddock.modules.readings import PointReader
from paddock.robots import RobotSpec


class WanderingPlanner:
    """Needs range sensors only.

    Args:
        spec: the robot.
        speed: straight on [m/s].
        room: ahead of the robot's centre that must be free [m].
    """

    def __init__(self, spec: RobotSpec, *, speed: float = 0.3, room: float = 0.8) -> None:
        self.reader, self.speed, self.room = PointReader(spec), speed, room
        self.turning = 0.0

    def act(self, observation: Observation) -> WheelSpeeds:
        """Wheel speeds [m/s]."""
        x, y = self.reader.read(observation).T
        if not ((x > 0) & (x < self.room) & (np.abs(y) < self.room / 2)).any():
            self.turning = 0.0
            return WheelSpeeds(self.speed, self.speed)
        if not self.turning:
            left, right = (np.minimum(np.hypot(x[side], y[side]), 5.0).sum() for side in (y > 0, y <= 0))
            self.turning = 1.0 if left >= right else -1.0
        rim = self.turning * self.speed / 2
        return WheelSpeeds(-rim, rim)


def make_wandering(spec: RobotSpec, feed: list[Any], **options: Any) -> WanderingPlanner:
    """A planner that needs no map."""
    return WanderingPlanner(spec, **options)
