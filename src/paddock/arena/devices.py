"""Handles to the devices of a robot: sensors, LEDs and speakers."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from paddock.core.argument_checks import all_finite
from paddock.core.errors import DeviceNotEnabled, DeviceRefused, UnknownName, format_value, with_article
from paddock.core.geometry import Pose
from paddock.core.observation import Acceleration, Named, Picture, Readings, Slot, Travel, TurnRates, as_picture
from paddock.simulation.sensors.camera import CameraSpec
from paddock.simulation.sensors.sensor_spec import RangeSensorSpec, SensorSpec, is_pivoting

if TYPE_CHECKING:
    from paddock.arena.robot import Robot


class Device:
    """A sensor of a robot. Enable it, then read it."""

    def __init__(self, robot: Robot, spec: SensorSpec, number: int, first: int) -> None:
        self.robot, self.spec, self.name, self.number = robot, spec, spec.name, number
        self.slot = Slot(first, first + spec.channels, choose_display(spec))
        self.enabled = False
        self.sensors = frozenset(range(spec.channels))  # sensors of the ring to read when enabled
        self.polled = isinstance(spec, RangeSensorSpec) and spec.polled

    def replace(self, former: Device | None) -> Device:
        """Replace a device of the same name. If both are of the same kind, its handle is kept and stays enabled."""
        if former is None or former.spec.kind != self.spec.kind:
            if former is not None:
                former.enabled = False
            return self
        former.__dict__.update(self.__dict__, enabled=former.enabled)
        return former

    def enable(self, *sensors: int) -> None:
        """Enable the whole device, or only some sensors of a ring. The others then read NaN."""
        chosen = frozenset(self._check_sensor(sensor) for sensor in sensors) or frozenset(range(self.spec.channels))
        show = choose_display(self.spec)
        if len(chosen) < self.spec.channels:
            show = partial(as_some, np.isin(np.arange(self.spec.channels), list(chosen)))
        self._switch(True, chosen, self.slot._replace(show=show))

    def _check_sensor(self, sensor: int) -> int:
        """Return the number of a sensor of a ring, or raise DeviceRefused."""
        if self.spec.channels < 2 or self.spec.shows != "values":
            raise DeviceRefused(f"{self} is not a ring of sensors: it is one {self.spec.kind}")
        whole = isinstance(sensor, int | np.integer) and not isinstance(sensor, bool)
        if not (whole and 0 <= sensor < self.spec.channels):
            raise DeviceRefused(f"{self}: expected sensors from 0 to {self.spec.channels - 1}, got {sensor!r}")
        return int(sensor)

    def disable(self) -> None:
        """Disable the device."""
        self._switch(False, self.sensors, self.slot)

    def _switch(self, on: bool, sensors: frozenset[int], slot: Slot) -> None:
        self._refuse_if_gone()
        self.robot.body.switch(self, on)
        self.enabled, self.sensors, self.slot = on, sensors, slot
        self.robot.refresh()

    def read(self, sensor: int | None = None) -> Any:
        """Return the current reading in SI units, or that of one sensor of a ring."""
        if sensor is None:
            return self.slot.show(self._values(raw=False))
        number = self._check_sensor(sensor)
        if self.enabled and number not in self.sensors:
            raise DeviceNotEnabled(self.robot.name, self.name, number)
        return float(self._values(raw=False)[number])

    def raw(self) -> Any:
        """Return the current reading as raw hardware values."""
        values = self.raw_values()
        return as_number(values) if len(values) == 1 else self.slot.show(values) if self.some_are_off else values

    def raw_values(self) -> Readings:
        """Return the raw hardware values, always as an array."""
        if not self.spec.response and self.spec.scale is None:
            field = self.spec.kind == "compass" and self.robot.pose_source == "odometry"  # a real robot
            more = f", or {self.robot.name}.raw_packet().magnetometer" if field else ""
            raise DeviceRefused(f"{self} has no raw values: use read(){more}")
        return self._values(raw=True)

    def _values(self, *, raw: bool) -> Readings:
        self.refuse_if_disabled()
        return self.robot.body.read(self, raw=raw)

    def refuse_if_disabled(self) -> None:
        if not self.enabled:
            self._refuse_if_gone()
            raise DeviceNotEnabled(self.robot.name, self.name)

    def _refuse_if_gone(self) -> None:
        """Raise UnknownName if the robot no longer has this device, after a change of world."""
        robot = self.robot
        if robot.devices.get(self.name) is not self:
            what, expected = f"device of {robot.name} ({robot.spec.name})", robot.lost_devices.get(self.name, "")
            raise UnknownName(what, self.name, robot.devices, expected=expected)

    def poll_only(self, on: bool = True) -> None:
        """Compute the device only on `read()`, never in `sense()`."""
        if not isinstance(self.spec, RangeSensorSpec):
            raise DeviceRefused(
                f"{self} cannot be polled only: it is not a range sensor but {with_article(self.spec.kind)}"
            )
        self._refuse_if_gone()
        self.robot.body.poll_only(self, on)
        self.polled = on
        self.robot.refresh()

    def pan(self, angle: float) -> None:
        """Start turning a pivoting device to an angle [rad] from its mount's heading, at its own speed."""
        self._refuse_if_gone()
        pivot = self.spec.pivot if isinstance(self.spec, RangeSensorSpec) else None
        if pivot is None:
            raise DeviceRefused(f"{self} cannot pivot: its spec has no 'pivot'")
        low, high = math.radians(pivot.min_deg), math.radians(pivot.max_deg)
        if not (all_finite(angle) and low - 1e-9 <= angle <= high + 1e-9):
            raise DeviceRefused(f"{self} pivots between {low:.4g} and {high:.4g} rad, not to {angle!r}")
        self.robot.body.set_pan(self, angle)

    @property
    def some_are_off(self) -> bool:
        """Whether it is a ring of which only some sensors are enabled."""
        return len(self.sensors) < self.spec.channels

    @property
    def pivots(self) -> bool:
        """Whether the device can be turned."""
        return is_pivoting(self.spec)

    @property
    def pan_angle(self) -> float:
        """Current pan angle [rad]; 0 for fixed devices."""
        return self.robot.body.pan_angle(self) if self.pivots else 0.0

    def __getitem__(self, index: object) -> Any:
        which = format_value(index) if isinstance(index, int) else "…"
        raise DeviceRefused(f"{self} is a device, not its reading: use {self}.read()[{which}]")

    def __str__(self) -> str:
        return f"{self.robot.name}.{self.name}"

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self} ({self.spec.kind})>"


class Camera(Device):
    """A camera. Images are upright uint8 arrays [row, column, rgb]."""

    def __init__(self, robot: Robot, spec: CameraSpec, number: int, first: int) -> None:
        super().__init__(robot, spec, number, first)
        self.width, self.height = spec.width, spec.height

    def read(self, sensor: int | None = None) -> Picture:
        """Return the current image."""
        if sensor is not None:
            self._check_sensor(sensor)
        self.refuse_if_disabled()
        return as_picture(self.robot.body.picture(self))

    def image(self) -> Picture:
        """Return the current image; the same as `read`, under the usual name for cameras."""
        return self.read()

    def depth(self) -> NDArray[np.float64]:
        """Return the depth [m] of every pixel of the current image; infinity for floor and sky."""
        self.refuse_if_disabled()
        return self.robot.body.depth(self)

    def on_image(self, observer: Callable[[Picture], object], period: float = 0.1) -> Callable[[], None]:
        """Call `observer(picture)` with a changed image, at most once per period of simulated time [s].

        Returns a function that ends it.
        """
        return self.robot.watches.on_image(self, observer, period)


class Leds:
    """The LEDs of a robot, by name or number."""

    def __init__(self, robot: Robot, names: tuple[str, ...]) -> None:
        self.robot, self.names = robot, names

    def set(self, which: str | int, brightness: float = 1.0) -> None:
        """Set an LED: 0 off … 1 full."""
        if not (all_finite(brightness) and 0 <= brightness <= 1):
            raise DeviceRefused(f"{self.robot.name}.leds: expected a brightness from 0 to 1, got {brightness!r}")
        self.robot.body.set_led(self._number(which), brightness)

    def read(self) -> dict[str, float]:
        """Return the current brightness of every LED."""
        return dict(zip(self.names, self.robot.body.leds, strict=True))

    def _number(self, which: str | int) -> int:
        if isinstance(which, str):
            if which not in self.names:
                raise UnknownName(f"LED of {self.robot.name}", which, self.names)
            return self.names.index(which)
        if not self.names:
            raise DeviceRefused(f"{self.robot.name}.leds: this robot has no LEDs")
        if not (isinstance(which, int | np.integer) and 0 <= which < len(self.names)):
            expected = f"the name of an LED or a number from 0 to {len(self.names) - 1}"
            raise DeviceRefused(f"{self.robot.name}.leds: expected {expected}, got {which!r}")
        return int(which)


class Speaker:
    """A speaker that plays one tone, which the microphones of other robots detect."""

    def __init__(self, robot: Robot) -> None:
        self.robot = robot

    def play(self, frequency: float, amplitude: float = 0.1) -> None:
        """Play a tone [Hz]; the amplitude is that at 1 m."""
        if not (all_finite(frequency, amplitude) and frequency > 0 and amplitude >= 0):
            raise DeviceRefused(
                f"{self.robot.name}.speaker: expected hertz > 0 and an amplitude >= 0, got {frequency!r}, {amplitude!r}"
            )
        self.robot.body.set_tone(frequency, amplitude)

    def stop(self) -> None:
        """Stop the tone."""
        self.robot.body.set_tone(0.0, 0.0)

    def read(self) -> tuple[float, float]:
        """Return the frequency [Hz] and amplitude of the current tone."""
        return self.robot.body.tone


def make_devices(robot: Robot, specs: Iterable[SensorSpec]) -> dict[str, Device]:
    """Create the handles of a robot's sensors, by name. Their values are consecutive in a row of readings."""
    devices: dict[str, Device] = {}
    first = 0
    for number, spec in enumerate(specs):
        if isinstance(spec, CameraSpec):
            devices[spec.name] = Camera(robot, spec, number, first)
        else:
            devices[spec.name] = Device(robot, spec, number, first)
        first += spec.channels
    return devices


def choose_display(spec: SensorSpec) -> Callable[[Readings], Any]:
    """Return the function that converts values to a pose, booleans, named values, one number, or an array."""
    if spec.shows != "values":
        return SHAPES[spec.shows]
    return as_number if spec.channels == 1 else as_array


# Module-level functions, so that observations can be pickled.


def as_pose(values: Readings) -> Pose:
    return Pose(*values.tolist())


def as_truth(values: Readings) -> NDArray[np.bool_]:
    return values > 0.5


def as_number(values: Readings) -> float:
    return float(values[0])


def as_array(values: Readings) -> Readings:
    return values


def as_some(on: NDArray[np.bool_], values: Readings) -> Readings:
    return np.where(on, values, np.nan)


def as_named(kind: type[Named], values: Readings) -> Named:
    return values.view(kind)


SHAPES: dict[str, Callable[[Readings], Any]] = {
    "pose": as_pose,
    "truth": as_truth,
    "acceleration": partial(as_named, Acceleration),
    "turn_rates": partial(as_named, TurnRates),
    "travel": partial(as_named, Travel),
}
