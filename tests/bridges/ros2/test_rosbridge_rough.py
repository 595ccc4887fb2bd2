"""Misbehaving clients of rosbridge do not affect other clients."""

from __future__ import annotations

import contextlib
import json
import socket
import struct
from collections.abc import Iterator

import pytest

from bridges.common.rough import flood, read_all
from bridges.ros2.ros2_fixtures import RosbridgeProgram, by_rosbridge, serve_bridge
from paddock.bridges import OpenBridges
from paddock.bridges.ros2 import RosbridgeServer
from paddock.core.errors import PaddockError
from paddock.network.server import Server, Settings
from paddock.testing import wait_for

HANDSHAKE = (
    b"GET / HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
)
DAMAGED = {
    "noise": bytes(range(255, 0, -1)) + b"\r\n\r\n",
    "endless head": b"GET / HTTP/1.1\r\n" + b"X: y\r\n" * 10_000,
    "no websocket": b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "not masked": HANDSHAKE + b"\x81\x02{}",
    "unknown opcode": HANDSHAKE + b"\x83\x80AAAA",
    "huge frame": HANDSHAKE + struct.pack("!BBQ", 0x81, 0xFF, 1 << 40),
    "closes": HANDSHAKE + b"\x88\x80AAAA",
}


@pytest.fixture(scope="module")
def bridge() -> Iterator[RosbridgeServer]:
    with serve_bridge(by_rosbridge) as bridge:
        yield bridge


def call_port(bridge: RosbridgeServer) -> socket.socket:
    return socket.create_connection(bridge.addresses[0], timeout=60)


@pytest.mark.parametrize("data", DAMAGED.values(), ids=DAMAGED)
def test_client_with_malformed_data_is_disconnected_without_side_effects(data: bytes, bridge: RosbridgeServer) -> None:
    with RosbridgeProgram(bridge) as other:
        other.listen("/clock", throttle_rate=100)
        with call_port(bridge) as client:
            with contextlib.suppress(ConnectionError):
                client.sendall(data)
            assert b'"op"' not in read_all(client)
        other.next("/clock")


def test_partial_frames_are_buffered_and_lost_clients_cleaned_up(bridge: RosbridgeServer) -> None:
    text = b'{"op":"subscribe","topic":"/clock"}'
    whole = HANDSHAKE + bytes([0x81, 0x80 | len(text)]) + bytes(4) + text
    with call_port(bridge) as client:
        for i in range(0, len(whole), 7):
            client.sendall(whole[i : i + 7])
        received = b""
        while b'"op":"publish","topic":"/clock"' not in received:
            received += client.recv(1 << 16)
    with call_port(bridge):
        pass
    wait_for(lambda: not bridge.connections)


def test_client_that_does_not_read_is_skipped(bridge: RosbridgeServer) -> None:
    with RosbridgeProgram(bridge) as other, call_port(bridge) as lazy:
        lazy.sendall(HANDSHAKE)
        text = json.dumps({"op": "subscribe", "topic": "/r0/camera/image_raw"}).encode()
        lazy.sendall(bytes([0x81, 0x80 | len(text)]) + bytes(4) + text)
        wait_for(lambda: any(connection.deaf for connection in bridge.connections))
        other.listen("/clock")


def test_flood_of_operations_does_not_block_others(bridge: RosbridgeServer) -> None:
    text = b'{"op":"nothing"}'
    with RosbridgeProgram(bridge) as other, call_port(bridge) as client:
        client.sendall(HANDSHAKE)
        client.settimeout(1)
        with contextlib.suppress(OSError):
            flood(client, (bytes([0x81, 0x80 | len(text)]) + bytes(4) + text) * 100)
        other.listen("/clock")


@pytest.mark.parametrize(
    ("asked", "problem"),
    [
        ("ninety", "rosbridge: expected a port"),
        ("9090,9091", "rosbridge: expected a port"),
        ("99999", "rosbridge: expected a port"),
        ("0,rate=fast", "rate: expected a number"),
        ("0,domain=3", "rosbridge: expected a port"),
    ],
)
def test_invalid_options_are_reported(asked: str, problem: str) -> None:
    import paddock

    arena = paddock.open("empty")
    Server(arena, Settings(port=0))
    with pytest.raises(PaddockError, match=problem):
        OpenBridges(arena, [("rosbridge", asked)])
