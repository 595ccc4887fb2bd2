"""Worlds served over Player's protocol, and a client written from the protocol's specification, without Paddock."""

from __future__ import annotations

import socket
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import paddock
from paddock.bridges.player import PlayerServer
from paddock.network.server import Server, Settings
from paddock.simulation.worlds.world_spec import WorldSpec

DATA, COMMAND, REQUEST, ACK, SYNCH, NACK = range(1, 7)
PLAYER, POSITION, SONAR, LASER, FIDUCIAL, BUMPER, IR, SIMULATION, CAMERA, RANGER = 1, 4, 5, 6, 10, 14, 22, 31, 40, 62
SCOUT = {
    "base": "scout",
    "sensors": [
        {
            "name": "bumpers", "kind": "bumper", "width_deg": 180.0,
            "mounts": [[0.0, 0.0, 0.05, 0.0], [0.0, 0.0, 0.05, 180.0]],
        },
    ],
}  # fmt: skip
ROOM = WorldSpec.from_table(
    {
        "name": "player-room",
        "bounds": [0.0, 0.0, 6.0, 4.0],
        "boxes": [{"at": [3.0, 3.5], "size": [0.2, 1.0], "height": 0.5}],
        "robots": [
            {"name": "r0", "type": "pioneer-p3dx", "at": [1.0, 2.0], "noise": False},
            {"name": "r1", "type": SCOUT, "at": [5.0, 2.0], "heading_deg": 90.0, "noise": False},
            {"name": "red", "type": "e-puck", "at": [5.0, 3.5], "noise": False},
        ],
    }
)


class Received(NamedTuple):
    """A received message."""

    interface: int
    index: int
    type: int
    subtype: int
    time: float
    sequence: int
    payload: bytes


class PlayerProgram:
    """A client with the operations of Player's client library."""

    def __init__(self, address: tuple[str, int], host: str = "127.0.0.1") -> None:
        self.socket = socket.create_connection(address, timeout=60, source_address=(host, 0))
        self.sequence, self.host, self.robot = 0, 0, 0
        self.banner = self.receive(32)

    def receive(self, count: int) -> bytes:
        parts = b""
        while len(parts) < count:
            data = self.socket.recv(count - len(parts))
            if not data:
                raise ConnectionError("hung up")
            parts += data
        return parts

    def send(self, type: int, interface: int, index: int, subtype: int, payload: bytes = b"") -> int:
        self.sequence += 1
        header = (self.host, self.robot, interface, index, type, subtype, 0.0, self.sequence, len(payload))
        self.socket.sendall(struct.pack(">6IdII", *header) + payload)
        return self.sequence

    def read_message(self) -> Received:
        _, _, interface, index, type, subtype, time, sequence, size = struct.unpack(">6IdII", self.receive(40))
        return Received(interface, index, type, subtype, time, sequence, self.receive(size))

    def ask(self, interface: int, index: int, subtype: int, payload: bytes = b"") -> Received:
        """Send a request and return its answer; data received before the answer are dropped."""
        sequence = self.send(REQUEST, interface, index, subtype, payload)
        while (message := self.read_message()).type not in (ACK, NACK):
            pass
        assert message.sequence == sequence
        return message

    def get(self, interface: int, index: int, subtype: int, payload: bytes = b"") -> bytes:
        """Return the answer to a request that must be accepted."""
        message = self.ask(interface, index, subtype, payload)
        assert message.type == ACK, message
        return message.payload

    def subscribe(self, interface: int, index: int, access: int = 1) -> Received:
        return self.ask(PLAYER, 0, 3, struct.pack(">7I", 0, 0, interface, index, access, 0, 0))

    def open(self, *interfaces: int, index: int = 0) -> None:
        """Switch to pull mode and subscribe."""
        assert self.ask(PLAYER, 0, 5, struct.pack(">I", 2)).type == ACK
        for interface in interfaces:
            assert self.subscribe(interface, index).type == ACK

    def read(self) -> dict[tuple[int, int], Received]:
        """Return one round of data in pull mode, by interface and index."""
        self.send(REQUEST, PLAYER, 0, 4)
        assert self.read_message().type == ACK
        found = {}
        while (message := self.read_message()).type != SYNCH:
            assert message.type == DATA
            found[message.interface, message.index] = message
        return found

    def drive(self, linear: float, angular: float, index: int = 0) -> None:
        self.send(COMMAND, POSITION, index, 1, struct.pack(">3dI", linear, 0.0, angular, 1))

    def close(self) -> None:
        self.socket.close()

    def __enter__(self) -> PlayerProgram:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


def pose_in(message: Received) -> tuple[float, ...]:
    """Return x, y, heading, their rates, and the stall flag."""
    return struct.unpack(">6dI", message.payload)


def named(name: str) -> bytes:
    """Encode a name as in payloads."""
    data = name.encode()
    return struct.pack(">2I", len(data), len(data)) + data + bytes(-len(data) % 4)


@contextmanager
def served(world: Any = ROOM, ports: int = 1, *, seed: int = 3, **options: Any) -> Iterator[PlayerServer]:
    """Serve a world over Player's protocol on free ports; time waits for clients that read."""
    arena = paddock.open(world, seed=seed)
    settings = {key: options.pop(key) for key in ("speed", "lock_step") if key in options}
    server = Server(arena, Settings(**{"port": 0, "speed": None, "lock_step": True, **settings}))
    chosen = {"stepped": True, "silence": 60.0, **options}
    with PlayerServer(arena, *[0] * ports, **chosen) as bridge, server.in_background():
        yield bridge
