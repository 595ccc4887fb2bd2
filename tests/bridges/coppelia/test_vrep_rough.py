"""Misbehaving clients of V-REP's API do not affect other clients."""

from __future__ import annotations

import contextlib
import math
import socket
import struct
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridges.common.rough import flood, read_all
from bridges.coppelia.vrep_fixtures import connect, find_handle, number, served
from paddock.bridges.coppelia import VrepServer
from paddock.bridges.coppelia.legacy import PacketJoiner, split_packets
from paddock.bridges.coppelia.legacy.messages import BLOCK, ask_for, build_request
from paddock.bridges.coppelia.legacy.table import CALLS
from paddock.bridges.coppelia.legacy_connection import VrepConnection

HEADER = build_request(0, ())
GOOD = split_packets(build_request(0, [ask_for(0x3001, b"ePuck\0")]))
DAMAGED = {
    "noise": bytes(range(256)),
    "http": b"GET / HTTP/1.1\r\n\r\n",
    "big-endian": struct.pack(">hhh", 1, 18, 0) + HEADER,
    "negative length": struct.pack("<hhh", 1, -5, 0),
    "negative count": struct.pack("<hhh", 1, 18, -1) + HEADER,
    "wrong count": struct.pack("<hhh", 1, 4, 5) + b"abcd" + struct.pack("<hhh", 1, 4, 2) + b"abcd",
    "short message": split_packets(b"short"),
    "half a command": split_packets(HEADER + b"x" * 10),
    "size beyond the end": split_packets(HEADER + BLOCK.pack(999, 999, 0, 0, 0x10001, 0, 0, 0, 0)),
    "negative size": split_packets(HEADER + BLOCK.pack(-1, -1, 0, 0, 0x10001, 0, 0, 0, 0)),
    "command data beyond its size": split_packets(HEADER + BLOCK.pack(26, 26, 50, 0, 0x11001, 0, 0, 0, 0)),
    "huge piece": split_packets(HEADER + BLOCK.pack(26, 2**31 - 1, 0, 0, 0x33015, 0, 0, 0, 0)),
    "piece before the start": split_packets(HEADER + BLOCK.pack(26, 90, 0, -4, 0x33015, 0, 0, 0, 0)),
}


def visit(bridge: VrepServer) -> socket.socket:
    return socket.create_connection(bridge.addresses[0], timeout=60)


@pytest.mark.parametrize("data", DAMAGED.values(), ids=DAMAGED)
def test_client_with_malformed_data_is_disconnected_without_side_effects(data: bytes) -> None:
    with served() as bridge, connect(bridge) as other:
        handle = find_handle(other, "ePuck")
        with visit(bridge) as client:
            client.sendall(data)
            assert read_all(client) == b""
        assert find_handle(other, "ePuck") == handle


def test_partial_messages_are_buffered_and_lost_clients_cleaned_up() -> None:
    with served() as bridge, connect(bridge) as other:
        with visit(bridge) as client:
            for byte in GOOD:
                client.sendall(bytes([byte]))
            assert len(client.recv(1000)) == 6 + 18 + 26 + 6 + 4
            client.sendall(GOOD[:20])
        with visit(bridge):
            pass
        while len(bridge.connections) > 1:
            find_handle(other, "ePuck")
        assert find_handle(other, "ePuck") > 0


def test_queue_of_a_client_that_ignores_answers_is_limited() -> None:
    with served() as bridge, connect(bridge) as other:
        camera = find_handle(other, "ePuck_camera")
        message = split_packets(build_request(0, [ask_for(0x1004, number(camera))]))
        with visit(bridge) as client:
            client.setblocking(False)
            with pytest.raises((BlockingIOError, ConnectionError)):
                flood(client, message)
            assert find_handle(other, "ePuck") > 0
            waiting = [message for connection in bridge.connections for message in connection._messages]
            assert sum(len(message) for message in waiting) < 1 << 19


def test_expensive_message_does_not_block_others() -> None:
    with served() as bridge, connect(bridge) as other, visit(bridge) as client:
        handle = find_handle(other, "ePuck")
        all_pairs = ask_for(0x2010, struct.pack("<ii", -2, -2))
        client.sendall(split_packets(build_request(0, [all_pairs] * 60)))
        asked = 0
        client.setblocking(False)
        while True:
            assert find_handle(other, "ePuck") == handle
            asked += 1
            with contextlib.suppress(BlockingIOError):
                assert client.recv(1)
                break
        assert asked > 5


def test_queue_is_limited_while_a_message_waits_for_its_step() -> None:
    with served(ports=2) as bridge, connect(bridge, 1) as other, visit(bridge) as client:
        other.call(0x1)  # time waits for it
        client.sendall(split_packets(build_request(0, [ask_for(0x1), ask_for(0x1007, number(0)), ask_for(0x3)])))
        long = split_packets(build_request(1, [ask_for(0x3015, b"s\0", bytes(1 << 14))]))
        client.setblocking(False)
        with pytest.raises(BlockingIOError):
            flood(client, long)
        assert find_handle(other, "ePuck") > 0
        assert sum(len(message) for c in bridge.connections for message in c._messages) < 1 << 19


def test_silent_client_is_disconnected(monkeypatch: pytest.MonkeyPatch) -> None:
    with served() as bridge, connect(bridge) as other:
        handle = find_handle(other, "ePuck")
        monkeypatch.setattr(VrepConnection, "greeting", 0.01)
        with visit(bridge) as client:
            assert client.recv(1) == b""
        assert find_handle(other, "ePuck") == handle


def test_time_stops_waiting_for_a_frozen_synchronous_client() -> None:
    with served(silence=0.2) as bridge, connect(bridge) as frozen, connect(bridge) as other:
        frozen.call(0x1)
        other.call(0x1007, number(0))
        while bridge.arena.tick == 0:
            find_handle(other, "ePuck")
        for connection in bridge.connections:
            connection.member._member.timeout = math.inf
        frozen.call(0x3)  # back again: time waits for it
        tick = bridge.arena.tick
        assert find_handle(other, "ePuck") > 0
        assert bridge.arena.tick == tick


def test_unknown_commands_and_malformed_arguments_are_reported() -> None:
    with served() as bridge, connect(bridge) as client:
        for blocks, text in (
            (ask_for(0x10FF, number(1)), "command 0x10ff: unknown call"),
            (ask_for(0x1001, b"\0"), "simxGetJointPosition: expected 4 bytes of data, got 1"),
            (ask_for(0x1001, b"\0" * 7), "simxGetJointPosition: expected command data of 4 bytes, got 7"),
            (ask_for(0x3001, b"ePuck"), "simxGetObjectHandle: expected a zero-terminated text"),
            (ask_for(0x1008, number(find_handle(client, "ePuck_leftJoint"))), "expected 4 bytes of data, got 0"),
            (
                ask_for(0x1008, number(find_handle(client, "ePuck_leftJoint")), struct.pack("<f", np.nan)),
                "expected a finite velocity in rad/s, got nan",
            ),
            (ask_for(0x3401, number(1) + b"ePuck\0getPoseForRemote\0", b"\xff" * 16), "expected the numbers of"),
        ):
            with pytest.raises(Exception, match=text):
                client.call_all([blocks])


def test_malformed_commands_do_not_affect_other_clients() -> None:
    drawn = np.random.default_rng(14)
    with served(lock_step=True, stopped=False) as bridge, connect(bridge) as other:
        handle = find_handle(other, "ePuck")
        with visit(bridge) as client:
            for _ in range(300):
                blocks = []
                for command in drawn.choice(sorted(CALLS), 5):
                    if command in (
                        0x000A,
                        0x3003,
                        0x102E,
                        0x1028,
                        0x1037,
                    ):  # these are not meant: they change who is there
                        continue
                    key, data = drawn.bytes(drawn.integers(0, 12)), drawn.bytes(drawn.integers(0, 40))
                    mode = int(drawn.integers(0, 8)) << 16
                    blocks.append(ask_for(int(command), key, data, mode=mode, delay=int(drawn.integers(0, 200))))
                client.sendall(split_packets(build_request(1, blocks)))
                joiner = PacketJoiner()
                messages: list[bytes] = []
                while not messages:
                    data = client.recv(1 << 16)
                    assert data, "it has hung up"
                    messages = list(joiner.feed(data))
            assert find_handle(other, "ePuck") == handle


@given(st.binary(max_size=5000), st.lists(st.integers(1, 700), max_size=20))
def test_messages_survive_splitting_into_packets(message: bytes, cuts: list[int]) -> None:
    packets, joiner, messages = split_packets(message) + split_packets(b"next"), PacketJoiner(), []
    for cut in [*cuts, len(packets)]:
        messages += joiner.feed(packets[:cut])
        packets = packets[cut:]
    assert messages == [message, b"next"]


def test_robots_spawn_and_leave_while_a_client_sends_requests() -> None:
    with served(stopped=False) as bridge, connect(bridge) as client:
        handle = find_handle(client, "ePuck")
        done = threading.Event()

        def spawn_and_remove() -> None:
            try:
                for number in range(60):
                    bridge.arena.spawn(f"guest-{number}", "e-puck", at=(4.0, 3.0))
                    bridge.arena.remove(f"guest-{number}")
            finally:
                done.set()

        with ThreadPoolExecutor(1) as pool:
            job = pool.submit(spawn_and_remove)
            while not done.is_set():
                assert find_handle(client, "ePuck") == handle
            job.result()
