"""Follower: base class of path followers."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np

from paddock.control.navigation.costmap import CostMap
from paddock.control.navigation.drive_limits import STILL, DriveLimits, Twist
from paddock.control.navigation.kernels.body import free_time
from paddock.control.navigation.paths import path_length
from paddock.core.geometry import Pose, wrap
from paddock.perception.mapping.frame import Points
from paddock.perception.mapping.scan import Floats

POINTS_AHEAD = 50  # of the path that predicting followers use
SHARES = (1.0, 0.7, 0.5, 0.35, 0.2, 0.1)  # of a twist, tried in sequence
TURN_ANYWAY = 0.02  # [rad] heading error below which the other direction is not tried


@dataclass(kw_only=True)
class Follower(ABC):
    """Follows a path. Subclasses are dataclasses whose fields are parameters."""

    limits: DriveLimits
    seed: int = 0  # of all random numbers

    def reset(self) -> None:
        """Reset all state, so that the same drive gives the same twists again."""
        self.begin_path()

    def begin_path(self) -> None:  # noqa: B027 - most have no state
        """Discard the plan for the previous path."""

    @abstractmethod
    def decide(self, pose: Pose, now: Twist, path: Points, local: CostMap) -> Twist:
        """Return the twist for following the path; `follow` handles obstacles that are too near."""

    def follow(self, pose: Pose, now: Twist, path: Points, local: CostMap) -> Twist:
        """Return the next twist: the decided one, reduced to a speed from which the robot can stop in time.

        Args:
            pose: pose of the robot.
            now: current twist.
            path: points ahead [m], shape (n, 2); the first is the nearest.
            local: local cost map.
        """
        return self.keep_clear(pose, self.decide(pose, now, path, local), local)

    def turn_to(self, pose: Pose, heading: float, local: CostMap) -> Twist:
        """Turn on the spot towards a heading [rad], in the other direction if an obstacle is too near."""
        off = wrap(heading - pose.heading)
        for way in (off, off - math.copysign(math.tau, off)):
            if abs(off) < TURN_ANYWAY or self.free_seconds(
                pose, Twist(0.0, math.copysign(1.0, way)), local, abs(way)
            ) >= abs(way):
                return self.keep_clear(pose, Twist(0.0, self.turn_rate(way)), local)
        return STILL

    def turn_rate(self, off: float) -> float:
        """Return the turn rate for an angle [rad/s], slow enough to stop there."""
        brake = self.limits.max_acceleration / (self.limits.wheel_separation / 2)
        most = min(self.limits.turn_rate, math.sqrt(brake * abs(off)), 3.0 * abs(off))
        return math.copysign(most, off)

    def keep_clear(self, pose: Pose, twist: Twist, local: CostMap) -> Twist:
        """Return a twist, reduced so that there is enough room to stop."""
        for share in SHARES:
            less = Twist(share * twist.linear, share * twist.angular)
            needed = self.limits.stopping_time(less)
            if self.free_seconds(pose, less, local, needed) >= needed:
                return less
        return STILL

    def free_seconds(self, pose: Pose, twist: Twist, local: CostMap, seconds: float) -> float:
        """Return how long a twist is free of obstacles [s], at most `seconds`."""
        return float(free_time(*local.tables, np.array(pose), twist.linear, twist.angular, seconds))


@dataclass(kw_only=True)
class PredictingFollower(Follower):
    """Compares predicted motions by their costs."""

    off_path: float = 0.8  # cost of a distance from the path of one circumscribed radius
    remaining: float = 0.5  # cost of a remaining path length of one circumscribed radius
    heading: float = 0.35  # cost of a heading error of one radian
    clearance: float = 1.0  # cost of being one circumscribed radius nearer to obstacles than `comfort`
    comfort: float = 1.0  # preferred distance from obstacles [circumscribed radii of the body]

    def weights(self, size: float) -> Floats:
        """Return the weights for kernels, for a body of that radius [m]."""
        per_metre = [self.off_path / size, self.remaining / size, self.heading, self.clearance / size]
        return np.array([*per_metre, self.comfort * size, 0.0])


def drive_numbers(limits: DriveLimits) -> Floats:
    """Return a drive's limits for kernels."""
    return np.array([limits.wheel_separation, limits.max_speed, limits.max_acceleration, limits.reaction])


def spacing_of(path: Points) -> float:
    """Return the distance between the points of a path [m]."""
    return path_length(path) / max(1, len(path) - 1)
