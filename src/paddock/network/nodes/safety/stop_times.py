"""StopTimes: how long a command stays valid, so that a robot that receives no new one stops in time."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from paddock.core.observation import WheelSpeeds


@dataclass(frozen=True, kw_only=True, slots=True)
class StopTimes:
    """The stopping time of a robot, divided into the detection of missing commands and braking.

    It starts with the measurement of the last valid command and ends with wheels at rest, in simulated time.
    """

    stop_within: float  # [s] maximum stopping time
    notice: float  # [s] minimum validity of a command; with less, the robot would stop between two commands
    deceleration: float  # of a wheel [m/s²]
    tick: float = 0.02  # [s] step in which wheels change their speed

    @property
    def max_speed(self) -> float:
        """Maximum wheel speed [m/s] from which the robot stops in time."""
        return self.deceleration * self.tick * math.floor((self.stop_within - self.notice) / self.tick + 1e-6)

    def find_hold(self, wheels: Iterable[float]) -> float:
        """Return how long wheel speeds [m/s] stay valid after the measurement that they are based on [s]."""
        braking = self.tick * math.ceil(max(map(abs, wheels)) / (self.deceleration * self.tick) - 1e-6)
        return max(self.notice, self.stop_within - braking)

    def limit(self, wheels: WheelSpeeds) -> WheelSpeeds:
        """Return wheel speeds on the same curve that are slow enough to stop in time."""
        return wheels.limit(self.max_speed)
