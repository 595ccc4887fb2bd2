"""The spec of a robot in a scene: the spec of its type, limited to the devices found there, with their handles."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace

from paddock.bridges.coppelia.scene.models import MODELS, RobotModel, find_robot_model
from paddock.core.errors import LinkError, Refused
from paddock.simulation.robots import RobotSpec
from paddock.simulation.sensors.sensor_spec import RangeSensorSpec, SensorSpec
from paddock.simulation.sensors.sonar import SonarSpec

PLAIN = {
    "scale": None, "response": (), "noise": 0.0, "noise_relative": 0.0, "resolution": 0.0, "delay": 0.0, "period": 0.0,
}  # fmt: skip
ALWAYS = {"encoders": "joints", "position": "base", "compass": "base"}  # sensors without an object of their own

Handles = Mapping[str, tuple[int, ...]]
"""Handles of the base, both joints and the objects of each device, by `base`, `joints` and the device's name."""


def find_kind(base: str, name: str, name_of: Callable[[RobotModel], str]) -> str:
    """Return the shipped robot whose base object has this name."""
    kinds = {name_of(model): kind for kind, model in reversed(MODELS.items())}
    if name not in kinds:
        raise LinkError(f"robot={base}: expected one of {', '.join(kinds)}; for another name, set type=")
    return kinds[name]


def find_parts(
    kind: RobotSpec, find: Callable[..., tuple[int, ...]], number: Callable[[int], str]
) -> tuple[RobotSpec, Handles]:
    """Return the spec of the parts that exist in a scene, with ideal sensors, and the handles of all parts.

    Args:
        kind: spec with all possible parts.
        find: returns the handles of objects by their names below the robot; the name of the base is empty.
        number: formats the number of an object of a device.
    """
    model, sensors = find_robot_model(kind), []
    handles = {"base": find(""), "joints": find(*model.joints)}
    for sensor in kind.sensors:
        parts = _list_parts(sensor, model, number)
        if not parts and sensor.kind not in ALWAYS:
            continue  # scenes have no such device
        try:
            handles[sensor.name] = find(*parts) if parts else handles[ALWAYS[sensor.kind]]
        except Refused:
            continue  # this robot has none
        sensors.append(_make_ideal(sensor, model))
    return replace(kind, sensors=tuple(sensors), leds=(), speaker=False), handles


def _list_parts(sensor: SensorSpec, model: RobotModel, number: Callable[[int], str]) -> list[str]:
    """Return the names of a device's objects, without the robot's name, in the order of its channels."""
    alias = model.aliases.get(sensor.name, sensor.name)
    if sensor.kind in ("camera", "ground"):
        return [alias]
    if sensor.kind not in ("sonar", "proximity"):
        return []
    count = len(sensor.mounts)
    order = model.order if len(model.order) == count else tuple(range(count))
    return [f"{alias}{number(order.index(channel))}" if count > 1 else alias for channel in range(count)]


def _make_ideal(sensor: SensorSpec, model: RobotModel) -> SensorSpec:
    """Return the sensor without noise and rounding, with the detection range of the scene."""
    changes = {key: value for key, value in PLAIN.items() if sensor.kind != "camera" or key == "noise"}
    if isinstance(sensor, RangeSensorSpec) and sensor.kind != "camera" and math.isfinite(model.limit):
        changes["range"] = min(sensor.range, model.limit)
        if isinstance(sensor, SonarSpec):
            changes["nothing_seen"] = None
    return replace(sensor, **changes)  # type: ignore[arg-type]
