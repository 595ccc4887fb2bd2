"""Braitenberg vehicles: each wheel is driven by a weighted sum of how near things are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from paddock.control.inputs import seen_by
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
    remembers = False

    def __post_init__(self) -> None:
        if len(self.left) != len(self.right):
            raise PaddockError(f"Braitenberg: {len(self.left)} weights on the left, {len(self.right)} on the right")
        if not all_finite(*self.left, *self.right, *self.speed):
            raise PaddockError("Braitenberg: expected finite weights and speeds")
        if not (all_finite(self.range) and self.range > 0):
            raise PaddockError(f"Braitenberg: expected a range > 0 m, got {self.range!r}")

    @property
    def devices(self) -> tuple[str, ...]:
        """The one device that it looks at."""
        return (self.device,)

    @property
    def weights(self) -> NDArray[np.float64]:
        """None that evolution could change: they are in the plan."""
        return np.empty((1, 0))

    @property
    def memory(self) -> NDArray[np.float64]:
        """None."""
        return np.empty(0)

    def act(self, observation: Observation) -> WheelSpeeds:
        """One decision; the same arithmetic as in compiled runs."""
        seen = seen_by(self.devices, observation)
        self.check([(self.device, seen.counts[0])])
        wheels = np.empty(2)
        braitenberg(np.array(self.plan(seen.firsts, seen.counts)), seen.readings, wheels)
        return WheelSpeeds(*wheels.tolist())

    def check(self, sensors: Sequence[tuple[str, int]]) -> None:
        """Refuse a device that has another number of sensors than there are weights."""
        ((device, count),) = sensors
        if count != len(self.left):
            raise PaddockError(f"Braitenberg: {len(self.left)} weights, but {device} has {count} sensors")

    def plan(self, firsts: Sequence[int], counts: Sequence[int]) -> list[float]:
        """Its numbers for the kernel."""
        return [firsts[0], len(self.left), self.range, *self.speed, *self.left, *self.right]


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
def braitenberg(plan, readings, wheels):
    """The weighted sums."""
    first, count = int(plan[FIRST]), int(plan[COUNT])
    left, right = plan[LEFT_SPEED], plan[RIGHT_SPEED]
    for k in range(count):
        near = 1.0 - min(1.0, readings[first + k] / plan[RANGE])
        left += plan[WEIGHTS + k] * near
        right += plan[WEIGHTS + count + k] * near
    wheels[0], wheels[1] = left, right
