"""The study's own wall followers, as published, and better, tuned ones; all keep the study's distance."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from paddock.control.behaviours.wall import GeometryFollower, WallFollower
from paddock.control.behaviours.wall.wall_follower import MAX_SPEED, clamp

CLEARANCE = 0.23  # [m] the study's distance between the nearest sonar and the wall
WEIGHTS = tuple(math.radians(degrees) for degrees in (0.75, 0.55, 0.5, 0.25, 0.25, 0.5, 0.55, 0.75))
FAR = 1.0  # [m] range of the study's sonars, and their reading if nothing is detected


@dataclass(kw_only=True)
class StudyFollower(WallFollower):
    """Wheel speeds = baseline ± √|d − clearance|, where d is the smallest front reading.

    The wall-side wheel is the faster one if the wall is too near, and the slower one if it is too far. The study used
    the wheel's diameter as its radius, so its wheels turned at half (`speed_slip`) of the commanded speed.
    """

    gain: float
    multi: bool  # baseline = gain · weighted sum of all front readings; otherwise gain · smallest reading
    clearance: float = CLEARANCE  # [m]
    max_speed: float = MAX_SPEED  # limit of commands, before the slip [m/s]
    speed_slip: float = 0.5  # true wheel speed over commanded wheel speed

    def update(
        self, ranges: Sequence[float], dt: float, wheel_speeds: tuple[float, float] | None = None
    ) -> tuple[float, float]:
        """Return wheel speeds [m/s], left and right, for a wall on the left."""
        front = [min(reading, FAR) for reading in ranges[:8]]
        nearest = min(front)
        if self.multi:
            baseline = self.gain * sum(weight * reading for weight, reading in zip(WEIGHTS, front, strict=True))
        else:
            baseline = self.gain * nearest
        swerve = math.copysign(math.sqrt(abs(nearest - self.clearance)), self.clearance - nearest)
        return (
            self.speed_slip * clamp(baseline + swerve, self.max_speed),
            self.speed_slip * clamp(baseline - swerve, self.max_speed),
        )


MIN = StudyFollower(gain=1.3, multi=False)
MULTI = StudyFollower(gain=6.1, multi=True)
MIN_FAST = StudyFollower(gain=1.6, multi=False)
MULTI_FAST = StudyFollower(gain=7.5, multi=True)

# Found by `tune.py`: 10 rounds of 14 draws on the wall loop. Each draw drove four loops (two seeds, both directions)
# with 2 mm of sonar noise. Its cost was the mean error [cm], plus 0.05 for each second above 100 s, plus large
# penalties for contacts, lost walls and unfinished loops.
TUNED = GeometryFollower(
    clearance=CLEARANCE,
    speed=1.163,
    inside_speed=0.323,
    outside_speed=0.521,
    turn_radius=0.124,
    turn_lead=0.075,
    edge_lead=0.097,
    edge_slant=0.0,
    approach=4.185,
    steer=4.786,
    turn_most=2.547,
    brake=0.612,
    noise=0.005,
)
TUNED_SLOW = TUNED.at_speed(0.15)
