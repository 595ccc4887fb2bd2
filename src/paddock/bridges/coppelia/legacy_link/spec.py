"""Names of robots and their parts in V-REP."""

from __future__ import annotations

import struct

from paddock.bridges.coppelia.legacy.messages import ask_for
from paddock.bridges.coppelia.legacy_link.client import VrepClient
from paddock.bridges.coppelia.link.spec import Handles, find_kind, find_parts
from paddock.bridges.coppelia.scene.models import find_robot_model
from paddock.simulation.robots import RobotSpec

GET_HANDLE = 0x3001


def find_robot_kind(base: str) -> str:
    """Return the shipped robot whose base object has this name in V-REP."""
    return find_kind(base, base.partition("#")[0], lambda model: model.name)


def find_by_name(kind: RobotSpec, client: VrepClient, base: str) -> tuple[RobotSpec, Handles]:
    """Return the parts that exist in V-REP. For example, `ePuck_proxSensor1#0` belongs to `ePuck#0`."""
    name, mark, copy = base.partition("#")
    model = find_robot_model(kind)
    prefix = f"{name}_" if model.prefix is None else model.prefix

    def find(*parts: str) -> tuple[int, ...]:
        names = [f"{prefix + part if part else name}{mark}{copy}".encode() + b"\0" for part in parts]
        found = client.call_all([ask_for(GET_HANDLE, text) for text in names])
        return tuple(struct.unpack("<i", data)[0] for data in found)

    return find_parts(kind, find, lambda index: f"{index + 1}{model.ending}")
