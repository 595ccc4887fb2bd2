"""Clients that violate the protocol cost few resources and do not affect other clients."""

from __future__ import annotations

import contextlib
import json
import socket
import struct
from collections.abc import Iterator

import pytest
from websockets.exceptions import InvalidStatus
from websockets.frames import Frame, Opcode

from network.server.parties import Peer, address, on_loop, open_socket, request, served
from paddock.network.server import Server
from paddock.network.server.core.connection import MAX_BEFORE_HELLO
from paddock.testing import wait_for

UPGRADE = (
    "GET /ws HTTP/1.1\r\nHost: {host}:{port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
)


@pytest.fixture
def server() -> Iterator[Server]:
    with served("empty") as server:
        yield server


def upgrade(server: Server) -> bytes:
    host, port = address(server)
    return UPGRADE.format(host=host, port=port).encode()


@pytest.mark.parametrize(
    ("behind", "code"),
    [
        (b"\xff\xff\xff\xff\xff\xff", 1002),  # an opcode that there is not
        (b"\x82\x01\x00", 1002),  # a frame that is not masked
        (Frame(Opcode.CONT, b"x").serialize(mask=True), 1002),
        (b"\x82\xff" + b"\x7f" * 8, 1009),
    ],
    ids=["opcode", "mask", "continuation", "length"],
)
def test_invalid_frame_in_handshake_segment_is_answered(
    server: Server, behind: bytes, code: int, caplog: pytest.LogCaptureFixture
) -> None:
    answer = request(server, upgrade(server) + behind)
    head, _, frames = answer.partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 101 ")
    assert frames[0] == 0x88
    assert int.from_bytes(frames[2:4], "big") == code
    assert caplog.text == ""


def test_hello_in_handshake_segment_is_answered(server: Server) -> None:
    hello = Frame(Opcode.TEXT, b'{"type":"hello","id":1,"version":1}').serialize(mask=True)
    with open_socket(server) as connection:
        connection.sendall(upgrade(server) + hello)
        got = b""
        while b'"welcome"' not in got:
            data = connection.recv(1 << 16)
            assert data, "the server hung up"
            got += data


def test_client_that_resets_its_connection_before_it_is_accepted_leaves_no_trace(
    server: Server, caplog: pytest.LogCaptureFixture
) -> None:
    with Peer(server) as witness:

        def connect_and_reset() -> None:  # in the server's thread, so that it accepts the connection afterwards
            with open_socket(server) as connection:
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                connection.sendall(upgrade(server))

        on_loop(server, connect_and_reset)
        with Peer(server) as newcomer:  # accepted after it
            assert newcomer.ask("sense", robot="red")["type"] == "observed"
        assert witness.ask("sense", robot="red")["type"] == "observed"
    assert caplog.text == ""


def test_only_first_of_two_requests_in_one_segment_is_answered(
    server: Server, caplog: pytest.LogCaptureFixture
) -> None:
    host, port = address(server)
    get = f"GET / HTTP/1.1\r\nHost: {host}:{port}\r\n\r\n".encode()
    answer = request(server, get + get)
    assert answer.startswith(b"HTTP/1.1 200 ")
    assert answer.count(b"HTTP/1.1") == 1
    assert caplog.text == ""


@pytest.mark.parametrize("whole", [True, False], ids=["whole", "in pieces"])
def test_long_first_message_is_not_decoded(server: Server, whole: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[int] = []
    monkeypatch.setattr("paddock.network.server.core.connection.decode", lambda data, **_: read.append(len(data)))
    text = json.dumps({"type": "hello", "id": 1, "version": 1, "junk": [{}] * MAX_BEFORE_HELLO}).encode()
    with Peer(server, hello=False) as stranger:
        with contextlib.suppress(OSError):
            if whole:
                stranger.send_frame(text, Opcode.TEXT)
            else:
                stranger.send_frame(text[:3000], Opcode.TEXT, fin=False)
                stranger.send_frame(text[3000:6000], Opcode.CONT, fin=False)
        assert stranger.until_closed()[0] == 1009
    assert read == []


def test_refused_first_message_closes_connection(server: Server) -> None:
    with Peer(server, hello=False, encoding="json") as stranger:
        stranger.send_frame(b'{"type":"helo","id":7,"version":1}', Opcode.TEXT)
        refused = stranger.answer(7)
        assert refused["message"] == "type: no message is called 'helo' (did you mean 'hello'?)"
        assert stranger.until_closed()[0] == 4400


def test_silent_connections_do_not_block_new_clients() -> None:
    with served("empty", most_clients=8) as server, contextlib.ExitStack() as stack:
        client = stack.enter_context(Peer(server, name="first"))
        silent = [stack.enter_context(open_socket(server)) for _ in range(40)]
        newcomer = stack.enter_context(Peer(server, name="newcomer"))
        assert newcomer.welcome["client"] == "newcomer"
        assert client.ask("sense", robot="red")["type"] == "observed"  # those who said hello stay
        with contextlib.suppress(ConnectionResetError):
            assert silent[0].recv(1) == b""  # the oldest had to go
        assert len(server.connections) <= 16


def test_clients_that_say_hello_at_the_same_time_do_not_exceed_the_limit() -> None:
    with served("empty", most_clients=2) as server, contextlib.ExitStack() as stack:
        strangers = [stack.enter_context(Peer(server, hello=False)) for _ in range(4)]
        answers = [stranger.ask("hello", version=1) for stranger in strangers]
        assert [answer["type"] for answer in answers] == ["welcome", "welcome", "refused", "refused"]
        assert "too many clients" in answers[-1]["message"]
        assert strangers[0].ask("sense", robot="red")["type"] == "observed"
        with pytest.raises(InvalidStatus, match="503"):
            Peer(server)


def test_unauthenticated_clients_of_one_address_do_not_evict_another_address() -> None:
    with served("empty", most_clients=4) as server, contextlib.ExitStack() as stack:
        alone = stack.enter_context(open_socket(server))  # the oldest
        wait_for(lambda: len(server.connections) == 1)
        on_loop(server, lambda: move_to(server, "10.0.0.7"))
        silent = [stack.enter_context(open_socket(server)) for _ in range(20)]
        with contextlib.suppress(ConnectionResetError):
            assert silent[0].recv(1) == b""
        alone.sendall(b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        assert alone.recv(12) == b"HTTP/1.1 200"


def move_to(server: Server, address: str) -> None:
    """Change the peer address of the only connection."""
    (connection,) = server.connections
    requests = connection.requests
    del requests.share.connections[connection]
    requests.share = server.session.shares.of_address(address)
    requests.share.connections[connection] = None
