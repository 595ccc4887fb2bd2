"""Errors of odometry: what a robot was told to turn and drive, beside what it did as measured from outside."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from paddock.core.geometry import Pose, wrap
from paddock.orders.motion import CONSTANTS

MotionKind = Literal["turn", "way"]


@dataclass(frozen=True, kw_only=True, slots=True)
class MeasuredMotion:
    """A turn [rad] or a straight way [m]."""

    kind: MotionKind
    commanded: float
    measured: float
    seconds: float  # that it took, as the robot tells

    @property
    def error(self) -> float:
        """Measured less commanded."""
        return self.measured - self.commanded

    @property
    def ratio(self) -> float:
        """Measured by commanded."""
        return self.measured / self.commanded


def measure_turn(commanded: float, before: Pose, after: Pose) -> float:
    """How far a robot has turned [rad], from its pose before and after; the error is less than half a turn."""
    return commanded + wrap(after.heading - before.heading - commanded)


def measure_way(before: Pose, after: Pose) -> float:
    """How far a robot has driven [m]; the sense of its heading counts."""
    x, y = after.x - before.x, after.y - before.y
    return math.copysign(math.hypot(x, y), x * math.cos(before.heading) + y * math.sin(before.heading))


@dataclass(frozen=True, kw_only=True, slots=True)
class OdometryErrors:
    """What measured motions say about a robot. NaN where none of a kind was measured."""

    motions: Sequence[MeasuredMotion]

    @property
    def turn_ratio(self) -> float:
        """Measured by commanded angle, least squares."""
        return self._fit("turn")

    @property
    def way_ratio(self) -> float:
        """Measured by commanded way, least squares."""
        return self._fit("way")

    @property
    def wheel_diameter(self) -> float:
        """That explains the ways [m]."""
        return CONSTANTS.wheel_diameter * self.way_ratio

    @property
    def wheel_separation(self) -> float:
        """That explains the turns, with wheels of that diameter [m]."""
        return CONSTANTS.wheel_separation * self.way_ratio / self.turn_ratio

    def _fit(self, kind: MotionKind) -> float:
        pairs = [(motion.commanded, motion.measured) for motion in self.motions if motion.kind == kind]
        squares = sum(commanded**2 for commanded, _ in pairs)
        return sum(commanded * measured for commanded, measured in pairs) / squares if squares else math.nan
