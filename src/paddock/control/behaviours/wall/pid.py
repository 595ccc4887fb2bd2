"""PID control of the distance to the wall, with a simple rule for obstacles in front."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from paddock.control.behaviours.wall.wall_follower import MAX_SPEED, WallFollower, check_positive, clamp


@dataclass(kw_only=True)
class PidFollower(WallFollower):
    """Turn rate = PID of the error of the wall-side reading; a wall ahead slows the robot down and turns it away."""

    clearance: float  # target distance between the nearest sonar and the wall [m]
    speed: float = 0.30  # on a straight wall [m/s]
    proportional: float = 8.0  # turn rate per metre of error [rad/s/m]
    integral: float = 0.5  # turn rate per metre and second [rad/s²/m]
    derivative: float = 6.0  # turn rate per metre per second [rad/m]
    integral_most: float = 0.1  # limit of the integral [m s]
    error_most: float = 0.15  # limit of the error, also used if the wall is lost [m]
    turn_most: float = 1.5  # [rad/s]
    ahead: float = 0.32  # obstacles farther ahead have no effect [m]
    away: float = 12.0  # turn rate away from an obstacle ahead, per metre nearer than `ahead` [rad/s/m]
    max_speed: float = MAX_SPEED  # [m/s]
    wheel_separation: float = 0.33  # [m]

    def __post_init__(self) -> None:
        check_positive(self, "turn_most")

    def start(self, *, reverse: bool = False) -> None:
        """Reset the last error and the integral."""
        self._last_error, self._error_sum = math.nan, 0.0

    def update(
        self, ranges: Sequence[float], dt: float, wheel_speeds: tuple[float, float] | None = None
    ) -> tuple[float, float]:
        """Return wheel speeds [m/s], left and right, for a wall on the left."""
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
