"""The spec of a robot in V-REP: that of its kind, with the devices that are found there, and their handles."""

from __future__ import annotations

import math
import struct
from collections.abc import Mapping
from dataclasses import replace

from paddock.coppelia.legacy.messages import ask_for
from paddock.coppelia.models import MODELS, RobotModel, model_of
from paddock.core.errors import LinkError, Refused
from paddock.links.vrep.client import VrepClient
from paddock.robots import RobotSpec
from paddock.sensors.base import RangeSensorSpec, SensorSpec
from paddock.sensors.sonar import SonarSpec

GET_HANDLE = 0x3001
ALWAYS = ("encoders", "position", "compass")  # kinds that need no object of their own
PLAIN = {
    "scale": None, "response": (), "noise": 0.0, "noise_relative": 0.0, "resolution": 0.0, "delay": 0.0, "period": 0.0,
}  # fmt: skip

Handles = Mapping[str, tuple[int, ...]]
"""Of the base, both joints, and the objects of each device, by `base`, `joints` and the device's name."""


def kind_of(base: str) -> str:
    """The shipped robot whose base has this name in V-REP."""
    name = base.partition("#")[0]
    kinds = {model.name: kind for kind, model in reversed(MODELS.items())}
    if name not in kinds:
        raise LinkError(f"robot={base}: expected one of {', '.join(kinds)}; else say what it is with type=")
    return kinds[name]


def adapt_spec(kind: RobotSpec, client: VrepClient, base: str) -> tuple[RobotSpec, Handles]:
    """What of the kind there is in V-REP, with ideal sensors, and the handles of all parts."""
    model, (name, mark, copy) = model_of(kind), base.partition("#")
    handles: dict[str, tuple[int, ...]] = {}

    def find(*parts: str) -> tuple[int, ...]:
        names = [f"{name}{'_' * bool(part)}{part}{mark}{copy}".encode() + b"\0" for part in parts]
        found = client.call_all([ask_for(GET_HANDLE, text) for text in names])
        return tuple(struct.unpack("<i", data)[0] for data in found)

    handles["base"], handles["joints"] = find(""), find(*model.joints)
    sensors = []
    for sensor in kind.sensors:
        parts = _list_parts(sensor, model)
        try:
            handles[sensor.name] = find(*parts) if parts else ()
        except Refused:
            continue  # this one has no such device
        if parts or sensor.kind in ALWAYS:
            sensors.append(make_ideal(sensor, model))
    return replace(kind, sensors=tuple(sensors), leds=(), speaker=False), handles


def _list_parts(sensor: SensorSpec, model: RobotModel) -> list[str]:
    """The names of a device's objects, without that of the robot, in the order of its channels."""
    alias = model.aliases.get(sensor.name, sensor.name)
    if sensor.kind in ("camera", "ground"):
        return [alias]
    if sensor.kind not in ("sonar", "proximity"):
        return []
    count = len(sensor.mounts)
    order = model.order if len(model.order) == count else tuple(range(count))
    return [f"{alias}{order.index(channel) + 1}" if count > 1 else alias for channel in range(count)]


def make_ideal(sensor: SensorSpec, model: RobotModel) -> SensorSpec:
    """Without noise and rounding; detection ends where it does in V-REP."""
    changes = {key: value for key, value in PLAIN.items() if sensor.kind != "camera" or key == "noise"}
    if isinstance(sensor, RangeSensorSpec) and sensor.kind != "camera" and math.isfinite(model.limit):
        changes["range"] = min(sensor.range, model.limit)
        if isinstance(sensor, SonarSpec):
            changes["nothing_seen"] = None
    return replace(sensor, **changes)  # type: ignore[arg-type]
