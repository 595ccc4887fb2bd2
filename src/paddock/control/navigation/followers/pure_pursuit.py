"""PurePursuit: drives on an arc towards a point ahead on the path; slower in curves, near obstacles and at the end."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from paddock.control.navigation.costmap import CostMap
from paddock.control.navigation.drive_limits import Twist
from paddock.control.navigation.followers.path_follower import Follower
from paddock.control.navigation.paths import path_length
from paddock.core.geometry import Pose, wrap
from paddock.perception.mapping.frame import Points


@dataclass(kw_only=True)
class PurePursuit(Follower):
    """Regulated pure pursuit (Macenski and others 2023, after Coulter 1992)."""

    seconds_ahead: float = 0.8  # look-ahead time of the target point [s]
    nearest: float = 1.0  # minimum look-ahead distance [circumscribed radii of the body]
    farthest: float = 3.0  # maximum look-ahead distance [circumscribed radii of the body]
    sharpest: float = 0.9  # bearing of the target point above which the robot turns on the spot [rad]
    slow_radius: float = 2.0  # radius of curves below which the robot drives slower [circumscribed radii]
    slow_clearance: float = 1.0  # distance from obstacles below which the robot drives slower [circumscribed radii]
    slowest: float = 0.3  # minimum share of the speed near obstacles

    def decide(self, pose: Pose, now: Twist, path: Points, local: CostMap) -> Twist:
        size = local.footprint.circumscribed
        ahead = min(self.farthest * size, max(self.nearest * size, abs(now.linear) * self.seconds_ahead))
        away = np.hypot(*(path - (pose.x, pose.y)).T)
        beyond = np.flatnonzero(away >= ahead)
        x, y = path[beyond[0] if len(beyond) else -1].tolist()
        off = wrap(math.atan2(y - pose.y, x - pose.x) - pose.heading)
        if abs(off) > self.sharpest:
            return Twist(0.0, self.turn_rate(off))
        distance = max(math.hypot(x - pose.x, y - pose.y), 1e-3)
        curvature = 2 * math.sin(off) / distance
        speed = self._regulate(pose, curvature, path_length(path) + float(away[0]), local)
        if abs(curvature) * speed > self.limits.turn_rate:
            speed = self.limits.turn_rate / abs(curvature)
        return Twist(speed, curvature * speed)

    def _regulate(self, pose: Pose, curvature: float, remaining: float, local: CostMap) -> float:
        """Return the speed [m/s] for a curvature, the distance from obstacles and the remaining path length [m]."""
        size = local.footprint.circumscribed
        share = min(1.0, 1 / (self.slow_radius * size * abs(curvature))) if curvature else 1.0
        share = min(share, max(self.slowest, local.clearance(pose) / (self.slow_clearance * size)))
        braking = math.sqrt(self.limits.max_acceleration * max(remaining, 1e-6))  # at half of the maximum deceleration
        return min(self.limits.speed * share, braking, 2.0 * remaining + 0.04 * self.limits.speed)
