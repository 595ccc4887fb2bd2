"""Many or flooding clients of bridges: others connect, the clock continues, and log, memory and answers stay small."""

from __future__ import annotations

import itertools
import logging
import socket
import struct
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import pytest

import paddock
from bridges.common.rough import read_all
from bridges.coppelia.vrep_fixtures import ROOM, connect, find_handle, served
from bridges.player.player_fixtures import POSITION, PlayerProgram
from bridges.usarsim.usarsim_fixtures import Client
from network.server.parties import Peer
from paddock.bridges.common import connection, emulator_server
from paddock.bridges.common.client_log import BURST, LogLimit
from paddock.bridges.common.ports import MAX_CONNECTIONS
from paddock.bridges.coppelia import VrepServer
from paddock.bridges.coppelia.legacy import PacketJoiner, split_packets
from paddock.bridges.coppelia.legacy.messages import ask_for, build_request
from paddock.bridges.coppelia.legacy_connection import VrepConnection
from paddock.bridges.player import PlayerServer
from paddock.bridges.usarsim import UsarSimServer
from paddock.network.server import Server, Settings
from paddock.network.server.core.access import Grant, Role

SYNCHRONOUS, GET_STRING, SET_STRING, PAIR_DISTANCE = 0x0001, 0x3012, 0x3015, 0x2010


@contextmanager
def visitors(address: tuple[str, int], count: int) -> Iterator[list[socket.socket]]:
    with ExitStack() as stack:
        yield [stack.enter_context(socket.create_connection(address, timeout=60)) for _ in range(count)]


def test_silent_clients_of_the_event_loop_make_room_for_others() -> None:
    arena = paddock.open(ROOM, seed=3)
    server = Server(arena, Settings(port=0))
    with (
        PlayerServer(arena, 0) as bridge,
        server.in_background(),
        visitors(bridge.addresses[0], MAX_CONNECTIONS) as silent,
    ):
        for line in silent:
            assert line.recv(1)  # the banner: it is connected
        program = PlayerProgram(bridge.addresses[0])
        program.subscribe(POSITION, 0)
        read_all(silent[0])  # the oldest has left
        program.close()


def test_silent_clients_of_a_thread_make_room_for_others_and_are_disconnected_later(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with (
        UsarSimServer(paddock.open("yellow-rooms", seed=3), 0) as bridge,
        visitors(bridge.address, MAX_CONNECTIONS) as silent,
    ):
        for line in silent:
            assert line.recv(1)
        client = Client(bridge)
        client.wait_for("NFO")
        read_all(silent[0])
        client.send(b"INIT {ClassName USARBot.P2DX} {Name R1}\r\n")
        client.step(1)
        monkeypatch.setattr(emulator_server, "FIRST_REQUEST", 0.0)
        client.step(0)
        for line in silent:
            read_all(line)
        client.step(1)  # it has a robot, so it stays
        client.socket.close()


def test_invalid_lines_are_logged_a_limited_number_of_times(caplog: pytest.LogCaptureFixture) -> None:
    with UsarSimServer(paddock.open("yellow-rooms", seed=3), 0) as bridge, caplog.at_level(logging.WARNING):
        client = Client(bridge)
        client.wait_for("NFO")
        client.send(b"NONSENSE {x y}\r\n" * 1000 + b"GETSTARTPOSES\r\n")
        client.wait_for("NFO")
        assert len(caplog.records) <= BURST + 10
        client.socket.close()


def test_log_says_how_many_lines_were_left_out() -> None:
    time = [0.0]
    limit = LogLimit(now=lambda: time[0])

    def write(text: str) -> str:
        line = logging.LogRecord("bridge", logging.WARNING, "", 0, "client: %s", (text,), None)
        return line.getMessage() if limit.filter(line) else ""

    assert sum(bool(write("nonsense")) for _ in range(1000)) == BURST
    time[0] += 1.0
    assert write("again") == f"client: again ({1000 - BURST} more lines were left out)"
    assert write("once more") == "client: once more"
    time[0] += 1.0
    assert len(write("x" * 100_000)) < 2000


def test_clock_continues_between_the_messages_of_each_flooding_client(monkeypatch: pytest.MonkeyPatch) -> None:
    order: list[str] = []
    work = VrepConnection.work
    monkeypatch.setattr(VrepConnection, "work", lambda self: (order.append("client"), work(self))[1])
    message = split_packets(build_request(0, [ask_for(PAIR_DISTANCE, struct.pack("<ii", -2, -2))] * 40))
    monkeypatch.setattr(connection, "SLICE", 1e-4)
    with served(stopped=False) as bridge, visitors(bridge.addresses[0], 16) as clients:
        bridge.arena.on_tick(lambda: order.append("tick"))
        for client in clients:
            client.sendall(message)
        for client in clients:
            assert client.recv(1)
    runs = [len(list(run)) for what, run in itertools.groupby(order) if what == "client"]
    assert len(runs) > 16
    assert max(runs) < 16


def test_results_of_a_message_are_limited_in_size() -> None:
    with served() as bridge, socket.create_connection(bridge.addresses[0], timeout=60) as client:
        joiner = PacketJoiner(1 << 26)

        def ask(*blocks: Any) -> bytes:
            client.sendall(split_packets(build_request(0, blocks)))
            while True:
                answers = list(joiner.feed(client.recv(1 << 16)))
                if answers:
                    return answers[0]

        ask(ask_for(SET_STRING, b"s\0", bytes(900_000)))
        assert len(ask(*[ask_for(GET_STRING, b"s\0")] * 100)) < 1 << 23


def test_client_of_a_bridge_cannot_hold_the_clock_of_a_token_holder() -> None:
    arena = paddock.open(ROOM, seed=3)
    server = Server(arena, Settings(port=0, speed=1.0))
    with VrepServer(arena, 0) as bridge, server.in_background():
        token = server.tokens.add(Grant(Role.CONTROLLER, frozenset({"pioneer"}), "Ada"))
        with Peer(server, token=token) as ada, connect(bridge) as client:
            assert ada.ask("claim", robot="pioneer")["type"] == "done"
            with pytest.raises(Exception, match="cannot be held: Ada drive robots"):
                client.call(SYNCHRONOUS)
            assert find_handle(client, "ePuck") > 0
            ada.ask("release_robot", robot="pioneer")
            client.call(SYNCHRONOUS)
