"""ObstacleAvoidance: the base class of methods that drive to a goal around obstacles; by name, and as a controller."""

from __future__ import annotations

import dataclasses
import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Literal

import numpy as np

from paddock.control.behaviours.answers import check_wheel_speeds
from paddock.control.behaviours.avoidance.proximity_ring import EPUCK_RING, Distances, ProximityRing
from paddock.core.argument_checks import all_finite
from paddock.core.errors import PaddockError, UnknownName, format_value
from paddock.core.geometry import ORIGIN, Point, Pose, wrap
from paddock.core.observation import Observation, WheelSpeeds
from paddock.core.registry import Registry
from paddock.core.user_code import refuse_abstract
from paddock.perception.estimation import Odometry

DriveState = Literal["driving", "reached", "gave up"]

POSITIVE = ("wheel_separation", "max_speed", "speed", "within", "timeout")  # numbers that must be above 0
STOP = WheelSpeeds(0.0, 0.0)
MAX_TURN = 4.0  # [rad/s] on the spot
TURN_GAIN = 4.0  # [1/s]
BRAKE = 0.25  # maximum fraction of the remaining distance per tick, so that no tick overshoots


@dataclass(kw_only=True)
class ObstacleAvoidance(ABC):
    """Drives to a goal. Call `reset` with start and goal, then `act` until `state` is no longer "driving".

    A subclass is a dataclass. Its fields are parameters. A scenario may set those that are numbers.
    """

    ring: ProximityRing = EPUCK_RING
    wheel_separation: float = 0.053  # [m]
    max_speed: float = 0.1288  # of a wheel [m/s]
    speed: float = 0.103  # forward speed on a free path [m/s]
    within: float = 0.02  # distance at which the goal counts as reached [m]
    timeout: float = 120.0  # time after which it gives up [s]
    draw: Callable[[str], float] = lambda _: 0.5  # random number in [0, 1) for a key; equal keys give equal numbers

    def __post_init__(self) -> None:
        if not isinstance(self.ring, ProximityRing):
            raise PaddockError(f"{type(self).__name__}: ring: expected a ProximityRing, got {format_value(self.ring)}")
        for each in fields(self):
            value, positive = getattr(self, each.name), each.name in POSITIVE
            number = isinstance(value, int | float) and math.isfinite(value) and (value > 0 or not positive)
            if each.type in (float, int, "float", "int") and not number:
                expected = "a number > 0" if positive else "a finite number"
                raise PaddockError(
                    f"{type(self).__name__}: {each.name}: expected {expected}, got {format_value(value)}"
                )
        if self.speed > self.max_speed:
            most = f"m/s <= {self.max_speed:g}, the maximum wheel speed"
            raise PaddockError(f"{type(self).__name__}: speed: expected {most}, got {self.speed:g}")
        self.reset(ORIGIN, (0.0, 0.0))

    def reset(self, start: Pose, goal: Point) -> None:
        """Clear the state and start at an estimated pose; the goal is in the same frame [m]."""
        if not isinstance(goal, Sequence | np.ndarray) or len(goal) != 2 or not all_finite(*goal):
            raise PaddockError(f"{type(self).__name__}: goal: expected (x, y) in metres, got {format_value(goal)}")
        self.start, self.goal = start, goal
        self.state: DriveState = "driving"
        self.detections = 0  # number of obstacle detections
        self.tries = 0  # number of times that the path was chosen again
        self.elapsed = 0.0  # [s] since the start
        self.moving_time = 0.0  # [s] in which a wheel turned

    def act(self, proximity: Distances, pose: Pose, dt: float) -> WheelSpeeds:
        """Return wheel speeds for the next `dt` seconds, from distances [m] and an estimated pose; zero at the end."""
        if len(proximity) != len(self.ring.mounts):
            count = len(self.ring.mounts)
            raise PaddockError(f"{type(self).__name__}: expected {count} distances, got {len(proximity)}")
        if not dt >= 0:
            raise PaddockError(f"{type(self).__name__}: dt: expected seconds >= 0, got {dt!r}")
        if self.state != "driving":
            return STOP
        if math.dist(pose[:2], self.goal) <= self.within:
            self.state = "reached"
            return STOP
        if self.elapsed >= self.timeout - 1e-9:
            return self.give_up()
        wheels = check_wheel_speeds(self.decide(proximity, pose, dt), type(self).decide)
        self.elapsed += dt
        if wheels != STOP:
            self.moving_time += dt
        return wheels

    @abstractmethod
    def decide(self, proximity: Distances, pose: Pose, dt: float) -> tuple[float, float]:
        """Return wheel speeds (left, right) [m/s]; call `give_up` if there is no path."""

    def give_up(self) -> WheelSpeeds:
        """Stop permanently."""
        self.state = "gave up"
        return STOP

    # ---- steering

    def turn_wheels(self, linear: float, angular: float) -> WheelSpeeds:
        """Return wheel speeds for a twist [m/s, rad/s]; both are scaled down if a wheel would be too fast."""
        return WheelSpeeds.of_twist(linear, angular, self.wheel_separation).limit(self.max_speed)

    def turn_on_spot(self, off: float, dt: float) -> WheelSpeeds:
        """Return wheel speeds for a turn on the spot by an angle [rad], slower towards its end."""
        rate = min(MAX_TURN, 2 * self.max_speed / self.wheel_separation, BRAKE / dt * abs(off))
        return self.turn_wheels(0.0, math.copysign(rate, off))

    def brake_before_goal(self, pose: Pose, dt: float) -> float:
        """Return the forward speed [m/s], reduced just before the goal."""
        return min(self.speed, math.dist(pose[:2], self.goal) * BRAKE / dt)


def bearing_to(pose: Pose, place: Point) -> float:
    """Return the angle of a point relative to the heading [rad], positive to the left."""
    return wrap(math.atan2(place[1] - pose.y, place[0] - pose.x) - pose.heading)


HERE = "paddock.control.behaviours.avoidance"
AVOIDANCE: Registry[type[ObstacleAvoidance]] = Registry(
    "avoidance",
    group="paddock.avoidance",
    builtin={
        "distal": f"{HERE}.reactive:Distal",
        "proximal": f"{HERE}.reactive:Proximal",
        "planning": f"{HERE}.planning:Planning",
    },
    base=ObstacleAvoidance,
)


def find_avoidance(name: str, folder: str | Path | None = None) -> type[ObstacleAvoidance]:
    """Return the avoidance class with a name, `module:Name` or `file.py:Name`.

    Args:
        name: a registered name, or the location of the class.
        folder: the first folder to search for users' files; None: only the working directory.
    """
    kind = AVOIDANCE.get(name, folder=folder)
    if not isinstance(kind, type):
        raise PaddockError(
            f"{name}: expected a class derived from ObstacleAvoidance, got an object: leave out the parentheses"
        )
    refuse_abstract(kind, "decide(self, proximity, pose, dt), which returns wheel speeds (left, right) [m/s]")
    return kind


def make_avoidance(name: str, **parameters: Any) -> ObstacleAvoidance:
    """Create an avoidance by name; raise an error for unknown parameters."""
    kind = find_avoidance(name)
    known = [field.name for field in dataclasses.fields(kind) if field.init]
    for key in parameters:
        if key not in known:
            raise UnknownName(f"parameter of the avoidance {name!r}", key, known)
    return kind(**parameters)


class AvoidingController:
    """A controller that estimates the pose from the encoders and a known start, and calls an avoidance.

    Args:
        avoidance: the avoidance method.
        start: estimated start pose.
        goal: position to drive to [m].
        encoders: the name of the wheel encoders.
    """

    def __init__(
        self,
        avoidance: ObstacleAvoidance,
        start: Pose,
        goal: Point,
        *,
        encoders: str = "encoders",
    ) -> None:
        if not isinstance(avoidance, ObstacleAvoidance):
            raise PaddockError(
                f"AvoidingController: expected an avoidance such as Planning(), got {format_value(avoidance)}"
            )
        self.avoidance, self.goal = avoidance, goal
        self._start, self._encoders = Pose(*start), encoders
        self.reset()

    def reset(self) -> None:
        """Restart at the start pose."""
        self._odometry = Odometry(wheel_separation=self.avoidance.wheel_separation, pose=self._start)
        self._time: float | None = None
        self.avoidance.reset(self._start, self.goal)

    @property
    def done(self) -> bool:
        """Whether the robot has reached the goal or given up."""
        return self.avoidance.state != "driving"

    @property
    def reason(self) -> str:
        """Why the drive ended; empty while driving."""
        x, y = self.goal
        return f"({x:g}, {y:g}) {self.avoidance.state}" if self.done else ""

    @property
    def estimated_pose(self) -> Pose:
        """Pose of the robot, estimated by odometry."""
        return self._odometry.pose

    def act(self, observation: Observation) -> WheelSpeeds:
        """Return the wheel speeds for one observation."""
        pose = self._odometry.update(*getattr(observation, self._encoders).tolist())
        last, self._time = self._time, observation.time
        dt = 0.02 if last is None or observation.time <= last else observation.time - last  # the clock may be set back
        return self.avoidance.act(getattr(observation, self.avoidance.ring.device).tolist(), pose, dt)
