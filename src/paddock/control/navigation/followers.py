"""Path followers compute the next twist from a path and the local map, within the wheels' limits, collision-free."""

from __future__ import annotations

import dataclasses
import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np

from paddock.control.navigation.costmap import CostMap
from paddock.control.navigation.path_points import path_length
from paddock.control.navigation.vehicle import STILL, DriveLimits, Twist, free_time
from paddock.core.errors import UnknownName
from paddock.core.geometry import Pose, wrap
from paddock.core.observation import Observation
from paddock.core.registry import Registry
from paddock.perception.mapping.occupancy import Points
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

    def observe(self, observation: Observation) -> None:  # noqa: B027 - most need only the map
        """Note the readings of a tick, before `follow`."""

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


def get_spacing(path: Points) -> float:
    """Return the distance between the points of a path [m]."""
    return path_length(path) / max(1, len(path) - 1)


FOLLOWERS: Registry[type[Follower]] = Registry(
    "follower",
    group="paddock.followers",
    builtin={
        "pure-pursuit": "paddock.control.navigation.followers:PurePursuit",
        "dynamic-window": "paddock.control.navigation.predicting_followers:DynamicWindow",
        "mppi": "paddock.control.navigation.predicting_followers:MPPI",
    },
    base=Follower,
)


def make_follower(name: str, limits: DriveLimits, **parameters: Any) -> Follower:
    """Create a follower by name; an unknown parameter raises an error that names it."""
    kind = FOLLOWERS.get(name)
    known = [field.name for field in dataclasses.fields(kind) if field.init and field.name != "limits"]
    for key in parameters:
        if key not in known:
            raise UnknownName(f"parameter of the follower {name!r}", key, known)
    return kind(limits=limits, **parameters)


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
