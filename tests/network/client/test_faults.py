"""Broken links: every call ends with a clear error within its timeout, and `reconnect` restores the connection."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from websockets.http11 import Request
from websockets.server import ServerProtocol
from websockets.sync.server import ServerConnection

import paddock
from network.client.served import TIMEOUT, YARD, free_port, impostor, join, process, serving
from paddock.network.client.remote import RemoteArena
from paddock.network.client.wire import WebSocketWire
from paddock.network.protocol import VERSION, Message, MessageDecoder, encode
from paddock.network.protocol import messages as m
from paddock.network.server.core.access import Grant, Role
from paddock.testing import wait_for

WELCOME = m.Welcome(
    id=1,
    version=VERSION,
    server="impostor",
    client="me",
    role="supervisor",
    world=YARD.with_robots().to_table(),
    dt=0.02,
    lock_step=False,
)
NEWS = (
    m.RobotList(kinds=(YARD.robots[0].type.to_table(),), robots=(m.RobotInfo(name="red", kind=0, color="#ff0000"),)),  # type: ignore[union-attr]
    m.ClockState(tick=0, seed=0, running=True, speed=1.0),
)


def greet(connection: ServerConnection, welcome: m.Welcome = WELCOME) -> None:
    connection.recv()
    for message in (welcome, *NEWS):
        connection.send(encode(message))


def listen(connection: ServerConnection) -> None:
    """Receive without sending until the client disconnects."""
    for _ in connection:
        pass


def asked(connection: ServerConnection) -> Any:
    return MessageDecoder(m.REQUESTS).decode(connection.recv())


# Addresses.


@pytest.mark.parametrize("url", ["localhost:8642", "", "tcp://localhost", "ftp://x", None, 8642])
def test_invalid_url_is_refused(url: Any) -> None:
    with pytest.raises(paddock.LinkError, match="connect: expected a URL such as 'ws://localhost:8642'"):
        paddock.connect(url)


def test_mistyped_scheme_is_answered_with_suggestion() -> None:
    with pytest.raises(paddock.LinkError, match=r"\(did you mean 'ws'\?\)|\(there are: "):
        paddock.connect("wws://localhost:8642")


@pytest.mark.parametrize("url", ["ws://", "ws://:8642", "ws://localhost:port", "ws://localhost:99999", "ws://[::1"])
def test_unusable_address_is_refused(url: str) -> None:
    with pytest.raises((paddock.LinkError), match="not a usable address"):
        paddock.connect(url)


@pytest.mark.parametrize("scheme", ["ws", "epuck2", "usarsim", "vrep", "coppelia", "player"])
@pytest.mark.parametrize("timeout", [0, -1, float("nan"), float("inf"), "soon", None])
def test_invalid_timeout_is_refused(scheme: str, timeout: Any) -> None:
    with pytest.raises(paddock.LinkError, match="connect: timeout: expected seconds > 0, got"):
        paddock.connect(f"{scheme}://localhost:1", timeout=timeout)


def test_refused_connection_is_reported() -> None:
    port = free_port()
    with pytest.raises(paddock.LinkError) as caught:
        paddock.connect(f"ws://127.0.0.1:{port}")
    assert str(caught.value) == (
        f"ws://127.0.0.1:{port}/ws: cannot connect: Connection refused; is the server running?"
    )


@contextlib.contextmanager
def other_program(text: bytes) -> Iterator[int]:
    """The port of a program that sends a text to each client, and closes when it receives something."""
    with socket.create_server(("127.0.0.1", 0)) as door:

        def work() -> None:
            with contextlib.suppress(OSError):
                while True:
                    connection, _ = door.accept()
                    with connection, contextlib.suppress(OSError):
                        connection.sendall(text)
                        connection.recv(1000)

        threading.Thread(target=work, daemon=True).start()
        yield int(door.getsockname()[1])


@pytest.mark.parametrize("scheme", ["ws", "usarsim", "vrep", "coppelia", "player"])
def test_port_of_another_program_is_reported(scheme: str, caplog: pytest.LogCaptureFixture) -> None:
    with other_program(100 * b"+OK nothing here\r\n") as port, pytest.raises(paddock.LinkError) as caught:
        paddock.connect(f"{scheme}://127.0.0.1:{port}", timeout=TIMEOUT)
    assert f"127.0.0.1:{port}" in str(caught.value)
    assert "arena.reconnect" not in str(caught.value)  # there is no arena yet
    assert len(caplog.records) <= 3  # of a hundred lines


def test_unknown_host_is_reported() -> None:
    with pytest.raises(paddock.LinkError, match=r"ws://nowhere\.invalid:8642/ws: cannot connect: "):
        paddock.connect("ws://nowhere.invalid")


# Tokens.


def test_wrong_token_is_refused_and_right_one_is_accepted() -> None:
    with serving(token="secret") as server:
        with pytest.raises(paddock.Refused) as caught:
            join(server, token="guess")
        assert str(caught.value) == "token: this token is not valid here; ask for a new join link"
        with join(server, token="secret") as arena:
            assert arena.role == "supervisor"


def test_join_link_is_an_address() -> None:
    with serving() as server:
        token = server.tokens.add(Grant(Role.CONTROLLER, frozenset({"red"}), "Zoë"))
        for url in (server.url(token=token), f"{server.url(token=token)}&robot=red"):
            with paddock.connect(url) as arena:
                assert (arena.name, arena.role) == ("Zoë", "controller")
                arena["red"].wheels.set(0.1, 0.1)
                arena.step()
                with pytest.raises(paddock.Refused, match="your token does not name robot 'blue'"):
                    arena["blue"].enable("ground")
                with pytest.raises(paddock.Refused, match=r"red\.pose: only a supervisor may read"):
                    _ = arena["red"].pose
                with pytest.raises(paddock.Refused, match="only a supervisor may do that, and you are a controller"):
                    arena.reset()


def test_viewer_is_not_in_lock_and_cannot_drive() -> None:
    with serving() as server:
        token = server.tokens.add(Grant(Role.VIEWER))
        with paddock.connect(server.url(token=token)) as arena:
            assert not arena.in_lock
            arena["red"].wheels.set(0.1, 0.1)  # leaves at once …
            with pytest.raises(paddock.Refused, match="only a controller may do that, and you are a viewer"):
                arena["red"].enable("ground")  # … and is refused at the latest here


# Servers that are none.


def test_server_that_accepts_but_never_answers_raises_timeout() -> None:
    with (
        socket.create_server(("127.0.0.1", 0)) as listener,
        pytest.raises(paddock.Timeout, match=r"nothing received within 0\.3 s"),
    ):
        paddock.connect(f"ws://127.0.0.1:{listener.getsockname()[1]}", timeout=0.3)


def test_server_without_welcome_raises_timeout() -> None:
    with impostor(listen) as url:
        with pytest.raises(paddock.Timeout) as caught:
            paddock.connect(url, timeout=1)
        assert str(caught.value) == f"{url}: no answer to 'hello' within 1 s"


def test_server_without_robot_list_raises_timeout() -> None:
    def behave(connection: ServerConnection) -> None:
        connection.recv()
        connection.send(encode(WELCOME))
        listen(connection)

    with impostor(behave) as url, pytest.raises(paddock.Timeout, match="no answer to 'hello'"):
        paddock.connect(url, timeout=1)


def test_other_protocol_version_raises_version_mismatch() -> None:
    def other(connection: ServerConnection) -> None:
        greet(
            connection,
            m.Welcome(**{f: getattr(WELCOME, f) for f in WELCOME.__slots__} | {"version": VERSION + 1, "id": 1}),
        )

    with impostor(other) as url, pytest.raises(paddock.VersionMismatch) as caught:
        paddock.connect(url)
    assert "install the same release of Paddock on both sides" in str(caught.value)

    def refuse(connection: ServerConnection) -> None:
        hello = asked(connection)
        connection.send(encode(m.Refusal(id=hello.id, error="VersionMismatch", message="hello.version: this server …")))
        listen(connection)

    with impostor(refuse) as url, pytest.raises(paddock.VersionMismatch, match=r"^hello\.version: this server …$"):
        paddock.connect(url)


@pytest.mark.parametrize(
    "garbage",
    [
        b"",
        b"\xc1",
        b"\x93\x01\x02\x03",
        "{",
        '"hello"',
        '{"type": "hello"}',
        '{"type": "welcome", "id": 1}',
        b"\x00" * 999,
    ],
    ids=["nothing", "a reserved byte", "a list", "half a map", "a text", "a request", "half a welcome", "zeros"],
)
def test_garbage_from_server_raises_bad_message(garbage: bytes | str) -> None:
    def behave(connection: ServerConnection) -> None:
        connection.recv()
        connection.send(garbage)
        listen(connection)

    with impostor(behave) as url, pytest.raises(paddock.BadMessage, match="invalid data from the server: "):
        paddock.connect(url)


@pytest.mark.parametrize(
    ("answer", "error", "told"),
    [
        (b"SSH-2.0-OpenSSH_9.6\r\n", paddock.BadMessage, "this is not a Paddock server"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi", paddock.Refused, "hi"),
        (b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n", paddock.Refused, "HTTP 404"),
        (b"", paddock.BadMessage, "this is not a Paddock server"),
    ],
    ids=["not HTTP", "a page", "not found", "nothing"],
)
def test_server_of_another_kind_is_reported(answer: bytes, error: type[Exception], told: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def behave() -> None:
            connection, _ = listener.accept()
            with connection:
                connection.recv(4096)
                connection.sendall(answer)

        thread = threading.Thread(target=behave)
        thread.start()
        with pytest.raises(error, match=told):
            paddock.connect(f"ws://127.0.0.1:{listener.getsockname()[1]}")
        thread.join(TIMEOUT)


def test_invalid_frames_raise_bad_message() -> None:
    def behave(connection: ServerConnection) -> None:
        greet(connection)
        connection.recv()
        connection.socket.sendall(b"\xff\xff\xff\xff")
        listen(connection)

    with impostor(behave) as url, contextlib.closing(paddock.connect(url)) as arena:
        with pytest.raises(paddock.BadMessage, match="invalid data from the server"):
            arena.digest()
        with pytest.raises(paddock.BadMessage, match="invalid data from the server"):
            arena.digest()  # it stays so


def test_answer_of_wrong_type_raises_bad_message() -> None:
    def behave(connection: ServerConnection) -> None:
        greet(connection)
        for _ in range(2):
            connection.send(encode(m.Done(id=asked(connection).id)))

    with impostor(behave) as url, contextlib.closing(paddock.connect(url)) as arena:
        with pytest.raises(paddock.BadMessage) as caught:
            arena.digest()
        assert str(caught.value) == f"{url}: expected 'answer' as answer to 'digest', got 'done'"


def test_late_answer_is_ignored() -> None:
    first = threading.Event()

    def behave(connection: ServerConnection) -> None:
        greet(connection)
        late = asked(connection)
        first.wait(TIMEOUT)
        connection.send(encode(m.Answer(id=late.id, value="late")))
        connection.send(encode(m.Answer(id=12345, value="never asked for")))
        connection.send(encode(m.Answer(id=asked(connection).id, value="right")))

    with impostor(behave) as url, contextlib.closing(paddock.connect(url, timeout=1)) as arena:
        with pytest.raises(paddock.Timeout, match="no answer to 'digest' within 1 s"):
            arena.digest()
        first.set()
        assert arena.digest() == "right"
        assert arena.dialogue._answers == {}


def test_silent_server_raises_timeout_for_all_callers() -> None:
    def behave(connection: ServerConnection) -> None:
        greet(connection)
        with contextlib.suppress(Exception):
            while True:
                request: Message = asked(connection)
                if request.type in ("enable", "subscribe"):
                    connection.send(encode(m.Done(id=request.id)))  # type: ignore[attr-defined]

    with impostor(behave) as url, contextlib.closing(paddock.connect(url, timeout=1)) as arena:
        red = arena["red"]
        red.enable("ground")
        red.watch()  # a thread reads in the background now, and waits for ever
        for call in (arena.digest, arena.step):
            with pytest.raises(paddock.Timeout):
                call()


def test_server_that_does_not_read_is_reported() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        wire_end: list[socket.socket] = []

        def behave() -> None:  # a handshake, and then nothing
            connection, _ = listener.accept()
            wire_end.append(connection)
            protocol = ServerProtocol()
            protocol.receive_data(connection.recv(4096))
            (request,) = protocol.events_received()
            assert isinstance(request, Request)
            protocol.send_response(protocol.accept(request))
            connection.sendall(b"".join(protocol.data_to_send()))

        thread = threading.Thread(target=behave)
        thread.start()
        wire = WebSocketWire(f"ws://127.0.0.1:{listener.getsockname()[1]}/ws", timeout=1)
        thread.join()
        command = m.SendCommands(commands={"red": paddock.Command(leds={str(i): 1.0 for i in range(5000)})})
        with wire_end[0], contextlib.closing(wire), pytest.raises(paddock.LinkError, match="the server does not read"):
            any(wire.send(command) for _ in range(100_000))  # type: ignore[func-returns-value]


# Servers that die.


def test_killed_server_is_reported_by_every_call() -> None:
    with contextlib.ExitStack() as stack:
        server, url = stack.enter_context(process("--lock-step", "--speed", "0"))
        arena = stack.enter_context(paddock.connect(url))
        red = arena["red"]
        red.enable("ground")
        arena.step()
        server.kill()
        server.wait()
        for call in (arena.step, arena.digest, red.ground.raw, lambda: arena.spawn("green", "e-puck")):
            with pytest.raises(
                paddock.LinkError, match=r"the connection was lost: .* \(arena\.reconnect\(\) tries again\)"
            ):
                call()
        with pytest.raises(paddock.LinkError, match="cannot connect: Connection refused; is the server running"):
            arena.reconnect()
        with pytest.raises(paddock.LinkError, match=r"the connection was (lost|closed)"):
            arena.step()


def test_arena_tells_whether_it_is_connected() -> None:
    with process() as (server, url), paddock.connect(url) as arena:
        assert arena.connected
        server.kill()
        wait_for(lambda: not arena.connected)
    with serving() as other, contextlib.closing(join(other)) as arena:
        arena.close()
        assert not arena.connected
        arena.reconnect()
        assert arena.connected


def test_killed_server_ends_pending_step() -> None:
    with contextlib.ExitStack() as stack:
        server, url = stack.enter_context(process("--lock-step", "--speed", "0.1"))
        arena = stack.enter_context(paddock.connect(url))
        timer = threading.Timer(0.3, server.kill)
        timer.start()
        with pytest.raises(paddock.LinkError, match="the connection was lost"):
            arena.step(10_000)
        timer.join()


def test_stopping_server_is_reported() -> None:
    with serving() as server, contextlib.closing(join(server)) as arena:
        server.stop()
        wait_for(lambda: not server.session.clock.running)
        with pytest.raises(paddock.LinkError, match="the connection was lost: the server stops"):
            arena.step()


@contextlib.contextmanager
def restarted(arena: RemoteArena, port: int, **settings: Any) -> Iterator[None]:
    """A new server at the port of the old one."""
    with serving(port=port, seed=5, **settings):
        arena.reconnect()
        yield


def test_reconnect_restores_devices_and_observers() -> None:
    port = free_port()
    told: list[float] = []
    with serving(port=port) as server:
        arena = join(server, name="me")
        red, blue = arena["red"], arena["blue"]
        red.enable("ground", "proximity", "sonar")
        red.sonar.poll_only()
        blue.enable("ground")
        red.on_sense(lambda seen: told.append(seen.time), "ground")
        green = arena.spawn("green", "e-puck")
        arena.step(5)
    with pytest.raises(paddock.LinkError):
        arena.step()
    with contextlib.closing(arena), restarted(arena, port):
        assert arena["red"] is red
        assert (arena.tick, arena.seed, arena.name, arena.in_lock, arena.closed) == (0, 5, "me", True, False)
        arena.step()
        assert arena.held
        assert list(red.sense()) == ["proximity", "ground"]
        assert red.sonar.read() > 0
        assert blue.ground.read().shape == (3,)
        with pytest.raises(paddock.SimulationError, match="robot 'green' has left the arena"):
            green.stop()
        assert "green" not in arena
        told.clear()
        arena.step(3)
        wait_for(lambda: told)
        red.wheels.set(0.1, 0.1)
        arena.step(10)
        assert red.pose.x > 0.5
    with paddock.open(YARD, seed=5) as here:
        here.step(4)
        here["red"].wheels.set(0.1, 0.1)
        here.step(10)


def test_handle_is_invalid_after_reconnect_to_robot_of_another_type() -> None:
    port = free_port()
    with serving(port=port) as server:
        arena = join(server)
        red = arena["red"]
    other = YARD.with_robots(YARD.robots[1].__class__(name="red", type="scout", at=(1, 1)))
    with contextlib.closing(arena), serving(other, port=port):
        arena.reconnect()
        with pytest.raises(paddock.SimulationError, match="robot 'red' has left the arena"):
            red.sense()
        assert arena["red"].spec.name == "scout"
        assert list(arena) == ["red"]


def test_reconnect_works_while_connected_and_after_close() -> None:
    with serving() as server, join(server) as arena:
        arena["red"].enable("ground")
        for _ in range(3):
            arena.reconnect()
            arena.step()
            assert arena["red"].ground.read().shape == (3,)
        arena.close()
        arena.reconnect()
        arena.step()
        wait_for(lambda: len(server.session.clients) == 1)


def test_refused_reconnect_reports_reason() -> None:
    port = free_port()
    with serving(port=port) as server:
        arena = join(server, token="")
    arena._token = "old"
    with contextlib.closing(arena), serving(port=port, token="new"):
        with pytest.raises(paddock.Refused, match="this token is not valid here"):
            arena.reconnect()
        with pytest.raises(paddock.LinkError, match="the connection was closed"):
            arena.step()


# Closing.


def test_calls_after_close_are_refused() -> None:
    with serving() as server:
        arena = join(server)
        red = arena["red"]
        red.enable("ground")
        arena.close()
        arena.close()
        for call in (arena.step, arena.digest, arena.reset, lambda: red.enable("ground"), red.ground.raw):
            with pytest.raises(
                paddock.LinkError, match=r"the connection was closed \(arena\.reconnect\(\) opens it again"
            ):
                call()
        assert arena["red"] is red
        assert arena.time == 0


def test_close_wakes_waiting_threads() -> None:
    with serving() as server:
        arena = join(server)
        arena.pause()
        errors: list[Exception] = []

        def wait() -> None:
            try:
                arena.step()
            except Exception as error:
                errors.append(error)

        threads = [threading.Thread(target=wait) for _ in range(3)]
        for thread in threads:
            thread.start()
        wait_for(lambda: arena.dialogue._answers)  # one waits for the server, the others for that one
        arena.close()
        for thread in threads:
            thread.join(TIMEOUT)
            assert not thread.is_alive()
        assert [type(error) for error in errors] == [paddock.LinkError] * 3


def test_disconnect_stops_robots_and_removes_spawned_ones() -> None:
    with serving() as server, join(server, lock_step=False) as other:
        with join(server) as arena:
            arena["red"].wheels.set(0.1, 0.1)
            arena.spawn("green", "e-puck")
            arena.step(5)
        wait_for(lambda: list(server.arena) == ["red", "blue"] and not server.session.ownership.owners)
        wait_for(lambda: other.digest() and "green" not in other)


def test_no_socket_is_left_open() -> None:
    before = len(list(Path("/proc/self/fd").iterdir()))
    with serving() as server:
        for _ in range(5):
            with join(server):
                pass
            with pytest.raises(paddock.Refused):
                join(server, token="wrong")
        wait_for(lambda: not server.connections)
    assert len(list(Path("/proc/self/fd").iterdir())) <= before


# Uploads.


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda table: table["body"].update(radius=-1), "radius"),
        (lambda table: table.update(sensors=table["sensors"] * 70), "sensors"),
    ],
    ids=["a radius below 0", "too many sensors"],
)
def test_invalid_robot_raises_spec_error(change: Callable[[Any], object], told: str) -> None:
    table = YARD.robots[0].type.to_table()  # type: ignore[union-attr]
    change(table)
    with serving() as server, join(server) as arena:
        with pytest.raises(paddock.SpecError) as caught:
            arena.ask(m.Spawn(id=arena.number(), robot="green", kind=table), m.Done)
        assert told in str(caught.value)
        assert caught.value.problem == str(caught.value)
        assert (caught.value.path, caught.value.file) == ("", "")
        arena.step()


def test_errors_of_server_have_attributes_of_their_class() -> None:
    with serving() as server, join(server) as arena:
        with pytest.raises(paddock.UnknownName) as caught:
            arena.ask(m.ReleaseRobot(id=arena.number(), robot="gren"), m.Done)
        assert str(caught.value) == "no robot called 'gren' (there are: blue, red)"
        assert (caught.value.what, caught.value.asked) == ("", "")
        assert np.isfinite(arena.time)


def test_unsendable_message_is_refused_and_connection_stays_open() -> None:
    with serving() as server, join(server) as arena:
        for speed in (10**30, -(10**30)):
            with pytest.raises(paddock.PaddockError):
                arena.set_speed(speed)
        with pytest.raises(paddock.BadMessage, match="send_goal: object cannot be sent"):
            arena.send_goal("red", object(), 0.5)  # type: ignore[arg-type]
        arena.step()
        assert arena.tick == 1
