"""Observations: scaled values of devices and signals of the task, and camera pictures."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from paddock.control.navigation.goal_policy import GOAL_DEVICES
from paddock.control.policies.policy import Input
from paddock.core.errors import DeviceRefused, SpecError, UnknownName
from paddock.learning.gym import env_tables as t
from paddock.learning.gym.env_spec import EnvSpec
from paddock.learning.gym.terms import ALIASES, TermContext, TermSlot
from paddock.simulation.sensors.camera import CameraSpec
from paddock.simulation.sensors.sensor_spec import RangeSensorSpec, SensorSpec, explain_python_kind

FAR = 40.0  # radii of a robot: a goal at this distance or farther is observed as 1

# Signals by name: index of the first one, and their number.
SIGNALS = {
    "goal": (t.GOAL_DISTANCE, 3),
    "wheels": (t.LEFT, 2),
    "touch": (t.TOUCH, 1),
    "time": (t.ELAPSED, 1),
    "way": (t.WAY, 1),
    "news": (t.NEWS, t.PLACES),
    "neighbours": (t.NEIGHBOURS, 3 * t.NEAREST),
}


class ObservedPart(NamedTuple):
    """A part of an observation: gain · (reading - zero) of some readings, clipped to -1 … 1."""

    name: str
    first: int  # index in the row of readings
    zero: float
    gains: tuple[float, ...]  # one for each value

    def to_inputs(self) -> Iterator[Input]:
        """Convert to inputs of policies: of the device, or of the devices of a goal."""
        parts = GOAL_DEVICES if self.name == "goal" else {self.name: len(self.gains)}
        first = 0
        for device, values in parts.items():
            yield Input(device=device, values=values, zero=self.zero, gain=self.gains[first])
            first += values


def observed_parts(spec: EnvSpec, context: TermContext) -> tuple[tuple[ObservedPart, ...], CameraSpec | None]:
    """Return the parts of an observation, and the camera whose pictures are added, if any."""
    parts: list[ObservedPart] = []
    camera: CameraSpec | None = None
    for i, source in enumerate(spec.observe):
        name = resolve_name(context, source.device if isinstance(source, Input) else str(source))
        if name in [part.name for part in parts] or (camera and name == camera.name):
            raise SpecError(f"expected each name once, got {name!r} twice", path=f"observe[{i}]")
        sensor = next((sensor for sensor in context.robot.sensors if sensor.name == name), None)
        if sensor is None and name in SIGNALS:
            parts.append(_signal(name, context))
        elif isinstance(sensor, CameraSpec):
            if camera is not None:
                raise SpecError(f"expected one camera, got {camera.name} and {name}", path=f"observe[{i}]")
            camera = sensor
        else:
            parts.append(_device(source, find_slot(spec, context, name), f"observe[{i}]"))
    return tuple(parts), camera


def resolve_name(context: TermContext, name: str) -> str:
    """Return the name of a device for an alias, such as `ranges`."""
    return context.slot(name).sensor.name if name in ALIASES else name


def find_slot(spec: EnvSpec, context: TermContext, name: str) -> TermSlot:
    """Return the slot of a device's values; the error for an unknown device lists the known ones."""
    try:
        slot = context.slot(name)
    except UnknownName as error:
        known = [*(sensor.name for sensor in context.robot.sensors), *ALIASES, *SIGNALS]
        raise UnknownName(
            f"device of {context.robot.name} or signal, for {type(spec).__name__},", name, known
        ) from error
    if isinstance(slot.sensor, RangeSensorSpec) and slot.sensor.polled:
        raise DeviceRefused(
            f"{context.robot.name}.{name} is polled only: set polled = false, or observe another device"
        )
    if problem := explain_python_kind(slot.sensor):
        raise DeviceRefused(f"{context.robot.name}.{name} {problem}")
    return slot


def _signal(name: str, context: TermContext) -> ObservedPart:
    first, count = SIGNALS[name]
    at = sum(sensor.channels for sensor in context.robot.sensors) + first
    far = 1.0 / (FAR * context.radius)
    if name == "goal":
        return ObservedPart(name, at, 0.0, (far, 1.0, 1.0))
    if name == "neighbours":
        return ObservedPart(name, at, 0.0, (far, 1.0, 1.0) * t.NEAREST)
    return ObservedPart(name, at, 0.0, ({"way": far, "wheels": 1.0 / context.speed}.get(name, 1.0),) * count)


def _device(source: object, slot: TermSlot, path: str) -> ObservedPart:
    zero, gain = find_scale(slot.sensor)
    channels = slot.sensor.channels
    if isinstance(source, Input):
        zero, gain = source.zero, source.gain
        if source.values != channels:
            raise SpecError(
                f"expected {channels} values, as many as {slot.sensor.name!r} has, got {source.values}", path=path
            )
        if source.change:
            raise SpecError("expected change = false: environments observe readings, not their changes", path=path)
    return ObservedPart(slot.sensor.name, slot.first, zero, (gain,) * channels)


def find_scale(sensor: SensorSpec) -> tuple[float, float]:
    """Return zero and gain: distances as nearness, 0 out of range … 1 contact; others relative to the largest value."""
    if isinstance(sensor, RangeSensorSpec):
        return sensor.range, -1.0 / sensor.range
    look = sensor.appearance
    return 0.0, 1.0 / (sensor.full_scale or max(abs(look.low), abs(look.high), 1e-9))
