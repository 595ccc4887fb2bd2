"""The two laws of the wall-following study of De Montfort University (2019), to the letter."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from paddock.control.wall.base import CLEARANCE, MAX_SPEED, Follow, Side, capped, follow_with

WEIGHTS = tuple(math.radians(degrees) for degrees in (0.75, 0.55, 0.5, 0.25, 0.25, 0.5, 0.55, 0.75))
FAR = 1.0  # [m] the study's sonars end here, and read this when they see nothing


@dataclass(frozen=True, kw_only=True, slots=True)
class PaperLaw:
    """Baseline ± √|d − clearance|, d being the smallest front reading.

    The wall-side wheel is the faster one when the wall is too near, and the slower one when it is too far. The study
    took the wheel's diameter for its radius: its wheels turned at half (`speed_slip`) of what the law asks.
    """

    gain: float
    multi: bool  # baseline = gain · weighted sum of all front readings; otherwise gain · smallest reading
    clearance: float = CLEARANCE  # [m]
    max_speed: float = MAX_SPEED  # what the law asks is capped here, before the slip [m/s]
    speed_slip: float = 0.5  # true rim speed over asked rim speed

    def begin(self, side: Side, reverse: bool = False) -> Follow:
        """A walk; this law remembers nothing."""
        return follow_with(self.wheels, side, reverse)

    def wheels(
        self, seen: Sequence[float], dt: float = 0.0, rims: tuple[float, float] | None = None
    ) -> tuple[float, float]:
        """Rim speeds [m/s], left and right, for a wall on the left."""
        front = [min(reading, FAR) for reading in seen[:8]]
        nearest = min(front)
        if self.multi:
            baseline = self.gain * sum(weight * reading for weight, reading in zip(WEIGHTS, front, strict=True))
        else:
            baseline = self.gain * nearest
        swerve = math.copysign(math.sqrt(abs(nearest - self.clearance)), self.clearance - nearest)
        return (
            self.speed_slip * capped(baseline + swerve, self.max_speed),
            self.speed_slip * capped(baseline - swerve, self.max_speed),
        )
