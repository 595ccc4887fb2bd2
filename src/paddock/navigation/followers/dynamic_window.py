"""DynamicWindow: try the twists that the wheels can reach in a moment, take the best that can be stopped in time."""

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

POINTS_AHEAD = 50  # of the path that count


@dataclass(kw_only=True)
class DynamicWindow(Follower):
    """The dynamic window approach (Fox, Burgard and Thrun 1997), with costs of the path instead of a bearing."""

    seconds: float = 1.2  # that a twist is tried out for
    window: float = 0.25  # the wheels' speeds may change as much as they can in this time [s]
    speeds: int = 7  # forward, tried out
    turns: int = 21
    off_path: float = 0.8  # what each costs: a body's radius beside the path,
    remaining: float = 0.5  # as much of the path that remains,
    heading: float = 0.35  # a radian off its direction,
    clearance: float = 1.0  # and being as much nearer to obstacles than
    comfort: float = 1.0  # this [circumscribed radii of the body]
    blocked: float = 1.0  # what a second costs that is not free

    def weights(self, size: float) -> Floats:
        """As kernels take them, for a body of that radius [m]."""
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
    """A drive's limits as kernels take them."""
    return np.array([limits.wheel_separation, limits.max_speed, limits.max_acceleration, limits.reaction])


def spacing_of(path: Points) -> float:
    """The distance between the points of a path [m]."""
    return path_length(path) / max(1, len(path) - 1)
