"""StopTimes: how long a command may hold so that a robot without another one stands in time."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from paddock.core.observation import WheelSpeeds


@dataclass(frozen=True, kw_only=True, slots=True)
class StopTimes:
    """The time to a stand, shared out: first it is noticed that nothing valid comes, then wheels brake.

    It begins with the measurement that the last valid command rests on, and ends with wheels at rest. All of it is
    simulated time.
    """

    stands_within: float  # [s]
    notice: float  # [s] for which any command holds, or the robot would stop between two
    deceleration: float  # of a wheel [m/s²]
    tick: float = 0.02  # [s] in which wheels change their speed

    @property
    def max_speed(self) -> float:
        """Of a wheel [m/s]: a faster one does not stand in time."""
        return self.deceleration * self.tick * math.floor((self.stands_within - self.notice) / self.tick + 1e-6)

    def find_hold(self, wheels: Iterable[float]) -> float:
        """For how long wheel speeds [m/s] hold after the measurement that they rest on [s]."""
        braking = self.tick * math.ceil(max(map(abs, wheels)) / (self.deceleration * self.tick) - 1e-6)
        return max(self.notice, self.stands_within - braking)

    def limit(self, wheels: WheelSpeeds) -> WheelSpeeds:
        """Wheel speeds on the same curve, slow enough to stand in time."""
        shrink = min(1.0, self.max_speed / max(*map(abs, wheels), 1e-9))
        return WheelSpeeds(wheels.left * shrink, wheels.right * shrink)
