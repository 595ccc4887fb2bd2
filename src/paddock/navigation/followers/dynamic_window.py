"""DynamicWindow: the best of the twists reachable within a short time from which the robot can stop in time."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from paddock.core.geometry import Pose
from paddock.mapping.frame import Points
from paddock.navigation.costmap import CostMap
from paddock.navigation.drive_limits import STILL, DriveLimits, Twist
from paddock.navigation.followers.base import Follower
from paddock.navigation.grid_search import Floats
from paddock.navigation.kernels.rollouts import choose_twist
from paddock.navigation.paths import path_length

POINTS_AHEAD = 50  # of the path that are used


@dataclass(kw_only=True)
class DynamicWindow(Follower):
    """The dynamic window approach (Fox, Burgard and Thrun 1997), with costs of the path instead of a bearing."""

    seconds: float = 1.2  # prediction horizon of a twist [s]
    window: float = 0.25  # time in which the wheel speeds may change [s]
    speeds: int = 7  # number of forward speeds tried
    turns: int = 21  # number of turn rates tried
    off_path: float = 0.8  # cost of a distance from the path of one circumscribed radius
    remaining: float = 0.5  # cost of a remaining path length of one circumscribed radius
    heading: float = 0.35  # cost of a heading error of one radian
    clearance: float = 1.0  # cost of being one circumscribed radius nearer to obstacles than `comfort`
    comfort: float = 1.0  # preferred distance from obstacles [circumscribed radii of the body]
    blocked: float = 1.0  # cost of a second of the horizon that is not free

    def weights(self, size: float) -> Floats:
        """Return the weights for kernels, for a body of that radius [m]."""
        per_metre = [self.off_path / size, self.remaining / size, self.heading, self.clearance / size]
        return np.array([*per_metre, self.comfort * size, self.blocked])

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


def drive_numbers(limits: DriveLimits) -> Floats:
    """Return a drive's limits for kernels."""
    return np.array([limits.wheel_separation, limits.max_speed, limits.max_acceleration, limits.reaction])


def spacing_of(path: Points) -> float:
    """Return the distance between the points of a path [m]."""
    return path_length(path) / max(1, len(path) - 1)
