"""Errors of odometry: compares commanded turns and drives with external measurements."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from paddock.core.geometry import Pose, wrap
from paddock.experiments.ecoli.waypoint_robots.motion import CONSTANTS

MotionKind = Literal["turn", "distance"]


@dataclass(frozen=True, kw_only=True, slots=True)
class MeasuredMotion:
    """A turn [rad] or a straight drive [m]."""

    kind: MotionKind
    commanded: float
    measured: float
    seconds: float  # duration reported by the robot

    @property
    def error(self) -> float:
        """Measured minus commanded value."""
        return self.measured - self.commanded

    @property
    def ratio(self) -> float:
        """Measured divided by commanded value."""
        return self.measured / self.commanded


def measure_turn(commanded: float, before: Pose, after: Pose) -> float:
    """Return the turn [rad] between two poses, assuming that its error is less than half a turn."""
    return commanded + wrap(after.heading - before.heading - commanded)


def measure_distance(before: Pose, after: Pose) -> float:
    """Return the driven distance [m] between two poses; negative if the robot drove backwards."""
    x, y = after.x - before.x, after.y - before.y
    return math.copysign(math.hypot(x, y), x * math.cos(before.heading) + y * math.sin(before.heading))


@dataclass(frozen=True, kw_only=True, slots=True)
class OdometryErrors:
    """Odometry parameters estimated from measured motions. NaN if no motion of a kind was measured."""

    motions: Sequence[MeasuredMotion]

    @property
    def turn_ratio(self) -> float:
        """Ratio of measured to commanded angles, by least squares."""
        return self._fit("turn")

    @property
    def distance_ratio(self) -> float:
        """Ratio of measured to commanded distances, by least squares."""
        return self._fit("distance")

    @property
    def wheel_diameter(self) -> float:
        """Wheel diameter that explains the distances [m]."""
        return CONSTANTS.wheel_diameter * self.distance_ratio

    @property
    def wheel_separation(self) -> float:
        """Wheel separation that explains the turns, with this wheel diameter [m]."""
        return CONSTANTS.wheel_separation * self.distance_ratio / self.turn_ratio

    def _fit(self, kind: MotionKind) -> float:
        pairs = [(motion.commanded, motion.measured) for motion in self.motions if motion.kind == kind]
        squares = sum(commanded**2 for commanded, _ in pairs)
        return sum(commanded * measured for commanded, measured in pairs) / squares if squares else math.nan
