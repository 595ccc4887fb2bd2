"""Odometry: a robot's estimated pose and its covariance, from the travel of its wheels; and the sensors of travel."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from paddock.core.argument_checks import all_finite
from paddock.core.errors import PaddockError, UnknownName
from paddock.core.geometry import ORIGIN, Pose, wrap
from paddock.core.observation import Observation

Floats = NDArray[np.float64]
NO_TURN = 1e-9  # [rad] a smaller turn counts as zero
SMALL = 1e-4  # [rad] below this the ratio of chord and arc is computed by its series
OdometryForm = Literal["exact", "published", "programmed"]
"""Conversion of travel to a pose: exact arcs; θ + Δθ/2, as in textbooks; or as in a program with separate routines for
driving straight and for turning on the spot. Such a program never changes the heading on a straight line and counts all
travel as positive."""
Routine = Literal["straight", "left", "right"]
"""Current routine of such a program: driving straight, or turning on the spot to a side."""
ROUTINES: dict[str, int] = {"straight": 0, "left": 1, "right": -1}  # direction of the turn


@dataclass(frozen=True, kw_only=True, slots=True)
class MotionNoise:
    """Noise of a robot's travel. Variances grow with the path length, so they do not depend on the tick."""

    wheel: float = 0.0  # variance of a wheel's travel per travel [m²/m]
    slip: float = 0.0  # standard deviation of a wheel's travel in an update, relative
    turn: float = 0.0  # further variance of the heading per angle turned [rad²/rad]
    drift: float = 0.0  # further variance of the heading per distance driven [rad²/m]
    count: float = 0.0  # travel per encoder count [m]; its quantisation error does not accumulate

    def __post_init__(self) -> None:
        for name in self.__dataclass_fields__:
            value = getattr(self, name)
            if not (all_finite(value) and value >= 0):
                raise PaddockError(f"MotionNoise: {name}: expected a finite number >= 0, got {value!r}")

    def of_travel(self, left: float, right: float, separation: float) -> Floats:
        """Return the covariance of right and left travel and of a turn not measured by encoders, shape (3, 3)."""
        turn, along = abs(right - left) / separation, abs(left + right) / 2
        wheels = [self.wheel * abs(travel) + (self.slip * travel) ** 2 for travel in (right, left)]
        return np.diag([*wheels, self.turn * turn + self.drift * along])

    def of_count(self, heading: float, separation: float) -> Floats:
        """Return the covariance of a pose due to quantisation of both encoders, shape (3, 3)."""
        _, by_travel = roll_jacobians(heading, 0.0, 0.0, separation)
        covariance: Floats = by_travel[:, :2] @ by_travel[:, :2].T * (self.count**2 / 12)
        return covariance


def wrap_angles(angles: Floats) -> Floats:
    """Wrap angles to [-pi, pi) [rad]."""
    wrapped: Floats = np.remainder(angles + np.pi, 2 * np.pi) - np.pi
    return wrapped


def chord_share(half: float) -> tuple[float, float]:
    """Return the ratio of chord and arc for half the arc's angle [rad], and its derivative."""
    if abs(half) < SMALL:
        return 1.0 - half * half / 6, -half / 3
    share = math.sin(half) / half
    return share, (math.cos(half) - share) / half


def roll(pose: Pose, left: float, right: float, separation: float, *, exact: bool = True) -> Pose:
    """Return the pose after both wheels have rolled [m], on an exact arc or with the common θ + Δθ/2 approximation.

    Args:
        pose: pose before the motion.
        left: travel of the left wheel.
        right: travel of the right wheel.
        separation: distance between the wheels [m].
        exact: False uses the length of the arc instead of the chord: x += Δs·cos(θ + Δθ/2).
    """
    along, turn = (left + right) / 2, (right - left) / separation
    chord = along * math.sin(turn / 2) / (turn / 2) if exact and abs(turn) > NO_TURN else along
    middle = pose.heading + turn / 2
    return Pose(pose.x + chord * math.cos(middle), pose.y + chord * math.sin(middle), wrap(pose.heading + turn))


def roll_jacobians(
    heading: float, left: float, right: float, separation: float, *, exact: bool = True
) -> tuple[Floats, Floats]:
    """Return the derivatives of `roll` by the pose and by the motion, both of shape (3, 3).

    The motion is the travel of the right wheel, of the left wheel [m], and a turn that the encoders do not measure
    [rad].
    """
    along, turn = (left + right) / 2, (right - left) / separation
    share, slope = chord_share(turn / 2) if exact else (1.0, 0.0)
    chord, middle = along * share, heading + turn / 2
    c, s = math.cos(middle), math.sin(middle)
    by_pose = np.array([[1.0, 0.0, -chord * s], [0.0, 1.0, chord * c], [0.0, 0.0, 1.0]])
    bend = along * slope / (2 * separation)  # change of the chord due to the change of the turn by a wheel's travel
    lever = chord / (2 * separation)
    grows = share / 2
    by_travel = np.array(
        [
            [(grows + bend) * c - lever * s, (grows - bend) * c + lever * s, -chord / 2 * s],
            [(grows + bend) * s + lever * c, (grows - bend) * s - lever * c, chord / 2 * c],
            [1 / separation, -1 / separation, 1.0],
        ]
    )
    return by_pose, by_travel


CERTAIN = MotionNoise()


@dataclass(slots=True)
class AngleUnwrapper:
    """Unwraps a joint's angle, so that it does not jump from π to -π. Update it at least twice per turn."""

    angle: float = 0.0  # turned so far [rad]
    _last: float | None = None

    def update(self, joint: float) -> float:
        """Add the joint's angle [rad, any turn] and return the unwrapped angle; the first one is the origin."""
        if self._last is not None:
            self.angle += wrap(joint - self._last)
        self._last = joint
        return self.angle

    def reset(self) -> None:
        """Restart at 0."""
        self.angle, self._last = 0.0, None


@dataclass(slots=True)
class Odometry:
    """Estimates a pose from the travel of both wheels [m]; the assumed wheels may differ from the true ones."""

    wheel_separation: float  # assumed [m]
    wheel_ratio: float = 1.0  # assumed mean wheel diameter divided by the one that scales the encoders
    pose: Pose = ORIGIN  # estimated: x, y [m], heading [rad]
    distance: float = 0.0  # length of the estimated path [m]
    last_travel: tuple[float, float] = (0.0, 0.0)  # of the left and right wheel in the last update [m]
    _last: tuple[float, float] | None = field(default=None, repr=False)
    right_to_left: float = 1.0  # assumed diameter of the right wheel divided by that of the left
    form: OdometryForm = "exact"
    routine: Routine | None = None  # current routine with the form "programmed"; None: by the wheels' directions
    noise: MotionNoise = CERTAIN
    _spread: Floats = field(default_factory=lambda: np.zeros((3, 3)), repr=False, compare=False)

    def __post_init__(self) -> None:
        if self.form not in get_args(OdometryForm):
            raise UnknownName("form of odometry", self.form, get_args(OdometryForm))
        for name in ("wheel_separation", "wheel_ratio", "right_to_left"):
            value = getattr(self, name)
            if not (all_finite(value) and value > 0):
                raise PaddockError(f"Odometry: {name}: expected a finite number > 0, got {value!r}")

    def update(self, left: float, right: float) -> Pose:
        """Update the pose with the total travel of the wheels [m], as read by encoders; the first one is the origin.

        A reading that is not finite is ignored; the next one contains its travel.
        """
        if not (math.isfinite(left) and math.isfinite(right)):
            self.last_travel = (0.0, 0.0)
            return self.pose
        before, self._last = self._last, (left, right)
        if before is None:
            return self.pose
        left, right = self.last_travel = self.correct(left - before[0], right - before[1])
        self.distance += abs(left + right) / 2
        if self.form == "programmed":
            left, right = as_routine(left, right, self.routine)
        exact = self.form == "exact"
        if self.noise is not CERTAIN:
            self._spread = self._grow(left, right, exact)
        self.pose = roll(self.pose, left, right, self.wheel_separation, exact=exact)
        return self.pose

    def correct(self, left: float, right: float) -> tuple[float, float]:
        """Convert travel of the nominal wheels to travel of the assumed ones [m]."""
        half = self.wheel_ratio * 2 / (1 + self.right_to_left)
        return left * half, right * half * self.right_to_left

    def _grow(self, left: float, right: float, exact: bool) -> Floats:
        by_pose, by_travel = roll_jacobians(self.pose.heading, left, right, self.wheel_separation, exact=exact)
        noise = self.noise.of_travel(left, right, self.wheel_separation)
        spread: Floats = by_pose @ self._spread @ by_pose.T + by_travel @ noise @ by_travel.T
        return spread

    @property
    def covariance(self) -> Floats:
        """Covariance of the pose [m, m, rad], shape (3, 3): accumulated since the start, plus encoder quantisation."""
        if self.noise is CERTAIN:
            return self._spread
        return self._spread + self.noise.of_count(self.pose.heading, self.wheel_separation)

    def reset(self, pose: Pose = ORIGIN) -> None:
        """Restart at a known pose."""
        self.pose, self.distance, self.last_travel, self._last = pose, 0.0, (0.0, 0.0), None
        self._spread = np.zeros((3, 3))

    def update_angles(self, left: float, right: float, diameter: float) -> Pose:
        """Update the pose with unwrapped wheel angles [rad] and the assumed wheel diameter [m]."""
        return self.update(left * diameter / 2, right * diameter / 2)


def as_routine(left: float, right: float, routine: Routine | None = None) -> tuple[float, float]:
    """Convert travel as in a program that either drives straight or turns on the spot and only counts steps."""
    mean = (abs(left) + abs(right)) / 2
    if routine not in (None, *ROUTINES):
        raise UnknownName("routine of odometry", str(routine), ROUTINES)
    if routine is None:
        routine = "straight" if left * right >= 0 else "left" if right > 0 else "right"
    turn = ROUTINES[routine]
    return (-turn * mean, turn * mean) if turn else (mean, mean)


def compass_bearing(heading: float) -> float:
    """Convert a heading [rad] to a compass bearing: 0 … 360 degrees, clockwise from north. North is y, east is x."""
    degrees = (90.0 - math.degrees(heading)) % 360.0
    return 0.0 if degrees == 360.0 else degrees


def check_sigma(what: str, sigma: float) -> None:
    """Raise a PaddockError if a standard deviation is not positive and finite."""
    if not (all_finite(sigma) and sigma > 0):
        raise PaddockError(f"{what}: sigma: expected a standard deviation > 0, got {sigma!r}")


class WheelTravel(NamedTuple):
    """Travel of the wheels [m] between two readings."""

    left: float
    right: float
    covariance: Floats  # of right, left [m] and a turn that the encoders do not measure [rad], shape (3, 3)

    def split(self, share: float) -> tuple[WheelTravel, WheelTravel]:
        """Split the travel into a first share and the rest."""
        rest = 1 - share
        return (
            WheelTravel(self.left * share, self.right * share, self.covariance * share),
            WheelTravel(self.left * rest, self.right * rest, self.covariance * rest),
        )


@dataclass
class TravelSensors:
    """Reads encoders, a gyroscope or both. Without encoders, `unseen_speed` is the uncertainty of the wheel speeds."""

    odometry: Odometry  # the assumed wheels and their noise; it is updated, for comparison
    encoders: str | None = "encoders"
    gyroscope: str | None = None
    gyroscope_sigma: float = 0.0  # standard deviation of a turn rate [rad/s]
    unseen_speed: float = 0.0  # standard deviation of a wheel's speed without encoders [m/s]
    _last: float | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        if self.gyroscope is not None:
            check_sigma(f"gyroscope {self.gyroscope!r}", self.gyroscope_sigma)
        if self.encoders is None:
            check_sigma("TravelSensors without encoders: unseen_speed, as", self.unseen_speed)

    def reset(self) -> None:
        """Restart with the next reading."""
        self._last = None

    def read(self, observation: Observation, time: float) -> WheelTravel:
        """Return the travel since the last reading; zero at the first reading."""
        before, self._last = self._last, time
        if before is not None and time < before - 1e-9:
            raise PaddockError(f"update: expected a time that never goes back, got {time:g} s after {before:g} s")
        seconds = 0.0 if before is None else time - before
        separation = self.odometry.wheel_separation
        if self.encoders is None:
            unseen = (self.unseen_speed * seconds) ** 2
            travel = WheelTravel(0.0, 0.0, np.diag([unseen, unseen, 0.0]))
        else:
            left, right = np.asarray(getattr(observation, self.encoders), float).tolist()
            self.odometry.update(left, right)
            left, right = self.odometry.last_travel
            travel = WheelTravel(left, right, self.odometry.noise.of_travel(left, right, separation))
        if self.gyroscope is None or not seconds:
            return travel
        rate = float(np.asarray(getattr(observation, self.gyroscope)).reshape(-1)[-1])  # about the axis that points up
        return correct_turn(travel, rate * seconds, (self.gyroscope_sigma * seconds) ** 2, separation)


def correct_turn(travel: WheelTravel, turn: float, variance: float, separation: float) -> WheelTravel:
    """Return the most likely travel, given also a measured turn [rad], by a Kalman update."""
    by_travel = np.array([1 / separation, -1 / separation, 1.0])
    spread = travel.covariance @ by_travel
    gain = spread / (by_travel @ spread + variance)
    change = gain * (turn - (travel.right - travel.left) / separation)
    keep = np.eye(3) - np.outer(gain, by_travel)
    covariance = keep @ travel.covariance @ keep.T + np.outer(gain, gain) * variance
    unseen = change[2] * separation / 2  # converted to travel of the wheels
    return WheelTravel(travel.left + change[1] - unseen, travel.right + change[0] + unseen, covariance)
