"""Braitenberg vehicles: the speed of each wheel is a weighted sum of the nearness of objects or of the brightness.

Four vehicles are predefined for the e-puck's ring of eight sensors. They are the same two sums with other weights
(V. Braitenberg, Vehicles, 1984, chapters 2 and 3). Each sensor acts on the wheel on its own side or, crossed, on the
other one, and makes that wheel faster or slower.

| vehicle    | connections | a stimulus makes the wheel | behaviour in front of a stimulus    |
|------------|-------------|----------------------------|-------------------------------------|
| fear       | same side   | faster                     | turns away and speeds up            |
| aggression | crossed     | faster                     | turns towards it and speeds up      |
| love       | same side   | slower                     | turns towards it and stops          |
| explorer   | crossed     | slower                     | slows down, turns away and continues|

With `device="proximity"` the stimulus is the nearness of objects, with `device="light"` the brightness.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from paddock.control.policies.policy import seen_by
from paddock.core.argument_checks import all_finite
from paddock.core.errors import PaddockError, UnknownName, format_value
from paddock.core.jit import Kernel, kernel
from paddock.core.observation import Observation, WheelSpeeds

#        ps0  ps1  ps2  ps3  ps4  ps5  ps6  ps7: clockwise from the right of the nose
RIGHT = (1.0, 0.6, 0.3, 0.0, 0.0, 0.0, 0.0, 0.0)
LEFT = RIGHT[::-1]
DEVICES = {
    "proximity": (0.07, False),
    "light": (2.0, True),
}  # range [m] or [W/m²]; whether larger readings are a stronger stimulus

FIRST, COUNT, RANGE, RISES, LEFT_SPEED, RIGHT_SPEED, WEIGHTS = range(7)


@kernel
def braitenberg(plan, readings, wheels):
    """Compute the weighted sums."""
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
    """Wheel speed = base speed + Σ weight · stimulus.

    The stimulus of a distance sensor is the nearness of objects: 0 out of range … 1 touching. That of a light sensor
    (`rises`) is the brightness: 0 dark … 1 from `range` on.
    """

    left: tuple[float, ...]  # weight of every sensor on the left wheel [m/s]
    right: tuple[float, ...]
    speed: tuple[float, float] = (0.08, 0.08)  # base speed of the left and right wheel [m/s]
    range: float = 0.07  # of the sensors [m], or the light at which they saturate [W/m²]
    device: str = "proximity"
    rises: bool = False  # whether larger readings are a stronger stimulus: light, not distance

    kernel: ClassVar[Kernel] = braitenberg
    remembers = False

    def __post_init__(self) -> None:
        for name in ("left", "right", "speed"):
            if not isinstance(getattr(self, name), Sequence | np.ndarray):
                raise PaddockError(
                    f"Braitenberg: {name}: expected a tuple of numbers, got {format_value(getattr(self, name))}"
                )
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
        """The device that it uses."""
        return (self.device,)

    @property
    def weights(self) -> NDArray[np.float64]:
        """An empty table, as there are no weights to evolve; the constants are in the plan."""
        return np.empty((1, 0))

    @property
    def memory(self) -> NDArray[np.float64]:
        """Empty, as it has no memory."""
        return np.empty(0)

    def act(self, observation: Observation) -> WheelSpeeds:
        """Compute one decision, with the same arithmetic as in compiled runs."""
        seen = seen_by(self.devices, observation)
        self.check([(self.device, seen.counts[0])])
        wheels = np.empty(2)
        braitenberg(np.array(self.plan(seen.firsts, seen.counts)), seen.readings, wheels)
        return WheelSpeeds(*wheels.tolist())

    def check(self, sensors: Sequence[tuple[str, int]]) -> None:
        """Raise if the number of sensors of the device differs from the number of weights."""
        ((device, count),) = sensors
        if count != len(self.left):
            raise PaddockError(f"Braitenberg: {len(self.left)} weights, but {device} has {count} sensors")

    def plan(self, firsts: Sequence[int], counts: Sequence[int]) -> list[float]:
        """Return its parameters for the kernel."""
        return [firsts[0], len(self.left), self.range, float(self.rises), *self.speed, *self.left, *self.right]


@dataclass(frozen=True, kw_only=True, slots=True)
class Wiring:
    """Connections between the sensors and wheels of a vehicle."""

    crossed: bool
    strength: float  # effect of a full stimulus on a wheel, as a fraction of the speed; negative makes it slower
    idle: float = 1.0  # speed without a stimulus, as a fraction of the speed


VEHICLES = {
    "fear": Wiring(crossed=False, strength=1.0, idle=0.4),
    "aggression": Wiring(crossed=True, strength=1.0, idle=0.4),
    "love": Wiring(crossed=False, strength=-1.5),
    "explorer": Wiring(crossed=True, strength=-1.5),
}


def vehicle(name: str, *, speed: float = 0.08, device: str = "proximity") -> Braitenberg:
    """Return the vehicle with this name, for an e-puck."""
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
    """Return a vehicle that turns away from a stimulus and speeds up."""
    return vehicle("fear", speed=speed, device=device)


def aggression(speed: float = 0.08, device: str = "proximity") -> Braitenberg:
    """Return a vehicle that turns towards a stimulus and speeds up."""
    return vehicle("aggression", speed=speed, device=device)


def love(speed: float = 0.08, device: str = "proximity") -> Braitenberg:
    """Return a vehicle that turns towards a stimulus and stops in front of it."""
    return vehicle("love", speed=speed, device=device)


def explorer(speed: float = 0.08, device: str = "proximity") -> Braitenberg:
    """Return a vehicle that slows down in front of a stimulus, turns away and continues.

    With `proximity`, both front sensors turn it to the same side, left, so that it does not oscillate in a corner. Use
    it to wander among obstacles.
    """
    if device != "proximity":
        return vehicle("explorer", speed=speed, device=device)
    return Braitenberg(
        #      ps0    ps1    ps2  ps3  ps4  ps5    ps6    ps7
        left=(-0.30, -0.20, 0.00, 0.0, 0.0, 0.02, 0.02, -0.30),
        right=(0.10, 0.05, 0.02, 0.0, 0.0, 0.00, -0.10, 0.10),
        speed=(speed, speed),
    )
