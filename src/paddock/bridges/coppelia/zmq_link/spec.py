"""Names of robots and their parts in CoppeliaSim."""

from __future__ import annotations

import re

from paddock.bridges.coppelia.link.spec import Handles, find_kind, find_parts
from paddock.bridges.coppelia.zmq_link.client import SimClient
from paddock.simulation.robots import RobotSpec


def find_path_kind(base: str) -> str:
    """Return the shipped robot whose base object has this path in CoppeliaSim."""
    alias = re.sub(r"[\[{]\d+[\]}]$", "", base.rpartition("/")[2])
    return find_kind(base, f"/{alias}", lambda model: f"/{model.alias}")


def find_by_path(kind: RobotSpec, client: SimClient, base: str) -> tuple[RobotSpec, Handles]:
    """Return the parts that exist in CoppeliaSim. For example, `/ePuck[1]/proxSensor[0]` belongs to `/ePuck[1]`."""

    def find(*parts: str) -> tuple[int, ...]:
        return tuple(client.call("getObject", f"{base}/{part}" if part else base) for part in parts)

    return find_parts(kind, find, lambda index: f"[{index}]")
