"""Odometry: a robot's estimated pose and its uncertainty, from how far its wheels have turned."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Literal, get_args

import numpy as np

from paddock.core.errors import UnknownName
from paddock.core.geometry import Pose, wrap
from paddock.estimate.motion_model import Floats, MotionNoise, roll, roll_jacobians

ORIGIN = Pose(0.0, 0.0, 0.0)
CERTAIN = MotionNoise()
OdometryForm = Literal["exact", "published", "programmed"]
"""How travel becomes a pose: on exact arcs; with θ + Δθ/2, as textbooks have it; or as a program that only knows
routines for driving straight and for turning on the spot: straight on it never changes its heading, and it
takes all counts as positive."""

Routine = Literal["straight", "left", "right"]
"""What such a program is at: it drives, or it turns on the spot to a side."""


@dataclass(slots=True)
class AngleUnwrapper:
    """A joint's angle that does not jump from π to -π, but counts on. Update it at least twice a turn."""

    angle: float = 0.0  # turned so far [rad]
    _last: float | None = None

    def update(self, joint: float) -> float:
        """Take the joint's angle [rad, any turn]; the first one is where counting begins."""
        if self._last is not None:
            self.angle += wrap(joint - self._last)
        self._last = joint
        return self.angle

    def reset(self) -> None:
        """Begin anew at 0."""
        self.angle, self._last = 0.0, None


@dataclass(slots=True)
class Odometry:
    """Estimated pose from the travel of both wheels [m]; the assumed wheels may differ from the true ones."""

    wheel_separation: float  # assumed [m]
    wheel_ratio: float = 1.0  # assumed mean wheel diameter over the one that the encoders are scaled with
    pose: Pose = ORIGIN  # estimated: x, y [m], heading [rad]
    distance: float = 0.0  # length of the estimated path [m]
    last_travel: tuple[float, float] = (0.0, 0.0)  # of the left and right wheel in the last update [m]
    _last: tuple[float, float] | None = field(default=None, repr=False)
    right_to_left: float = 1.0  # assumed diameter of the right wheel over that of the left
    form: OdometryForm = "exact"
    routine: Routine | None = None  # that a program of the form "programmed" is in; None: the wheels' senses tell
    noise: MotionNoise = CERTAIN
    _spread: Floats = field(default_factory=lambda: np.zeros((3, 3)), repr=False, compare=False)

    def __post_init__(self) -> None:
        if self.form not in get_args(OdometryForm):
            raise UnknownName("form of odometry", self.form, get_args(OdometryForm))

    def update(self, left: float, right: float) -> Pose:
        """Take the wheels' travel since they were built [m], as encoders read it; the first is where it begins."""
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
        """Travel of the assumed wheels [m], from travel of the nominal ones."""
        half = self.wheel_ratio * 2 / (1 + self.right_to_left)
        return left * half, right * half * self.right_to_left

    def _grow(self, left: float, right: float, exact: bool) -> Floats:
        by_pose, by_travel = roll_jacobians(self.pose.heading, left, right, self.wheel_separation, exact=exact)
        noise = self.noise.of_travel(left, right, self.wheel_separation)
        spread: Floats = by_pose @ self._spread @ by_pose.T + by_travel @ noise @ by_travel.T
        return spread

    @property
    def covariance(self) -> Floats:
        """Of the pose [m, m, rad], shape (3, 3): what added up since the start, and the rounding of the last count."""
        if self.noise is CERTAIN:
            return self._spread
        return self._spread + self.noise.of_count(self.pose.heading, self.wheel_separation)

    def reset(self, pose: Pose = ORIGIN) -> None:
        """Begin anew at a pose that is known."""
        self.pose, self.distance, self.last_travel, self._last = pose, 0.0, (0.0, 0.0), None
        self._spread = np.zeros((3, 3))

    def update_angles(self, left: float, right: float, diameter: float) -> Pose:
        """The same from unwrapped wheel angles [rad] and the assumed wheel diameter [m]."""
        return self.update(left * diameter / 2, right * diameter / 2)


def as_routine(left: float, right: float, routine: Routine | None = None) -> tuple[float, float]:
    """Travel as a program takes it that either drives straight on or turns on the spot, and counts steps only."""
    mean = (abs(left) + abs(right)) / 2
    if routine is None:
        routine = "straight" if left * right >= 0 else "left" if right > 0 else "right"
    turn = {"straight": 0, "left": 1, "right": -1}[routine]
    return (-turn * mean, turn * mean) if turn else (mean, mean)


def compass_bearing(heading: float) -> float:
    """A heading [rad] as a compass shows it: 0 … 360 degrees, clockwise from north. North is y, east is x."""
    degrees = (90.0 - math.degrees(heading)) % 360.0
    return 0.0 if degrees == 360.0 else degrees
