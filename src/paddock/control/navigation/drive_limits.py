"""DriveLimits: limits of wheel speeds and accelerations, applied to twists."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

from paddock.core.errors import PaddockError
from paddock.core.observation import WheelSpeeds
from paddock.simulation.robots import RobotSpec


class Twist(NamedTuple):
    """Velocity of a robot: linear forward [m/s], and angular to the left [rad/s]."""

    linear: float
    angular: float


STILL = Twist(0.0, 0.0)


@dataclass(frozen=True, kw_only=True)
class DriveLimits:
    """Limits of a differential drive."""

    wheel_separation: float  # [m]
    max_speed: float  # of a wheel [m/s]
    max_acceleration: float = math.inf  # of a wheel [m/s²]
    speed: float = 0.5  # maximum forward speed [m/s]
    turn_rate: float = 1.2  # maximum [rad/s]
    reaction: float = 0.3  # maximum delay between a measurement and the reaction of the wheels [s]

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if not (isinstance(value, int | float) and value > 0):
                raise PaddockError(f"DriveLimits: {name}: expected a number > 0, got {value!r}")
        if self.speed > self.max_speed:
            raise PaddockError(
                f"DriveLimits: speed: expected at most {self.max_speed:g} m/s, the wheels' maximum, got {self.speed:g}"
            )

    @classmethod
    def of(cls, spec: RobotSpec, speed: float | None = None) -> DriveLimits:
        """Return the limits of a robot.

        Args:
            spec: the robot.
            speed: maximum forward speed [m/s]; None: half of the maximum wheel speed, and at most 0.5.
        """
        drive = spec.drive
        most = 2 * drive.max_speed / drive.wheel_separation
        return cls(
            wheel_separation=drive.wheel_separation,
            max_speed=drive.max_speed,
            max_acceleration=drive.max_acceleration or math.inf,
            speed=min(0.5, 0.5 * drive.max_speed) if speed is None else speed,
            turn_rate=min(1.2, 0.5 * most),
        )

    def wheels(self, twist: Twist) -> WheelSpeeds:
        """Return the wheel speeds for a twist; both parts are scaled down if a wheel would be too fast."""
        return WheelSpeeds.of_twist(twist.linear, twist.angular, self.wheel_separation).limit(self.max_speed)

    def twist(self, wheels: WheelSpeeds) -> Twist:
        """Return the twist for wheel speeds."""
        left, right = wheels
        return Twist((left + right) / 2, (right - left) / self.wheel_separation)

    def approach(self, now: Twist, target: Twist, seconds: float) -> Twist:
        """Return the twist after accelerating towards another for some time, within the limits of the wheels."""
        (left0, right0), (left1, right1) = self.wheels(now), self.wheels(target)
        change = max(abs(left1 - left0), abs(right1 - right0))
        share = min(1.0, self.max_acceleration * seconds / change) if change > 0 else 1.0
        return self.twist(WheelSpeeds(left0 + share * (left1 - left0), right0 + share * (right1 - right0)))

    def stopping_time(self, twist: Twist) -> float:
        """Return how long the path of a twist must be free so that the robot can stop in time [s].

        This is the reaction time plus half the braking time, because braking takes half the distance of full speed.
        """
        fastest = max(abs(speed) for speed in self.wheels(twist))
        return self.reaction + 0.5 * fastest / self.max_acceleration
