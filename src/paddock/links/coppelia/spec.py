"""The spec of a robot in CoppeliaSim: that of its kind, with the devices that are found there, and their handles."""

from __future__ import annotations

import re
from dataclasses import replace

from paddock.coppelia.models import MODELS, RobotModel, model_of
from paddock.core.errors import LinkError, Refused
from paddock.links.coppelia.client import SimClient
from paddock.links.vrep.spec import ALWAYS, Handles, make_ideal
from paddock.robots import RobotSpec
from paddock.sensors.base import SensorSpec


def find_kind(base: str) -> str:
    """The shipped robot whose base has this path in CoppeliaSim."""
    alias = re.sub(r"[\[{]\d+[\]}]$", "", base.rpartition("/")[2])
    kinds = {model.alias: kind for kind, model in reversed(MODELS.items())}
    if alias not in kinds:
        expected = ", ".join(f"/{known}" for known in kinds)
        raise LinkError(f"robot={base}: expected one of {expected}; else say what it is with type=")
    return kinds[alias]


def find_parts(kind: RobotSpec, client: SimClient, base: str) -> tuple[RobotSpec, Handles]:
    """What of the kind there is in CoppeliaSim, with ideal sensors, and the handles of all parts."""
    model, handles, sensors = model_of(kind), {}, []
    handles["base"] = (client.call("getObject", base),)
    handles["joints"] = tuple(client.call("getObject", f"{base}/{joint}") for joint in model.joints)
    for sensor in kind.sensors:
        parts = _list_parts(sensor, model)
        try:
            handles[sensor.name] = tuple(client.call("getObject", f"{base}/{part}") for part in parts)
        except Refused:
            continue  # this one has no such device
        if parts or sensor.kind in ALWAYS:
            sensors.append(make_ideal(sensor, model))
    return replace(kind, sensors=tuple(sensors), leds=(), speaker=False), handles


def _list_parts(sensor: SensorSpec, model: RobotModel) -> list[str]:
    """The paths of a device's objects below the robot, in the order of its channels."""
    alias = model.aliases.get(sensor.name, sensor.name)
    if sensor.kind in ("camera", "ground"):
        return [alias]
    if sensor.kind not in ("sonar", "proximity"):
        return []
    count = len(sensor.mounts)
    order = model.order if len(model.order) == count else tuple(range(count))
    return [f"{alias}[{order.index(channel)}]" if count > 1 else alias for channel in range(count)]
