"""Bridges closed while their world is still served, and servers closed before their bridges."""

from __future__ import annotations

import socket
from collections.abc import Callable
from typing import Any

import pytest

import paddock
from bridges.common.rough import read_all
from bridges.coppelia.vrep_fixtures import ROOM
from paddock.bridges.coppelia import CoppeliaServer, VrepServer
from paddock.bridges.player import PlayerServer
from paddock.bridges.ros2 import RosBridge, RosbridgeServer
from paddock.network.server import Server, Settings
from paddock.testing import wait_for

KINDS = [VrepServer, PlayerServer, RosbridgeServer, CoppeliaServer]


@pytest.mark.parametrize("kind", KINDS)
def test_clients_are_disconnected_when_the_server_closes(kind: Callable[..., Any]) -> None:
    arena = paddock.open(ROOM, seed=5)
    server = Server(arena, Settings(port=0, speed=None))
    with kind(arena, 0) as bridge, socket.create_connection(bridge.addresses[0], timeout=60) as client:
        with server.in_background():
            wait_for(lambda: bridge.connections)
        read_all(client)
        assert not bridge.connections


@pytest.mark.parametrize("kind", KINDS)
def test_closing_a_bridge_disconnects_its_clients_and_time_continues(kind: Callable[..., Any]) -> None:
    arena = paddock.open(ROOM, seed=5)
    server, bridge = Server(arena, Settings(port=0, speed=None)), kind(arena, 0)
    address = bridge.addresses[0]
    with server.in_background(), socket.create_connection(address, timeout=60) as client:
        wait_for(lambda: bridge.connections)
        bridge.close()
        read_all(client)
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection(address, timeout=60)
        tick = arena.tick
        wait_for(lambda: arena.tick > tick)


def test_closing_a_ros_bridge_does_not_stop_time() -> None:
    pytest.importorskip("zenoh", reason="zenoh is not installed")
    arena = paddock.open(ROOM, seed=5)
    with socket.create_server(("127.0.0.1", 0)) as free:
        router = f"tcp/127.0.0.1:{free.getsockname()[1]}"
    server, bridge = Server(arena, Settings(port=0, speed=None)), RosBridge(arena, "zenoh", router=router)
    with server.in_background():
        wait_for(lambda: "/clock" in bridge.hub.graph.topics)
        bridge.close()
        tick = arena.tick
        wait_for(lambda: arena.tick > tick)
