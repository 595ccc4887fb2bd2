"""Worlds served over V-REP's legacy remote API, and its native client library."""

from __future__ import annotations

import importlib
import struct
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

import paddock
from paddock.bridges.coppelia import VrepServer
from paddock.bridges.coppelia import legacy_connection as vrep_connection
from paddock.bridges.coppelia.legacy_link.client import VrepClient
from paddock.network.server import Server, Settings
from paddock.simulation.worlds.world_spec import Border, Box, Cylinder, Light, RobotPlacement, Wall, WorldSpec

NATIVE = Path(sys.prefix) / "clients" / "pypot" / "pypot" / "vrep"
ROOM = WorldSpec(
    name="vrep-room",
    bounds=(0, 0, 6, 4),
    dt=0.01,
    boxes=(Box(at=(3.0, 2.0), size=(0.2, 1.0), height=0.5),),
    cylinders=(Cylinder(at=(1.0, 3.3), radius=0.1),),
    lights=(Light(at=(3.0, 3.5)),),
    robots=(
        RobotPlacement(name="pioneer", type="pioneer-p3dx", at=(2.0, 2.0), noise=False),
        RobotPlacement(name="other", type="pioneer-p3dx", at=(5.0, 1.0), heading_deg=90, noise=False),
        RobotPlacement(name="red", type="e-puck", at=(1.0, 1.0), noise=False),
        RobotPlacement(name="blue", type="e-puck", at=(1.0, 0.06), heading_deg=-90, noise=False),
    ),
)

LOOP = WorldSpec(
    name="small-loop",
    bounds=(0.0, 0.0, 4.4, 3.4),
    border=Border(height=0.8, thickness=0.1),
    walls=(Wall(points=((2.2, 0.0), (2.2, 1.2)), height=0.8, thickness=0.1),),
    robots=(RobotPlacement(name="pioneer", type="pioneer-p3dx", at=(1.0, 2.0)),),
)


def load_native() -> Any:
    """Load V-REP's Python module with its native library, as unpacked by `make clients`."""
    if not NATIVE.exists():
        pytest.skip("V-REP's native library is not here: make clients")
    if str(NATIVE) not in sys.path:
        sys.path.insert(0, str(NATIVE))
    try:
        return importlib.import_module("remoteApiBindings.vrep")
    except OSError as error:
        pytest.skip(f"V-REP's native library cannot be loaded: {error}")


@contextmanager
def served(
    world: str | WorldSpec = ROOM,
    ports: int = 1,
    *,
    seed: int = 5,
    stopped: bool = True,
    silence: float = 60.0,
    **settings: Any,
) -> Iterator[VrepServer]:
    """Serve a world over V-REP's API on free ports at full speed; the simulation is stopped at first."""
    arena = paddock.open(world, seed=seed)
    chosen = Settings(**{"port": 0, "speed": None, **settings})
    server = Server(arena, chosen)
    patient = patch.object(vrep_connection, "LONGEST_HOLD", 60.0)  # machines may be slow
    with patient, VrepServer(arena, *[0] * ports, stopped=stopped, silence=silence) as bridge, server.in_background():
        yield bridge


def connect(bridge: VrepServer, index: int = 0) -> VrepClient:
    """Connect a client in plain Python."""
    return VrepClient(*bridge.addresses[index], timeout=60)


class NativeClient:
    """A connection of the native library; `client("GetObjectHandle", "ePuck")` waits for the answer."""

    def __init__(self, bridge: VrepServer, index: int = 0, *, cycle: int = 1) -> None:
        self.vrep = load_native()
        self.id = self.vrep.simxStart(*bridge.addresses[index], True, True, 60_000, cycle)
        assert self.id >= 0

    def __call__(self, name: str, *arguments: Any, mode: int | None = None) -> Any:
        mode = self.vrep.simx_opmode_oneshot_wait if mode is None else mode
        return getattr(self.vrep, f"simx{name}")(self.id, *arguments, mode)

    def get(self, name: str, *arguments: Any) -> Any:
        """Return the single value of a call's answer."""
        code, value = self(name, *arguments)
        assert code == 0, (name, arguments, code)
        return value

    def until_ok(self, call: Callable[[], Any]) -> Any:
        """Poll until there is a value or an error."""
        for _ in range(2000):
            answer = call()
            code = answer if isinstance(answer, int) else answer[0]
            if not code & 1:
                return answer
            self.vrep.simxGetPingTime(self.id)
        raise AssertionError("no value ever came")

    def close(self) -> None:
        self.vrep.simxFinish(self.id)


@contextmanager
def native(bridge: VrepServer, index: int = 0) -> Iterator[NativeClient]:
    client = NativeClient(bridge, index)
    try:
        yield client
    finally:
        client.close()


def find_handle(client: VrepClient, name: str) -> int:
    """Return the handle of an object."""
    (handle,) = struct.unpack("<i", client.call(0x3001, name.encode() + b"\0"))
    return int(handle)


def number(value: int) -> bytes:
    return struct.pack("<i", value)
