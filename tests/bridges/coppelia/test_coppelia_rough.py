"""Misbehaving clients of CoppeliaSim's API (garbage, partial messages, wrong types, no reads) do not affect others."""

from __future__ import annotations

import contextlib
import socket
from collections.abc import Iterator
from typing import Any

import cbor2
import numpy as np
import pytest

from bridges.coppelia.coppelia_fixtures import new_client, served
from paddock.bridges.coppelia import CoppeliaServer
from paddock.bridges.coppelia.calls import CALLS
from paddock.bridges.coppelia.zmq.zmtp import GREETING, ZmtpPeer, pack_frame, pack_message, pack_ready

FUZZED = 2000


@pytest.fixture(scope="module")
def room() -> Iterator[tuple[CoppeliaServer, Any]]:
    with served() as bridge:
        yield bridge, new_client(bridge).require("sim")


class RawClient:
    """A REQ socket that sends arbitrary bytes."""

    def __init__(self, bridge: CoppeliaServer, first: bytes = GREETING + pack_ready("REQ")) -> None:
        self.socket = socket.create_connection(("127.0.0.1", bridge.port), timeout=60)
        self.peer = ZmtpPeer("REQ")
        self.socket.sendall(first)

    def ask(self, body: bytes) -> Any:
        self.socket.sendall(pack_message([b"", body]))
        return self.answer()

    def answer(self) -> Any:
        while True:
            for frames in self.peer.feed(self.socket.recv(1 << 16)):
                return cbor2.loads(frames[1])

    def is_hung_up(self) -> bool:
        """Return whether the other side closes the connection, after any data it sent."""
        try:
            while self.socket.recv(1 << 16):
                pass
        except ConnectionError:
            pass
        return True

    def __enter__(self) -> RawClient:
        return self

    def __exit__(self, *error: object) -> None:
        self.socket.close()


@pytest.mark.parametrize(
    "garbage",
    [
        b"GET / HTTP/1.1\r\n\r\n",
        bytes(64),
        GREETING[:10] + b"\1" + bytes(53),
        GREETING[:12] + b"CURVE".ljust(20, b"\0") + bytes(32),
        GREETING + pack_ready("PUB"),
        GREETING + pack_message([b"", b"before READY"]),
        GREETING + pack_ready("REQ") + b"\xff\xff",
        GREETING + pack_ready("REQ") + b"\2" + b"\xff" * 8,
        GREETING + pack_ready("REQ") + pack_frame(b"x", 1) * 20,
        GREETING + pack_ready("REQ") + pack_frame(b"no empty frame"),
        GREETING + pack_frame(b"\5READY\x0bSocket-Type", 4),
        GREETING + pack_frame(b"\5ERROR\4oops", 4),
    ],
)
def test_client_that_violates_zeromq_protocol_is_disconnected(room: tuple[CoppeliaServer, Any], garbage: bytes) -> None:
    bridge, sim = room
    with RawClient(bridge, garbage) as client:
        assert client.is_hung_up()
    assert sim.getSimulationState() == 0


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"\xff",
        b"\x9f" * 5000,
        b"\x81" * 5000,
        b"\x9b" + b"\xff" * 8,
        cbor2.dumps([1, 2]),
        cbor2.dumps({"func": 3, "args": []}),
        cbor2.dumps({"func": "sim.step", "args": {}, "uuid": "x"}),
        cbor2.dumps({"func": "sim.step", "args": [], "uuid": 7}),
        cbor2.dumps({"func": "sim.getObject", "args": [{}], "uuid": "x"}),
        cbor2.dumps({"func": "sim.getObject", "args": [], "uuid": "x"}),
        cbor2.dumps({"func": "sim.setObjectPosition", "args": [True, None, "x"], "uuid": "x"}),
        cbor2.dumps({"func": "zmqRemoteApi.info", "args": [], "uuid": "x"}),
        cbor2.dumps({"eval": "os.exit()", "uuid": "x"}),
    ],
)
def test_invalid_request_is_answered_with_an_error(room: tuple[CoppeliaServer, Any], body: bytes) -> None:
    bridge, sim = room
    with RawClient(bridge) as client:
        assert client.ask(body)["err"]
        assert client.ask(cbor2.dumps({"func": "sim.getSimulationState", "args": [], "uuid": "x"})) == {"ret": [0]}
    assert sim.getSimulationState() == 0


def test_fuzzed_requests_cause_no_internal_error(room: tuple[CoppeliaServer, Any]) -> None:
    bridge, sim = room
    random, names = np.random.default_rng(7), sorted(CALLS)
    values: list[Any] = [
        None,
        True,
        -1,
        16,
        17,
        24,
        1e9,
        -2.5,
        "",
        "/ePuck",
        b"\0\1",
        [],
        [1.0] * 3,
        [[]],
        {},
        {"noError": 1},
    ]
    slow = {"sim.wait", "sim.waitForSignal"}
    with RawClient(bridge) as client:
        for k in range(FUZZED):
            name = names[random.integers(len(names))]
            arguments = [values[i] for i in random.integers(len(values), size=random.integers(6))]
            body = bytearray(
                cbor2.dumps({"func": name if name not in slow else "sim.x", "args": arguments, "uuid": "fuzz"})
            )
            if k % 2:
                for place in random.integers(len(body), size=3):
                    body[place] = random.integers(256)
            answer = client.ask(bytes(body))
            assert isinstance(answer, dict)
            assert "internal error" not in answer.get("err", ""), (name, arguments, answer)
    sim.stopSimulation()
    assert sim.getSimulationState() == 0


def test_partial_messages_and_non_reading_clients_do_not_block_others(room: tuple[CoppeliaServer, Any]) -> None:
    bridge, sim = room
    camera = sim.getObject("/ePuck/camera")
    whole = pack_message(
        [b"", cbor2.dumps({"func": "sim.getVisionSensorImg", "args": [camera], "uuid": "deaf", "padding": bytes(2000)})]
    )
    with RawClient(bridge) as half, RawClient(bridge) as deaf:
        half.socket.sendall(whole[:20])
        deaf.socket.setblocking(False)
        with contextlib.suppress(BlockingIOError, ConnectionError):  # it cannot send any more, or is disconnected
            while True:
                deaf.socket.send(whole)
        assert sim.getSimulationState() == 0
        half.socket.sendall(whole[20:])
        assert len(half.answer()["ret"][0]) == 64 * 64 * 3


def test_clients_per_connection_are_limited_and_envelopes_are_returned(room: tuple[CoppeliaServer, Any]) -> None:
    bridge, _ = room
    with RawClient(bridge, GREETING + pack_ready("DEALER")) as client:
        request = {"func": "sim.getSimulationState", "args": [], "argsL": 0}
        for k in range(8):
            assert client.ask(cbor2.dumps({**request, "uuid": f"client {k}"})) == {"ret": [0]}
        assert "8 clients" in client.ask(cbor2.dumps({**request, "uuid": "one more"}))["err"]
        body = cbor2.dumps({**request, "uuid": "client 1"})
        client.socket.sendall(pack_message([b"route", b"", body]) * 3)
        answers: list[list[bytes]] = []
        while len(answers) < 3:
            answers += client.peer.feed(client.socket.recv(1 << 16))
        assert [frames[:2] for frames in answers] == [[b"route", b""]] * 3


def test_server_listens_on_localhost_by_default() -> None:
    with served() as bridge:
        assert bridge._sockets[0].getsockname()[0] == "127.0.0.1"
        assert "no token" not in " ".join(bridge.describe())


def test_pipelined_requests_are_answered_in_order() -> None:
    def ask(function: str, *arguments: Any) -> bytes:
        return pack_message([b"", cbor2.dumps({"func": function, "args": list(arguments), "uuid": "one"})])

    with served(stopped=False) as bridge, RawClient(bridge) as client:
        client.socket.sendall(
            ask("sim.setStepping", True) + ask("sim.step") + ask("sim.wait", 0.2) + ask("sim.setStepping")
        )
        messages: list[Any] = []
        while len(messages) < 4:
            found = client.peer.feed(client.socket.recv(1 << 16))
            messages += [cbor2.loads(frames[1]) for frames in found]
    assert [len(message["ret"]) for message in messages] == [1, 0, 1, 1]
    assert messages[3] == {"ret": [1]}
