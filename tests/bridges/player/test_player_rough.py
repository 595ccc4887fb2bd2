"""Misbehaving clients of Player's protocol do not affect other clients."""

from __future__ import annotations

import struct

import numpy as np
import pytest

import paddock
from bridges.common.rough import flood, read_all
from bridges.player.player_fixtures import (
    COMMAND,
    DATA,
    LASER,
    PLAYER,
    POSITION,
    RANGER,
    REQUEST,
    SIMULATION,
    SYNCH,
    PlayerProgram,
    pose_in,
    served,
)
from paddock.bridges.player import PlayerServer
from paddock.bridges.player.bridge import open_player
from paddock.bridges.player.connection import PlayerConnection
from paddock.network.server import Server, Settings
from paddock.testing import wait_for

DAMAGED = {
    "noise": bytes(range(255, 0, -1)),
    "http": b"GET / HTTP/1.1\r\nHost: localhost:6665\r\n\r\n",
    "little-endian": struct.pack("<6IdII", 0, 0, 1, 0, 3, 5, 0.0, 1, 4) + bytes(4),
    "unknown type": struct.pack(">6IdII", 0, 0, 1, 0, 7, 5, 0.0, 1, 4) + bytes(4),
    "huge payload": struct.pack(">6IdII", 0, 0, 1, 0, 3, 5, 0.0, 1, 1 << 31),
}


@pytest.mark.parametrize("data", DAMAGED.values(), ids=DAMAGED)
def test_client_with_malformed_data_is_disconnected_without_side_effects(data: bytes) -> None:
    with served() as bridge, PlayerProgram(bridge.addresses[0]) as other:
        other.open(POSITION)
        with PlayerProgram(bridge.addresses[0]) as client:
            client.socket.sendall(data)
            assert read_all(client.socket) == b""
        assert list(other.read()) == [(POSITION, 0)]


def test_partial_messages_are_buffered_and_lost_clients_cleaned_up() -> None:
    whole = struct.pack(">6IdIII", 0, 0, PLAYER, 0, REQUEST, 5, 0.0, 9, 4, 2)
    with served() as bridge, PlayerProgram(bridge.addresses[0]) as other:
        with PlayerProgram(bridge.addresses[0]) as client:
            for byte in whole:
                client.socket.sendall(bytes([byte]))
            assert client.read_message().sequence == 9
            client.socket.sendall(whole[:43])
        with PlayerProgram(bridge.addresses[0]):
            pass
        wait_for(lambda: len(bridge.connections) == 1)
        other.open(POSITION)
        assert list(other.read()) == [(POSITION, 0)]


@pytest.mark.parametrize("how", ["vanishes", "unsubscribes"])
def test_robot_stops_when_its_client_disconnects_or_unsubscribes(how: str) -> None:
    with served() as bridge, PlayerProgram(bridge.addresses[0]) as other:
        other.open(POSITION)
        program = PlayerProgram(bridge.addresses[0])
        program.open(POSITION)
        program.send(COMMAND, POSITION, 0, 2, struct.pack(">6dI", 3.0, 0, 0, 0, 0, 0, 1))
        program.ask(PLAYER, 0, 7)
        if how == "vanishes":
            program.close()
            wait_for(lambda: len(bridge.connections) == 1)
        else:
            program.subscribe(POSITION, 0, access=2)
        for _ in range(10):
            data = other.read()[POSITION, 0]
        assert pose_in(data)[3:6] == (0, 0, 0)
        program.close()


@pytest.mark.parametrize("subtype", [1, 2], ids=["speeds", "goal"])
def test_robot_driven_by_another_source_is_not_stopped(subtype: int) -> None:
    with served() as bridge, PlayerProgram(bridge.addresses[0]) as other:
        other.open(POSITION)
        with PlayerProgram(bridge.addresses[0]) as program:
            program.open(POSITION)
            program.send(COMMAND, POSITION, 0, subtype, struct.pack(">6dI", 3.0, 0, 0, 0, 0, 0, 1))
            program.ask(PLAYER, 0, 7)
            bridge.arena["r0"].wheels.set(0.2, 0.1)
            other.read()
            assert bridge.arena["r0"].body.command == (0.2, 0.1)
        wait_for(lambda: len(bridge.connections) == 1)
        assert bridge.arena["r0"].body.command == (0.2, 0.1)


def test_command_flood_is_processed_without_blocking_others() -> None:
    with served() as bridge, PlayerProgram(bridge.addresses[0]) as other, PlayerProgram(bridge.addresses[0]) as busy:
        busy.open(POSITION)
        command = struct.pack(">6IdII3dI", 0, 0, POSITION, 0, COMMAND, 1, 0.0, 1, 28, 0.1, 0.0, 0.0, 1)
        for _ in range(20):
            busy.socket.sendall(command * 500)
            other.get(PLAYER, 0, 1)
        busy.get(PLAYER, 0, 1)
        assert bridge.arena["r0"].body.command == (0.1, 0.1)


def test_client_that_does_not_read_does_not_block_others() -> None:
    with served() as bridge, PlayerProgram(bridge.addresses[0]) as other, PlayerProgram(bridge.addresses[0]) as frozen:
        frozen.socket.setblocking(False)
        with pytest.raises(BlockingIOError):
            flood(frozen.socket, struct.pack(">6IdII", 0, 0, PLAYER, 0, REQUEST, 1, 0.0, 1, 0))
        other.open(POSITION)
        assert list(other.read()) == [(POSITION, 0)]


def test_requested_data_arrive_after_a_late_read() -> None:
    with served(stepped=False, lock_step=False, speed=1.0) as bridge, PlayerProgram(bridge.addresses[0]) as late:
        late.open(POSITION)
        late.read()
        late.send(REQUEST, PLAYER, 0, 4)
        late.socket.setblocking(False)
        with pytest.raises(BlockingIOError):
            flood(late.socket, struct.pack(">6IdII", 0, 0, PLAYER, 0, REQUEST, 1, 0.0, 1, 0))
        connection = next(iter(bridge.connections))
        wait_for(lambda: connection.deaf and not connection._waiting)
        late.socket.settimeout(60)
        types = [late.read_message().type]
        while types[-1] != SYNCH:
            types.append(late.read_message().type)
        assert types.count(DATA) == 1


def test_data_for_a_client_that_does_not_read_do_not_accumulate() -> None:
    with (
        served(stepped=False, lock_step=False) as bridge,
        PlayerProgram(bridge.addresses[0]) as frozen,
        PlayerProgram(bridge.addresses[0]) as other,
    ):
        for device in ((LASER, 0), (RANGER, 0), (RANGER, 1)):
            frozen.subscribe(*device)
        connection = next(iter(bridge.connections))
        wait_for(lambda: connection.deaf)
        other.open(POSITION)
        times = [other.read()[POSITION, 0].time for _ in range(20)]
        assert times == sorted(times)
        assert connection.transport.get_write_buffer_size() < 1 << 18


def test_silent_client_is_disconnected(monkeypatch: pytest.MonkeyPatch) -> None:
    with served() as bridge:
        monkeypatch.setattr(PlayerConnection, "greeting", 0.01)
        with PlayerProgram(bridge.addresses[0]) as client:
            assert read_all(client.socket) == b""


def test_time_stops_waiting_for_a_frozen_client() -> None:
    with served(silence=0.2) as bridge, PlayerProgram(bridge.addresses[0]) as frozen:
        frozen.open(POSITION)
        frozen.read()
        with PlayerProgram(bridge.addresses[0]) as other:
            other.open(POSITION)
            times = [other.read()[POSITION, 0].time for _ in range(5)]
        assert np.diff(times) == pytest.approx([0.1] * 4)


def test_malformed_messages_do_not_affect_other_clients() -> None:
    drawn = np.random.default_rng(14)
    with served() as bridge, PlayerProgram(bridge.addresses[0]) as other, PlayerProgram(bridge.addresses[0]) as client:
        other.open(POSITION)
        devices = [struct.unpack_from(">2I", client.get(PLAYER, 0, 1), 16 + 16 * k) for k in range(20)]
        client.open()
        for interface, index in devices:
            client.subscribe(interface, index)
        for _ in range(1500):
            interface, index = devices[drawn.integers(len(devices))]
            payload = drawn.bytes(drawn.integers(0, 80))
            if interface != SIMULATION:
                client.send(COMMAND, interface, index, int(drawn.integers(0, 6)), payload)
            client.ask(interface, index, int(drawn.integers(0, 10)), payload)
        assert list(other.read()) == [(POSITION, 0)]


@pytest.mark.parametrize("asked", ["", "x", "70000", "6665,stopped", "-1"])
def test_invalid_ports_are_reported(asked: str) -> None:
    arena = paddock.open("empty")
    Server(arena, Settings(port=0))
    with pytest.raises(paddock.PaddockError, match="player: expected comma-separated ports from 0 to 65535"):
        open_player(arena, [asked], "127.0.0.1")


def test_unserved_arena_and_port_in_use_are_refused() -> None:
    with pytest.raises(paddock.SimulationError, match="player: this arena is not served"):
        PlayerServer(paddock.open("empty"), 0)
    arena = paddock.open("empty")
    Server(arena, Settings(port=0))
    with open_player(arena, ["0,stepped,world"], "0.0.0.0") as bridge:
        assert (bridge.stepped, bridge.in_world) == (True, True)
        assert "no token required" in next(iter(bridge.describe()))
        with pytest.raises(paddock.LinkError, match="is in use"):
            PlayerServer(arena, bridge.addresses[0][1])
