"""Braitenberg vehicles: each wheel is driven by a weighted sum of how near, or how bright, things are.

Four of them are made for the e-puck's ring of eight sensors. They are the same two sums with other weights
(V. Braitenberg, Vehicles, 1984, chapters 2 and 3): each sensor drives the wheel on its own side or, crossed, the other
one; and it makes that wheel faster, or slower.

| vehicle    | wires     | a stimulus makes the wheel | before what it senses                       |
|------------|-----------|----------------------------|---------------------------------------------|
| fear       | same side | faster                     | it turns away and hurries off               |
| aggression | crossed   | faster                     | it turns to it and charges                  |
| love       | same side | slower                     | it turns to it and comes to rest            |
| explorer   | crossed   | slower                     | it slows down, turns away and goes on       |

`device="proximity"`: what they sense is how near things are; `device="light"`: how bright it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from paddock.core.errors import PaddockError, UnknownName
from paddock.core.jit import Kernel, kernel
from paddock.core.numeric import all_finite
from paddock.core.observation import Observation, WheelSpeeds
from paddock.policies.inputs import seen_by

#        ps0  ps1  ps2  ps3  ps4  ps5  ps6  ps7: clockwise from the right of the nose
RIGHT = (1.0, 0.6, 0.3, 0.0, 0.0, 0.0, 0.0, 0.0)
LEFT = RIGHT[::-1]
DEVICES = {"proximity": (0.07, False), "light": (2.0, True)}  # range [m] or [W/m²]; whether larger readings mean more

FIRST, COUNT, RANGE, RISES, LEFT_SPEED, RIGHT_SPEED, WEIGHTS = range(7)


@kernel
def braitenberg(plan, readings, wheels):
    """The weighted sums."""
    first, count = int(plan[FIRST]), int(plan[COUNT])
    left, right = plan[LEFT_SPEED], plan[RIGHT_SPEED]
    for k in range(count):
        stimulus = max(0.0, min(1.0, readings[first + k] / plan[RANGE]))
        if plan[RISES] == 0.0:
            stimulus = 1.0 - stimulus
        left += plan[WEIGHTS + k] * stimulus
        right += plan[WEIGHTS + count + k] * stimulus
    wheels[0], wheels[1] = left, right


@dataclass(frozen=True, kw_only=True)
class Braitenberg:
    """Wheel speed = its own speed + Σ weight · stimulus.

    The stimulus of a distance sensor is how near things are: 0 out of range … 1 touching. That of a light sensor
    (`rises`) is how bright it is: 0 dark … 1 from `range` on.
    """

    left: tuple[float, ...]  # weight of every sensor on the left wheel [m/s]
    right: tuple[float, ...]
    speed: tuple[float, float] = (0.08, 0.08)  # of the left and right wheel in the open [m/s]
    range: float = 0.07  # of the sensors [m], or the light that dazzles them [W/m²]
    device: str = "proximity"
    rises: bool = False  # whether larger readings mean more: light, not distance

    kernel: ClassVar[Kernel] = braitenberg
    remembers = False

    def __post_init__(self) -> None:
        if len(self.left) != len(self.right):
            raise PaddockError(f"Braitenberg: {len(self.left)} weights on the left, {len(self.right)} on the right")
        if not all_finite(*self.left, *self.right):
            raise PaddockError("Braitenberg: expected finite weights")
        if len(self.speed) != 2 or not all_finite(*self.speed):
            raise PaddockError(f"Braitenberg: expected finite speeds of the left and right wheel, got {self.speed!r}")
        if not (all_finite(self.range) and self.range > 0):
            raise PaddockError(f"Braitenberg: expected a range > 0, got {self.range!r}")

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
        return [firsts[0], len(self.left), self.range, float(self.rises), *self.speed, *self.left, *self.right]


@dataclass(frozen=True, kw_only=True, slots=True)
class Wiring:
    """How a vehicle is wired."""

    crossed: bool
    strength: float  # of a full stimulus on a wheel, as a share of the speed; negative makes it slower
    idle: float = 1.0  # speed where there is no stimulus, as a share of the speed


VEHICLES = {
    "fear": Wiring(crossed=False, strength=1.0, idle=0.4),
    "aggression": Wiring(crossed=True, strength=1.0, idle=0.4),
    "love": Wiring(crossed=False, strength=-1.5),
    "explorer": Wiring(crossed=True, strength=-1.5),
}


def vehicle(name: str, *, speed: float = 0.08, device: str = "proximity") -> Braitenberg:
    """The vehicle of that name, for an e-puck."""
    if name not in VEHICLES:
        raise UnknownName("vehicle", name, VEHICLES)
    if device not in DEVICES:
        raise UnknownName("device for a vehicle", device, DEVICES)
    if not all_finite(speed):
        raise PaddockError(f"{name}: expected a finite speed in m/s, got {speed!r}")
    wiring, (reach, rises) = VEHICLES[name], DEVICES[device]
    own, other = (RIGHT, LEFT) if wiring.crossed else (LEFT, RIGHT)
    return Braitenberg(
        left=tuple(wiring.strength * speed * weight for weight in own),
        right=tuple(wiring.strength * speed * weight for weight in other),
        speed=(wiring.idle * speed, wiring.idle * speed),
        range=reach,
        device=device,
        rises=rises,
    )


def fear(speed: float = 0.08, device: str = "proximity") -> Braitenberg:
    """Turns away from what it senses, and hurries off."""
    return vehicle("fear", speed=speed, device=device)


def aggression(speed: float = 0.08, device: str = "proximity") -> Braitenberg:
    """Turns to what it senses, and charges."""
    return vehicle("aggression", speed=speed, device=device)


def love(speed: float = 0.08, device: str = "proximity") -> Braitenberg:
    """Turns to what it senses, and comes to rest before it."""
    return vehicle("love", speed=speed, device=device)


def explorer(speed: float = 0.08, device: str = "proximity") -> Braitenberg:
    """Slows down before what it senses, turns away and goes on.

    With `proximity`, both front sensors turn it to the same side, left, so that it does not waver in a corner; that
    makes it the vehicle for wandering among obstacles.
    """
    if device != "proximity":
        return vehicle("explorer", speed=speed, device=device)
    return Braitenberg(
        #      ps0    ps1    ps2  ps3  ps4  ps5    ps6    ps7
        left=(-0.30, -0.20, 0.00, 0.0, 0.0, 0.02, 0.02, -0.30),
        right=(0.10, 0.05, 0.02, 0.0, 0.0, 0.00, -0.10, 0.10),
        speed=(speed, speed),
    )
