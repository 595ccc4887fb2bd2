"""TaskContext: the data of a task in addition to its observations: body, safety rule and estimated pose."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from paddock.control.behaviours.avoidance import ProximityRing
from paddock.core.geometry import Pose, wrap
from paddock.core.observation import Observation, Readings, WheelSpeeds
from paddock.perception.estimation import Estimate, Localiser, Odometry

AHEAD = math.radians(60)  # readings within this angle of the direction of travel count as ahead
DEFAULT_SPEED = 0.5  # [m/s] of tasks without a speed
DEFAULT_SHARE = 0.6  # … or this fraction of the maximum speed, if that is less


class Ranger(NamedTuple):
    """The distance sensors of a robot that measure ahead."""

    device: str
    bearings: tuple[float, ...]  # [rad] of every reading, counter-clockwise from straight ahead
    range: float  # [m] readings of at least this mean that nothing is detected
    mounts: tuple[tuple[float, float], ...] = ()  # x forward, y left [m] of every reading; empty: unknown
    opening: float = 0.0  # [rad] opening angle of each sensor


@dataclass(kw_only=True)
class TaskContext:
    """The state of a robot for its tasks; call `update` to keep the estimates current."""

    dt: float  # [s] between two observations
    odometry: Odometry  # holds the estimated pose, from the start on
    localiser: Localiser | None = None  # a better estimate, if available; it updates the odometry
    max_speed: float  # [m/s] of a wheel
    max_acceleration: float = math.inf  # [m/s²] of a wheel
    ranger: Ranger | None = None
    rangers: Mapping[str, Ranger] = field(default_factory=dict)  # all rangers of the robot, by kind
    clearance: float  # [m] minimum distance to obstacles
    guarded: bool = True  # whether the safety rule is active
    compass: str | None = None  # names of devices; None: the robot has none
    encoders: str | None = None
    ring: ProximityRing | None = None  # for avoidances; None: the robot has none
    draw: Callable[[str], float] = lambda _: 0.5  # random number in [0, 1) for a key; equal keys give equal numbers
    wheel_speeds: WheelSpeeds | None = None  # measured [m/s]; None before the second update
    wheel_travel: float = 0.0  # [m] mean of both wheels since the first update, forward or backwards

    def __post_init__(self) -> None:
        self._updated = False
        if self.ranger is not None:
            bearings = np.array(self.ranger.bearings)
            self._ahead = np.flatnonzero(np.cos(bearings) >= math.cos(AHEAD) - 1e-9)
            self._behind = np.flatnonzero(np.cos(bearings) <= 1e-9 - math.cos(AHEAD))

    def reset(self, start: Pose) -> None:
        """Discard all updates and start at a known pose."""
        if self.localiser is not None:
            self.localiser.reset(start)
        self.odometry.reset(start)
        self._updated, self.wheel_speeds, self.wheel_travel = False, None, 0.0

    def update(self, observation: Observation) -> None:
        """Add the wheel travel since the last update; a compass, if available, provides the heading."""
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
        """Pose of the robot, estimated from its own sensors."""
        return self.odometry.pose if self.localiser is None else self.localiser.estimate.pose

    @property
    def estimate(self) -> Estimate:
        """Estimated pose with its covariance."""
        if self.localiser is not None:
            return self.localiser.estimate
        return Estimate(self.odometry.pose, self.odometry.covariance)

    @property
    def wheel_separation(self) -> float:
        """Distance between the wheels [m] that the odometry uses."""
        return self.odometry.wheel_separation

    @property
    def at_rest(self) -> bool:
        """Whether the wheels have not turned since the last update, as far as the robot can measure."""
        if self.encoders is None:
            return True
        return self.wheel_speeds is not None and max(abs(speed) for speed in self.wheel_speeds) < 1e-9

    def choose_speed(self, requested: float | None) -> float:
        """Return a forward speed [m/s]: the requested one, or the robot's default."""
        return cruise_speed(self.max_speed) if requested is None else requested

    def distances(self, observation: Observation) -> Readings:
        """Return all distances [m] around the robot; infinity where nothing is detected."""
        assert self.ranger is not None
        readings = np.atleast_1d(np.asarray(getattr(observation, self.ranger.device), float))
        return np.where(readings < self.ranger.range, readings, math.inf)

    def nearest(self, observation: Observation, *, backwards: bool = False) -> float:
        """Return the smallest distance [m] in the direction of travel; infinity without a detection or a sensor."""
        which = (self._behind if backwards else self._ahead) if self.ranger is not None else ()
        return float(self.distances(observation)[which].min()) if len(which) else math.inf

    def brake_to(self, speed: float, distance: float) -> float:
        """Return the speed [m/s], reduced if needed to stop after a distance [m]."""
        soft = distance / (4 * self.dt)  # so that no tick overshoots
        return min(speed, soft, math.sqrt(self.max_acceleration * distance))

    def turn_wheels(self, linear: float, angular: float) -> WheelSpeeds:
        """Return wheel speeds for a twist, linear [m/s] and angular [rad/s]; scale both down to the maximum speed."""
        return WheelSpeeds.of_twist(linear, angular, self.wheel_separation).limit(self.max_speed)


def cruise_speed(max_speed: float) -> float:
    """Return the default forward speed [m/s] of tasks, for a maximum wheel speed [m/s]."""
    return min(DEFAULT_SPEED, DEFAULT_SHARE * max_speed)
