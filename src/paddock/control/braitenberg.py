"""Braitenberg vehicles: each wheel is driven by a weighted sum of how near things are."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from paddock.core.errors import PaddockError
from paddock.core.jit import kernel
from paddock.core.numeric import all_finite
from paddock.core.observation import Observation, WheelSpeeds

BRAITENBERG = 0
FIRST, COUNT, RANGE, LEFT_SPEED, RIGHT_SPEED, WEIGHTS = range(6)


@dataclass(frozen=True, kw_only=True)
class Braitenberg:
    """Wheel speed = its own speed + Σ weight · nearness; nearness is 0 out of range … 1 touching."""

    left: tuple[float, ...]  # weight of every sensor on the left wheel [m/s]
    right: tuple[float, ...]
    speed: tuple[float, float] = (0.08, 0.08)  # of the left and right wheel in the open [m/s]
    range: float = 0.07  # of the sensors [m]
    device: str = "proximity"

    number = BRAITENBERG

    def __post_init__(self) -> None:
        if len(self.left) != len(self.right):
            raise PaddockError(f"Braitenberg: {len(self.left)} weights on the left, {len(self.right)} on the right")
        if not all_finite(*self.left, *self.right, *self.speed):
            raise PaddockError("Braitenberg: expected finite weights and speeds")
        if not (all_finite(self.range) and self.range > 0):
            raise PaddockError(f"Braitenberg: expected a range > 0 m, got {self.range!r}")

    def act(self, observation: Observation) -> WheelSpeeds:
        """One decision; the same arithmetic as in compiled runs."""
        readings = np.atleast_1d(np.asarray(getattr(observation, self.device), np.float64))
        self.check(self.device, readings.size)
        wheels = np.empty(2)
        braitenberg(np.array(self.parameters(0)), readings, wheels)
        return WheelSpeeds(*wheels.tolist())

    def check(self, device: str, sensors: int) -> None:
        """Refuse a device that has another number of sensors than there are weights."""
        if sensors != len(self.left):
            raise PaddockError(f"Braitenberg: {len(self.left)} weights, but {device} has {sensors} sensors")

    def parameters(self, first: int) -> list[float]:
        """Its numbers for the kernel."""
        return [first, len(self.left), self.range, *self.speed, *self.left, *self.right]


def explorer(speed: float = 0.08) -> Braitenberg:
    """Drives on, veers from what is beside it and turns left at what is in front; for the e-puck's eight sensors.

    Both front sensors turn it to the same side, so that it does not waver in a corner.
    """
    return Braitenberg(
        #      ps0    ps1    ps2  ps3  ps4  ps5    ps6    ps7
        left=(-0.30, -0.20, 0.00, 0.0, 0.0, 0.02, 0.02, -0.30),
        right=(0.10, 0.05, 0.02, 0.0, 0.0, 0.00, -0.10, 0.10),
        speed=(speed, speed),
    )


@kernel
def braitenberg(parameters, readings, wheels):
    """The weighted sums."""
    first, count = int(parameters[FIRST]), int(parameters[COUNT])
    left, right = parameters[LEFT_SPEED], parameters[RIGHT_SPEED]
    for k in range(count):
        near = 1.0 - min(1.0, readings[first + k] / parameters[RANGE])
        left += parameters[WEIGHTS + k] * near
        right += parameters[WEIGHTS + count + k] * near
    wheels[0], wheels[1] = left, right
