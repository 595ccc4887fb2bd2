"""PID control of the distance to the wall, with a simple rule for what is in front."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from paddock.control.wall.base import MAX_SPEED, WallFollower, clamp


@dataclass(kw_only=True)
class PidFollower(WallFollower):
    """Turn = P, I and D of the error of the wall-side reading; a wall ahead slows it down and turns it away."""

    clearance: float  # wanted between the nearest sonar and the wall [m]
    speed: float = 0.30  # on a straight wall [m/s]
    proportional: float = 8.0  # turn rate for each metre too far [rad/s/m]
    integral: float = 0.5  # … and for each metre and second [rad/s²/m]
    derivative: float = 6.0  # … and for each metre per second [rad/m]
    integral_most: float = 0.1  # limit of the integral [m s]
    error_most: float = 0.15  # limit of the error, so that a lost wall counts as this much too far [m]
    turn_most: float = 1.5  # [rad/s]
    ahead: float = 0.32  # what is farther ahead than this does not matter [m]
    away: float = 12.0  # turn rate away from what is ahead, for each metre nearer than that [rad/s/m]
    max_speed: float = MAX_SPEED  # [m/s]
    wheel_separation: float = 0.33  # [m]

    def start(self, *, reverse: bool = False) -> None:
        """Forget the last error and the sum of all."""
        self._last_error, self._error_sum = math.nan, 0.0

    def update(
        self, ranges: Sequence[float], dt: float, wheel_speeds: tuple[float, float] | None = None
    ) -> tuple[float, float]:
        """Wheel speeds [m/s], left and right, for a wall on the left."""
        error = clamp(min(ranges[0], ranges[1]) - self.clearance, self.error_most)
        self._error_sum = clamp(self._error_sum + error * dt, self.integral_most)
        change = 0.0 if math.isnan(self._last_error) or dt <= 0 else (error - self._last_error) / dt
        self._last_error = error
        turn = self.proportional * error + self.integral * self._error_sum + self.derivative * change
        blocked = max(0.0, self.ahead - min(ranges[2:5]))
        turn = clamp(turn - self.away * blocked, self.turn_most)
        speed = self.speed * max(0.1, 1 - abs(turn) / (1.2 * self.turn_most))
        half = turn * self.wheel_separation / 2
        return clamp(speed - half, self.max_speed), clamp(speed + half, self.max_speed)
