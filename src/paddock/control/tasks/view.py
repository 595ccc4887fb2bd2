"""View: all that a task may know besides its observations: the body, the rules, and where the robot believes to be."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from paddock.core.geometry import Pose, wrap
from paddock.core.observation import Observation, Readings, WheelSpeeds
from paddock.estimate import Odometry

AHEAD = math.radians(60)  # what looks this far from the direction of travel still looks along it
DEFAULT_SPEED = 0.5  # [m/s] of tasks that do not say
DEFAULT_SHARE = 0.6  # … or this much of what the robot can, if that is less


class Ranger(NamedTuple):
    """The distance sensors that a robot looks ahead with."""

    device: str
    bearings: tuple[float, ...]  # [rad] of every reading, counter-clockwise from straight ahead
    range: float  # [m] readings from here on mean: nothing there


@dataclass(kw_only=True)
class View:
    """A robot as its tasks see it; `look` keeps the belief up to date."""

    dt: float  # [s] between two observations
    odometry: Odometry  # holds the believed pose, from the start on
    max_speed: float  # [m/s] at the rim
    max_acceleration: float = math.inf  # [m/s²] at the rim
    ranger: Ranger | None = None
    clearance: float = 0.23  # [m] nearer than this is too near
    guarded: bool = True  # whether the safety rule holds
    compass: str | None = None  # names of devices; None: it has none
    encoders: str | None = None
    chance: Callable[[str], float] = lambda _: 0.5  # a draw from [0, 1) for a key: equal keys, equal draws
    rims: WheelSpeeds | None = None  # measured rim speeds [m/s]; None before the second look

    def __post_init__(self) -> None:
        self._looked = False
        if self.ranger is not None:
            bearings = np.array(self.ranger.bearings)
            self._ahead = np.flatnonzero(np.cos(bearings) >= math.cos(AHEAD) - 1e-9)
            self._behind = np.flatnonzero(np.cos(bearings) <= 1e-9 - math.cos(AHEAD))

    def restart(self, start: Pose) -> None:
        """Forget all looks; the robot is at a pose that is known."""
        self.odometry.restart(start)
        self._looked, self.rims = False, None

    def look(self, observation: Observation) -> None:
        """Add what the wheels have rolled since the last look; a compass, if there is one, tells the heading."""
        if self.encoders is not None:
            left, right = getattr(observation, self.encoders).tolist()
            self.odometry.update(left, right)
            if self._looked:
                self.rims = WheelSpeeds(*(moved / self.dt for moved in self.odometry.moved))
        if self.compass is not None:
            heading = float(getattr(observation, self.compass))
            self.odometry.pose = self.odometry.pose._replace(heading=wrap(heading))
        self._looked = True

    @property
    def believed(self) -> Pose:
        """Where the robot believes to be."""
        return self.odometry.pose

    @property
    def wheel_separation(self) -> float:
        """Distance between the wheels [m], as believed."""
        return self.odometry.wheel_separation

    @property
    def resting(self) -> bool:
        """Whether the wheels stood still since the last look, as far as the robot can tell."""
        return self.encoders is None or (self.rims is not None and max(abs(rim) for rim in self.rims) < 1e-9)

    def speed(self, wanted: float | None) -> float:
        """A forward speed [m/s]: the wanted one, or one that suits the robot."""
        return min(DEFAULT_SPEED, DEFAULT_SHARE * self.max_speed) if wanted is None else wanted

    def distances(self, observation: Observation) -> Readings:
        """All distances [m] around the robot; infinity where nothing is seen."""
        assert self.ranger is not None
        readings = np.atleast_1d(np.asarray(getattr(observation, self.ranger.device), float))
        return np.where(readings < self.ranger.range, readings, math.inf)

    def nearest(self, observation: Observation, *, backwards: bool = False) -> float:
        """The smallest distance [m] along the way; infinity where nothing is seen or nothing can look."""
        which = (self._behind if backwards else self._ahead) if self.ranger is not None else ()
        return float(self.distances(observation)[which].min()) if len(which) else math.inf

    def arriving(self, speed: float, distance: float) -> float:
        """The speed [m/s], or less where the robot has to come to rest after a distance [m]."""
        soft = distance / (4 * self.dt)  # so that no tick jumps past the end
        return min(speed, soft, math.sqrt(self.max_acceleration * distance))

    def wheels(self, forward: float, turn: float) -> WheelSpeeds:
        """Rim speeds for a forward speed [m/s] and a turn rate [rad/s]; both shrink if a wheel is too slow."""
        half = turn * self.wheel_separation / 2
        left, right = forward - half, forward + half
        shrink = min(1.0, self.max_speed / max(abs(left), abs(right), 1e-9))
        return WheelSpeeds(left * shrink, right * shrink)
