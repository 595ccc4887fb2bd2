"""TaskContext: all that a task knows besides its observations: the body, the safety rule and the estimated pose."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from paddock.control.avoidance import ProximityRing
from paddock.core.geometry import Pose, wrap
from paddock.core.observation import Observation, Readings, WheelSpeeds
from paddock.estimate import Estimate, Localiser, Odometry

AHEAD = math.radians(60)  # what looks this far from the direction of travel still looks along it
DEFAULT_SPEED = 0.5  # [m/s] of tasks that do not say
DEFAULT_SHARE = 0.6  # … or this much of the top speed, if that is less


class Ranger(NamedTuple):
    """The distance sensors that a robot looks ahead with."""

    device: str
    bearings: tuple[float, ...]  # [rad] of every reading, counter-clockwise from straight ahead
    range: float  # [m] readings from here on mean: nothing there
    places: tuple[tuple[float, float], ...] = ()  # x forward, y left [m] of every reading; empty: not known
    opening: float = 0.0  # [rad] that each looks at


@dataclass(kw_only=True)
class TaskContext:
    """A robot as its tasks see it; `update` keeps the estimates current."""

    dt: float  # [s] between two observations
    odometry: Odometry  # holds the estimated pose, from the start on
    localiser: Localiser | None = None  # a better estimate, where there is one; it keeps the odometry up to date
    max_speed: float  # [m/s] of a wheel
    max_acceleration: float = math.inf  # [m/s²] of a wheel
    ranger: Ranger | None = None
    rangers: Mapping[str, Ranger] = field(default_factory=dict)  # all that it has, by kind
    clearance: float  # [m] nearer than this is too near
    guarded: bool = True  # whether the safety rule holds
    compass: str | None = None  # names of devices; None: it has none
    encoders: str | None = None
    ring: ProximityRing | None = None  # for avoidances; None: it has none
    chance: Callable[[str], float] = lambda _: 0.5  # a draw from [0, 1) for a key: equal keys, equal draws
    wheel_speeds: WheelSpeeds | None = None  # measured [m/s]; None before the second update
    wheel_travel: float = 0.0  # [m] mean of both wheels since the first update, forward or backwards

    def __post_init__(self) -> None:
        self._updated = False
        if self.ranger is not None:
            bearings = np.array(self.ranger.bearings)
            self._ahead = np.flatnonzero(np.cos(bearings) >= math.cos(AHEAD) - 1e-9)
            self._behind = np.flatnonzero(np.cos(bearings) <= 1e-9 - math.cos(AHEAD))

    def reset(self, start: Pose) -> None:
        """Forget all updates; the robot is at a pose that is known."""
        if self.localiser is not None:
            self.localiser.reset(start)
        self.odometry.reset(start)
        self._updated, self.wheel_speeds, self.wheel_travel = False, None, 0.0

    def update(self, observation: Observation) -> None:
        """Add what the wheels have travelled since the last update; a compass, if there is one, gives the heading."""
        if self.encoders is not None:
            if self.localiser is not None:
                self.localiser.update(observation, observation.time)
            else:
                self.odometry.update(*getattr(observation, self.encoders).tolist())
            if self._updated:
                travel = self.odometry.last_travel
                self.wheel_speeds = WheelSpeeds(*(distance / self.dt for distance in travel))
                self.wheel_travel += (abs(travel[0]) + abs(travel[1])) / 2
        if self.compass is not None and self.localiser is None:
            heading = float(getattr(observation, self.compass))
            self.odometry.pose = self.odometry.pose._replace(heading=wrap(heading))
        self._updated = True

    @property
    def estimated_pose(self) -> Pose:
        """Where the robot is, by its own sensors."""
        return self.odometry.pose if self.localiser is None else self.localiser.estimate.pose

    @property
    def estimate(self) -> Estimate:
        """The same, and how sure that is."""
        if self.localiser is not None:
            return self.localiser.estimate
        return Estimate(self.odometry.pose, self.odometry.covariance)

    @property
    def wheel_separation(self) -> float:
        """Distance between the wheels [m], as the odometry has it."""
        return self.odometry.wheel_separation

    @property
    def at_rest(self) -> bool:
        """Whether the wheels stood still since the last update, as far as the robot can measure."""
        if self.encoders is None:
            return True
        return self.wheel_speeds is not None and max(abs(speed) for speed in self.wheel_speeds) < 1e-9

    def choose_speed(self, requested: float | None) -> float:
        """A forward speed [m/s]: the requested one, or one that suits the robot."""
        return cruise_speed(self.max_speed) if requested is None else requested

    def distances(self, observation: Observation) -> Readings:
        """All distances [m] around the robot; infinity where nothing is seen."""
        assert self.ranger is not None
        readings = np.atleast_1d(np.asarray(getattr(observation, self.ranger.device), float))
        return np.where(readings < self.ranger.range, readings, math.inf)

    def nearest(self, observation: Observation, *, backwards: bool = False) -> float:
        """The smallest distance [m] along the way; infinity where nothing is seen or nothing can look."""
        which = (self._behind if backwards else self._ahead) if self.ranger is not None else ()
        return float(self.distances(observation)[which].min()) if len(which) else math.inf

    def brake_to(self, speed: float, distance: float) -> float:
        """The speed [m/s], or less where the robot has to come to rest after a distance [m]."""
        soft = distance / (4 * self.dt)  # so that no tick jumps past the end
        return min(speed, soft, math.sqrt(self.max_acceleration * distance))

    def turn_wheels(self, linear: float, angular: float) -> WheelSpeeds:
        """Wheel speeds for a twist: linear [m/s] and angular [rad/s]; both shrink if a wheel would be too fast."""
        half = angular * self.wheel_separation / 2
        left, right = linear - half, linear + half
        shrink = min(1.0, self.max_speed / max(abs(left), abs(right), 1e-9))
        return WheelSpeeds(left * shrink, right * shrink)


def cruise_speed(max_speed: float) -> float:
    """The forward speed [m/s] of tasks that do not say, for a robot with a top speed."""
    return min(DEFAULT_SPEED, DEFAULT_SHARE * max_speed)
