"""DynamicWindow: the best of the twists reachable within a short time from which the robot can stop in time."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from paddock.control.navigation.costmap import CostMap
from paddock.control.navigation.drive_limits import STILL, Twist
from paddock.control.navigation.followers.path_follower import (
    POINTS_AHEAD,
    PredictingFollower,
    drive_numbers,
    spacing_of,
)
from paddock.control.navigation.kernels.rollouts import choose_twist
from paddock.core.geometry import Pose
from paddock.perception.mapping.frame import Points
from paddock.perception.mapping.scan import Floats


@dataclass(kw_only=True)
class DynamicWindow(PredictingFollower):
    """The dynamic window approach (Fox, Burgard and Thrun 1997), with costs of the path instead of a bearing."""

    seconds: float = 1.2  # prediction horizon of a twist [s]
    window: float = 0.25  # time in which the wheel speeds may change [s]
    speeds: int = 7  # number of forward speeds tried
    turns: int = 21  # number of turn rates tried
    blocked: float = 1.0  # cost of a second of the horizon that is not free

    def weights(self, size: float) -> Floats:
        return np.array([*super().weights(size)[:-1], self.blocked])

    def decide(self, pose: Pose, now: Twist, path: Points, local: CostMap) -> Twist:
        limits = self.limits
        near = path[:POINTS_AHEAD]
        change = limits.max_acceleration * self.window
        turn = 2 * change / limits.wheel_separation
        window = np.array(
            [
                max(0.0, now.linear - change),
                min(limits.speed, max(0.0, now.linear + change)),
                max(-limits.turn_rate, now.angular - turn),
                min(limits.turn_rate, now.angular + turn),
            ]
        )
        weights = self.weights(local.footprint.circumscribed)
        counts, best = np.array([self.speeds, self.turns]), np.zeros(2)
        found = choose_twist(
            *local.tables, np.array(pose), window, counts, drive_numbers(limits), near, spacing_of(near), self.seconds,
            weights, best,
        )  # fmt: skip
        return Twist(*best.tolist()) if found else STILL
