"""Worlds with a ROS 2 bridge, and ROS 2 clients that do not use Paddock."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from websockets.sync.client import connect

import paddock
from bridges.player.player_fixtures import ROOM
from paddock.bridges import Bridge
from paddock.bridges.ros2 import RosBridge, RosbridgeServer, RosOptions
from paddock.network.server import Server, Settings

DOMAIN = 100 + os.getpid() % 60 * 2  # processes that test side by side do not meet


@contextmanager
def serve_bridge(
    open_bridge: Callable[[Any], Bridge], world: Any = ROOM, *, speed: float | None = 1.0
) -> Iterator[Any]:
    """Serve a world with a bridge while time runs."""
    arena = paddock.open(world, seed=3)
    server = Server(arena, Settings(port=0, speed=speed))
    with open_bridge(arena) as bridge, server.in_background():
        yield bridge


def by_dds(arena: Any, **options: Any) -> RosBridge:
    return RosBridge(arena, "dds", domain=DOMAIN, options=RosOptions(**options))


def by_rosbridge(arena: Any, **options: Any) -> RosbridgeServer:
    return RosbridgeServer(arena, 0, options=RosOptions(**options))


class RosbridgeProgram:
    """A client with the operations of roslibjs, written from the protocol's specification."""

    def __init__(self, bridge: RosbridgeServer, **options: Any) -> None:
        host, port = bridge.addresses[0]
        self._open = connect(f"ws://{host}:{port}", close_timeout=1, **options)
        self.socket = self._open.__enter__()
        self.number = 0

    def send(self, **operation: Any) -> None:
        self.socket.send(json.dumps(operation))

    def receive(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.socket.recv(timeout=60))
        return found

    def wait_for(self, op: str, **fields: Any) -> dict[str, Any]:
        """Return the next operation of this kind; others are dropped."""
        while True:
            found = self.receive()
            if found["op"] == op and all(found.get(name) == value for name, value in fields.items()):
                return found

    def listen(self, topic: str, **more: Any) -> Any:
        """Subscribe and return one message."""
        self.send(op="subscribe", topic=topic, **more)
        return self.next(topic)

    def next(self, topic: str) -> Any:
        return self.wait_for("publish", topic=topic)["msg"]

    def call(self, name: str, /, **args: Any) -> dict[str, Any]:
        self.number += 1
        self.send(op="call_service", service=name, args=args, id=f"call:{self.number}")
        return self.wait_for("service_response", id=f"call:{self.number}")

    def drive(self, topic: str, linear: float, angular: float = 0.0) -> None:
        self.send(op="publish", topic=topic, msg={"linear": {"x": linear}, "angular": {"z": angular}})

    def __enter__(self) -> RosbridgeProgram:
        return self

    def __exit__(self, *error: object) -> None:
        self._open.__exit__(*error)
