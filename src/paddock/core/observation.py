"""Input (Observation) and output (Command) of a controller on every kind of robot; arrays with names."""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, NamedTuple, cast

import numpy as np
from msgspec import Meta, Struct, field
from numpy.typing import NDArray

from paddock.core.argument_checks import check_arguments
from paddock.core.errors import PaddockError, UnknownName, format_value
from paddock.core.jit import Kernel

if TYPE_CHECKING:
    from PIL.Image import Image


Readings = NDArray[np.float64]
# Attributes of robots that programs look for in observations, and what controllers do instead.
INSTEAD = {
    **dict.fromkeys(("wheels", "drive"), "return the wheel speeds (left, right) in m/s"),
    "stop": "return (0, 0)",
    "leds": "return paddock.Command(leds={name: brightness})",
    "speaker": "return paddock.Command(tone=(frequency, amplitude))",
    "pose": "a robot does not know its true pose",
}
MAX_SHOWN = 16  # maximum number of values of a device in a printed observation
Finite = Annotated[float, Meta(ge=-sys.float_info.max, le=sys.float_info.max, description="a finite number")]


class WheelSpeeds(NamedTuple):
    """Wheel speeds [m/s]."""

    left: float
    right: float

    @classmethod
    def of_twist(cls, linear: float, angular: float, wheel_separation: float) -> WheelSpeeds:
        """Return the wheel speeds of a twist, linear [m/s] and angular [rad/s]."""
        half = angular * wheel_separation / 2
        return cls(linear - half, linear + half)

    def limit(self, max_speed: float) -> WheelSpeeds:
        """Return wheel speeds on the same curve; both are scaled down if a wheel would be too fast."""
        shrink = min(1.0, max_speed / max(abs(self.left), abs(self.right), 1e-9))
        return WheelSpeeds(self.left * shrink, self.right * shrink)


class Command(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """A command to one robot; omitted fields stay unchanged. Messages contain this class directly."""

    wheels: tuple[Finite, Finite] | None = None  # wheel speeds left, right [m/s]; capped at the robot's maximum
    pans: Mapping[str, Finite] = field(default_factory=dict)  # target angle [rad] by pivoting device
    leds: Mapping[str, Finite] = field(default_factory=dict)  # brightness 0 … 1 by LED
    tone: tuple[Finite, Finite] | None = None  # frequency [Hz], amplitude at 1 m; `[0, 0]` is silence
    third: Finite = (
        0.0  # with `wheels`: speed to the left of an omnidirectional drive [m/s], or steering angle of a car [rad]
    )


class Slot(NamedTuple):
    """Position of a device's values in a row of readings, and the function that converts them for users."""

    first: int
    last: int
    show: Callable[[Readings], Any]


class Observation:
    """Readings of all enabled devices: one attribute per device, and the `time` [s] of the readings."""

    __slots__ = ("_pictures", "_readings", "_slots", "time")

    if TYPE_CHECKING:  # so that editors complete the devices of shipped robots; an observation has those that were read
        accelerometer: Any
        back_laser: Any
        battery: Any
        bumper: Any
        camera: Any
        compass: Any
        distance: Any
        encoders: Any
        front_laser: Any
        ground: Any
        gyroscope: Any
        inertial: Any
        infrared: Any
        ins: Any
        laser: Any
        light: Any
        line: Any
        microphone: Any
        microphones: Any
        nose: Any
        orientation: Any
        position: Any
        proximity: Any
        range: Any
        selector: Any
        sonar: Any
        temperature: Any
        tof: Any
        turret: Any
        vision: Any

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
        raise self._unknown_device(name)

    def _unknown_device(self, name: str) -> UnknownName:
        """Return the error for a device that was not read, with the fix."""
        if name in INSTEAD:
            return UnknownName("reading", name, list(self), fix=INSTEAD[name])
        fix = f'if the robot has it, enable it with robot.enable("{name}") before arena.run() or robot.sense()'
        return UnknownName("enabled device", name, list(self), fix=fix)

    def __iter__(self) -> Iterator[str]:
        """Iterate over the names of the devices that were read."""
        yield from self._slots
        yield from self._pictures or ()

    @property
    def sensors(self) -> tuple[str, ...]:
        """The names of the devices that were read, without cameras."""
        return tuple(self._slots)

    def only(self, names: Collection[str]) -> Observation:
        """Return the same observation restricted to some devices."""
        return type(self)(self.time, self._readings, {n: s for n, s in self._slots.items() if n in names})

    def parts(self) -> tuple[float, Readings, Mapping[str, Slot], Mapping[str, NDArray[np.uint8]] | None]:
        """Return the constructor arguments, to create an equal observation in another process."""
        return self.time, self._readings, self._slots, self._pictures

    def __reduce__(self) -> tuple[type[Observation], tuple[Any, ...]]:
        """Copy and pickle through the constructor: `__getattr__` would recurse on a partially filled object."""
        return type(self), self.parts()

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self]

    def __repr__(self) -> str:
        values = [f"{name}={_format_reading(getattr(self, name))}" for name in self]
        return f"Observation({', '.join([f'time={self.time:.3f}', *values])})"


def _format_reading(reading: Any) -> str:
    """Format a reading in one line: a number, named values, a short array, or the size of an image."""
    if isinstance(reading, Picture):
        return f"<image of {reading.shape[1]} x {reading.shape[0]} pixels>"
    if isinstance(reading, float):
        return f"{reading:.4g}"
    if isinstance(reading, np.ndarray) and not isinstance(reading, Named):
        values = [str(value) if isinstance(value, bool) else f"{value:.4g}" for value in reading.tolist()]
        if len(values) <= MAX_SHOWN:
            return f"[{', '.join(values)}]"
        return f"[{', '.join([*values[:3], '…', *values[-3:]])}] ({len(values)} values)"
    if isinstance(reading, tuple):
        fields = getattr(reading, "_fields", ())
        return f"{type(reading).__name__}({', '.join(f'{n}={v:.4g}' for n, v in zip(fields, reading, strict=False))})"
    return repr(reading)


def acting(controller: Any) -> Callable[[Observation], Any]:
    """Return the function to call: `controller.act`, or the controller itself."""
    if isinstance(controller, type):
        name = controller.__name__
        raise PaddockError(f"the controller {name} is a class: expected an object, {name}()")
    act = getattr(controller, "act", controller)
    if isinstance(act, Kernel):
        act = act.function  # an observation is a Python object
    if not callable(act):
        raise PaddockError(
            f"{_describe_object(controller)} is not a controller: expected a function act(observation) or an object "
            "with such a method"
            + ("; RunSpec(drivers=…) takes the name of a file" if isinstance(controller, str) else "")
        )
    check_arguments(act, "controller", "observation")
    return act  # type: ignore[no-any-return]


def _describe_object(value: Any) -> str:
    """Describe a value of a user; an object without its own text by its class and its methods, not by its address."""
    kind = type(value)
    if getattr(kind, "__repr__", None) is not getattr(object, "__repr__", None):
        return repr(value)
    methods = [name for name, there in vars(kind).items() if callable(there) and not name.startswith("_")]
    return f"the object of class {kind.__name__} (its methods: {', '.join(methods) or 'none'})"


class Named(np.ndarray[Any, np.dtype[np.float64]]):
    """An array whose components are also attributes."""

    names: ClassVar[tuple[str, ...]] = ()

    def __getattr__(self, name: str) -> float:
        if name not in self.names:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        return float(self[self.names.index(name)])

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self.names]

    def __repr__(self) -> str:
        if self.shape != (len(self.names),):
            return repr(np.asarray(self))
        return f"{type(self).__name__}({', '.join(f'{n}={v:g}' for n, v in zip(self.names, self, strict=True))})"


class Acceleration(Named):
    """Acceleration along x (forward), y (left) and z (up), gravity included [m/s²]."""

    names = ("x", "y", "z")


class TurnRates(Named):
    """Turn rates about x (forward), y (left) and z (up) [rad/s]."""

    names = ("x", "y", "z")


class Travel(Named):
    """Travel of the left and right wheel, at the rim [m]."""

    names = ("left", "right")


class Picture(np.ndarray[Any, np.dtype[np.uint8]]):
    """An upright image: uint8 [row, column, rgb]. OpenCV accepts it, but expects blue, green, red."""

    def to_pil(self) -> Image:
        """Convert to a Pillow image."""
        from PIL import Image

        return Image.fromarray(np.asarray(self))


def as_picture(pixels: NDArray[np.uint8]) -> Picture:
    """Return a view of an array as an image, without copying."""
    return cast(Picture, pixels.view(Picture))


def as_floats(what: str, value: Any, ndmin: int = 0) -> NDArray[np.float64]:
    """Return a copy of numbers as an array, or raise an error that names them by `what`."""
    try:
        return np.array(value, np.float64, ndmin=ndmin)
    except (TypeError, ValueError):
        raise PaddockError(f"{what}: expected numbers, got {format_value(value)}") from None
