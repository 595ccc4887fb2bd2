"""BenchRobot: the hardware of an e-puck on an infinite empty floor, for tests of firmwares without a simulation."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Mapping
from contextlib import AbstractContextManager

from paddock.core.argument_checks import wrap_int16
from paddock.core.geometry import ORIGIN, Pose
from paddock.perception.estimation.odometry import Odometry

STEP = math.pi * 0.041 / 1000  # [m]
FASTEST = 1000  # [steps/s]


class BenchRobot:
    """A robot whose wheels turn exactly as commanded. The test advances time with `roll` and sets the readings."""

    kind = "e-puck"

    def __init__(self, dt: float, pose: Pose = ORIGIN) -> None:
        self.dt = dt  # length of a tick [s]
        self.proximity = (0,) * 8  # raw values
        self.leds: dict[str, float] = {}
        self.speeds = (0, 0)  # commanded [steps/s]
        self._steps = [0.0, 0.0]
        self._odometry = Odometry(0.053, pose=pose)
        self._odometry.update(0.0, 0.0)

    @property
    def pose(self) -> Pose:
        """True pose."""
        return self._odometry.pose

    def roll(self) -> None:
        """Simulate one tick."""
        self._steps = [
            steps + max(-FASTEST, min(FASTEST, speed)) * self.dt
            for steps, speed in zip(self._steps, self.speeds, strict=True)
        ]
        self._odometry.update(*(steps * STEP for steps in self._steps))

    def hold_clock(self) -> AbstractContextManager[object]:
        return contextlib.nullcontext()

    def read(self, device: str) -> tuple[int, ...]:
        if device == "encoders":
            return tuple(wrap_int16(round(steps)) for steps in self._steps)
        return self.proximity if device == "proximity" else ()

    def read_heading(self) -> None:
        """Return None, as it has no compass."""

    def read_picture(self) -> None:
        """Return None, as it has no camera."""

    def read_leds(self) -> Mapping[str, float]:
        return self.leds

    def set_speeds(self, left: int, right: int) -> None:
        self.speeds = left, right

    def set_led(self, name: str, brightness: float) -> None:
        self.leds[name] = brightness

    def play_tone(self, frequency: float, amplitude: float) -> None:
        """Do nothing, as it has no speaker."""
