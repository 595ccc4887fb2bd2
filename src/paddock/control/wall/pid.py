"""PID on the distance to the wall: the textbook's law, with a simple rule for what is in front."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from paddock.control.wall.base import CLEARANCE, MAX_SPEED, Follow, Side, capped, follow_with


@dataclass(frozen=True, kw_only=True, slots=True)
class PidLaw:
    """Turn = P, I and D of the error of the wall-side reading; a wall ahead slows it down and turns it away."""

    speed: float = 0.30  # on a straight wall [m/s]
    proportional: float = 8.0  # turn rate for each metre too far [rad/s/m]
    integral: float = 0.5  # … and for each metre and second [rad/s²/m]
    derivative: float = 6.0  # … and for each metre per second [rad/m]
    integral_most: float = 0.1  # the integral counts at most so much [m s]
    error_most: float = 0.15  # a wall that is lost counts as so much too far [m]
    turn_most: float = 1.5  # [rad/s]
    ahead: float = 0.32  # nearest free distance ahead that does not matter [m]
    away: float = 12.0  # turn rate away from what is ahead, for each metre nearer than that [rad/s/m]
    clearance: float = CLEARANCE  # [m]
    max_speed: float = MAX_SPEED  # [m/s]
    wheel_separation: float = 0.33  # [m]

    def begin(self, side: Side, reverse: bool = False) -> Follow:
        """A walk that remembers the last error and the sum of all."""
        last, total = math.nan, 0.0

        def think(seen: Sequence[float], dt: float, rims: tuple[float, float] | None) -> tuple[float, float]:
            nonlocal last, total
            error = capped(min(seen[0], seen[1]) - self.clearance, self.error_most)
            total = capped(total + error * dt, self.integral_most)
            change = 0.0 if math.isnan(last) or dt <= 0 else (error - last) / dt
            last = error
            turn = self.proportional * error + self.integral * total + self.derivative * change
            blocked = max(0.0, self.ahead - min(seen[2:5]))
            turn = capped(turn - self.away * blocked, self.turn_most)
            speed = self.speed * max(0.1, 1 - abs(turn) / (1.2 * self.turn_most))
            half = turn * self.wheel_separation / 2
            return capped(speed - half, self.max_speed), capped(speed + half, self.max_speed)

        return follow_with(think, side, reverse)
