"""Worlds served over CoppeliaSim's ZeroMQ remote API, and its clients."""

from __future__ import annotations

import importlib
import os
import sys
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import paddock
from bridges.coppelia import vrep_fixtures
from paddock.bridges.coppelia import CoppeliaServer
from paddock.network.server import Server, Settings
from paddock.simulation.worlds.world_spec import WorldSpec

OLD_CLIENT = Path(os.environ.get("PADDOCK_OLD_COPPELIA_CLIENT", Path(sys.prefix) / "clients" / "coppelia-0.0.4"))
ROOM = replace(vrep_fixtures.ROOM, name="coppelia-room")
CLIENTS: dict[int, list[Any]] = defaultdict(list)  # by the port of their server


@contextmanager
def served(
    world: str | WorldSpec = ROOM,
    port: int = 0,
    *,
    seed: int = 5,
    stopped: bool = True,
    silence: float = 60.0,
    **settings: Any,
) -> Iterator[CoppeliaServer]:
    """Serve a world over CoppeliaSim's API on a free port at full speed; the simulation is stopped at first."""
    arena = paddock.open(world, seed=seed)
    server = Server(arena, Settings(**{"port": 0, "speed": None, **settings}))
    with CoppeliaServer(arena, port, stopped=stopped, silence=silence) as bridge, server.in_background():
        try:
            yield bridge
        finally:
            for client in CLIENTS.pop(bridge.port, []):
                client.socket.close(linger=0)


def new_client(bridge: CoppeliaServer, module: Any = None) -> Any:
    """Return CoppeliaSim's client (version 2 by default), closed with the server so that ZeroMQ does not reconnect."""
    reason = "CoppeliaSim's client is not installed"
    module = module or pytest.importorskip("coppeliasim_zmqremoteapi_client", reason=reason)
    client = module.RemoteAPIClient("127.0.0.1", bridge.port)
    CLIENTS[bridge.port].append(client)
    return client


def load_old_client() -> Any:
    """Load client version 0.0.4, for protocol 1, from its own folder."""
    if not OLD_CLIENT.exists():
        pytest.skip("CoppeliaSim's client 0.0.4 is not here: make clients")
    name = "coppeliasim_zmqremoteapi_client"
    kept = {key: sys.modules.pop(key) for key in list(sys.modules) if key.partition(".")[0] == name}
    sys.path.insert(0, str(OLD_CLIENT))
    try:
        return importlib.import_module(name)
    finally:
        sys.path.remove(str(OLD_CLIENT))
        for key in [key for key in sys.modules if key.partition(".")[0] == name]:
            del sys.modules[key]
        sys.modules.update(kept)
