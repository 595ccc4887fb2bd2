"""What a controller sees (Observation) and what it answers (Command), wherever the robot's body is."""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Annotated, Any, NamedTuple

import numpy as np
from msgspec import Meta, Struct, field
from numpy.typing import NDArray

from paddock.core.errors import PaddockError, UnknownName
from paddock.core.jit import Kernel
from paddock.core.values import as_picture

Readings = NDArray[np.float64]
Finite = Annotated[float, Meta(ge=-sys.float_info.max, le=sys.float_info.max, description="a finite number")]


class WheelSpeeds(NamedTuple):
    """Wheel speeds [m/s]."""

    left: float
    right: float


class Command(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """What one robot wants; what is left out stays as it is. It travels in messages as it is."""

    wheels: tuple[Finite, Finite] | None = None  # wheel speeds left, right [m/s], at the rim
    pans: Mapping[str, Finite] = field(default_factory=dict)  # pan angle [rad] by device
    leds: Mapping[str, Finite] = field(default_factory=dict)  # brightness 0 … 1 by lamp
    tone: tuple[Finite, Finite] | None = None  # frequency [Hz], amplitude at 1 m


class Slot(NamedTuple):
    """Where a device's values lie in a row of readings, and how they are shown."""

    first: int
    last: int
    show: Callable[[Readings], Any]


class Observation:
    """One look at all enabled devices: an attribute for each, and the `time` [s] it was taken at."""

    __slots__ = ("_pictures", "_readings", "_slots", "time")

    def __init__(
        self,
        time: float,
        readings: Readings,
        slots: Mapping[str, Slot],
        pictures: Mapping[str, NDArray[np.uint8]] | None = None,
    ) -> None:
        self.time = time
        self._readings = readings
        self._slots = slots
        self._pictures = pictures

    def __getattr__(self, name: str) -> Any:
        slot = self._slots.get(name)
        if slot is not None:
            return slot.show(self._readings[slot.first : slot.last])
        if self._pictures is not None and name in self._pictures:
            return as_picture(self._pictures[name])
        fix = "" if list(self) else "robot.enable() before the run, as no device is enabled"
        raise UnknownName("enabled device", name, list(self), expected=fix)

    def __iter__(self) -> Iterator[str]:
        """The names of the devices that were read."""
        yield from self._slots
        yield from self._pictures or ()

    @property
    def sensors(self) -> tuple[str, ...]:
        """The names of the devices that were read, without cameras."""
        return tuple(self._slots)

    def only(self, names: Collection[str]) -> Observation:
        """The same look at fewer devices."""
        return Observation(self.time, self._readings, {n: s for n, s in self._slots.items() if n in names})

    def parts(self) -> tuple[float, Readings, Mapping[str, Slot], Mapping[str, NDArray[np.uint8]] | None]:
        """What it is made of, to make it anew elsewhere."""
        return self.time, self._readings, self._slots, self._pictures

    def __reduce__(self) -> tuple[type[Observation], tuple[Any, ...]]:
        """Copies and pickles are made anew: while half filled, `__getattr__` would look for itself."""
        return Observation, self.parts()

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self]

    def __repr__(self) -> str:
        return f"Observation(time={self.time:.3f}, devices={', '.join(self)})"


def acting(controller: Any) -> Callable[[Observation], Any]:
    """The function to call: `controller.act`, or the controller itself."""
    if isinstance(controller, type):
        name = controller.__name__
        raise PaddockError(f"the controller {name} is a class: expected an object, {name}()")
    act = getattr(controller, "act", controller)
    if isinstance(act, Kernel):
        act = act.function  # an observation is a Python object
    if not callable(act):
        raise PaddockError(
            f"{controller!r} is not a controller: expected a function act(observation) or an object with such a method"
        )
    return act  # type: ignore[no-any-return]
