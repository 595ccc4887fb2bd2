"""Network faults: clients that die, hang, stop reading or send nothing; servers that die."""

from __future__ import annotations

import contextlib
import math
import signal
import socket
import sys
import threading
from collections.abc import Callable

import msgpack
import pytest
from websockets.exceptions import InvalidStatus
from websockets.frames import Frame, Opcode

import paddock
from network.server.parties import LONG, Closed, Peer, ServerProcess, address, on_loop, open_socket, program, served
from paddock.arena.referees.score_function import ScoreFunction
from paddock.core.errors import LinkError, Refused, Timeout
from paddock.network.server import Server

on_linux = pytest.mark.skipif(sys.platform != "linux", reason="memory and signals are looked at as Linux has them")
CONNECTION = "paddock.network.server.core.connection"


def until(server: Server, true: Callable[[], bool]) -> None:
    """Wait until a condition holds in the server's thread."""
    pause = threading.Event()
    for _ in range(int(LONG / 0.01)):
        if on_loop(server, true):
            return
        pause.wait(0.01)
    raise AssertionError("it never became so")


# ---- clients that die

DRIVER = """
import sys
import paddock
arena = paddock.connect(sys.argv[1], name="victim", lock_step=False)
arena["red"].wheels.set(0.1, 0.1)
arena.step(25)
print("driving", flush=True)
sys.stdin.readline()
"""


@on_linux
def test_robot_of_killed_process_stops_within_200_ms_and_others_continue() -> None:
    with (
        ServerProcess("line-crossing", "--speed", "1") as server,
        Peer(server, name="other") as other,
        program(DRIVER, server.url) as victim,
    ):
        other.ask("claim", robot="blue")
        other.send({"type": "command", "commands": {"blue": {"wheels": [0.03, 0.05]}}})
        assert victim.stdout is not None
        assert victim.stdout.readline().strip() == "driving"
        for robot in ("red", "blue"):
            other.ask("subscribe", robot=robot, devices=["encoders"])
        while (moving := other.wait("sensed", robot="red"))["seen"]["wheels"] == [0.0, 0.0]:
            pass
        victim.send_signal(signal.SIGKILL)
        while (stopped := other.wait("sensed", robot="red"))["seen"]["wheels"] != [0.0, 0.0]:
            if stopped["seen"]["wheels"] == pytest.approx([0.1, 0.1], abs=1e-3):
                moving = stopped
        # From full speed, when the server had not noticed yet, to standing still: 10 ticks are 0.2 s.
        assert stopped["tick"] - moving["tick"] <= 10
        assert [robot.get("owner") for robot in other.all_news("robots")[-1]["robots"]] == [None, "other"]
        before = other.wait("sensed", robot="blue")
        after = [other.wait("sensed", robot="blue") for _ in range(20)]
        ticks = [one["tick"] for one in after]
        assert ticks == list(range(ticks[0], ticks[0] + 20))  # not one is missing
        assert after[-1]["seen"]["truth"]["pose"] != before["seen"]["truth"]["pose"]
        assert after[-1]["seen"]["wheels"] == pytest.approx([0.03, 0.05], abs=1e-3)


def test_death_of_client_in_lock_leaves_other_run_bit_identical() -> None:
    def run(deaths: bool) -> tuple[float, ...]:
        with served("clutter", seed=1) as server, Peer(server, name="survivor") as survivor:
            survivor.ask("lock")
            survivor.ask("step", ticks=10, commands={"red": {"wheels": [0.05, 0.06]}})
            if deaths:
                doomed = Peer(server, name="doomed")
                doomed.ask("lock")
                doomed.ask("subscribe", robot="red")
                waiting = survivor.tell("step", ticks=100)
                kill(doomed.socket)
                survivor.answer(waiting)
            else:
                survivor.ask("step", ticks=100)
            return (
                *survivor.ask("sense", robot="red")["robots"]["red"]["truth"]["pose"],
                survivor.ask("digest")["value"],
            )

    assert run(True) == run(False)


def kill(connection: socket.socket) -> None:
    """Close with a TCP reset and no closing handshake, as a killed process does."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\x00\x00\x00\x00\x00\x00\x00")
    connection.close()


def test_client_that_dies_during_step_is_removed() -> None:
    with served() as server, Peer(server, name="a") as a:
        a.ask("lock")
        b = Peer(server, name="b")
        b.ask("lock")
        b.tell("step", ticks=1000)
        kill(b.socket)
        assert a.ask("step", ticks=1000)["tick"] == 1000
        until(server, lambda: len(server.session.clients) == 1 == len(server.connections))


# ---- clients that do not read


@on_linux
def test_client_that_stops_reading_uses_bounded_memory() -> None:
    with ServerProcess("line-crossing", "--lock-step") as server, Peer(server, name="good") as good:
        good.ask("lock")
        good.ask("step", ticks=200)
        with Peer(server, name="stuck", receive_buffer=4096) as stuck:
            for robot in ("red", "blue"):
                for stream in "abcdefgh":
                    stuck.ask("subscribe", robot=robot, stream=stream)  # cameras, too
            good.ask("subscribe", robot="red", devices=["ground"])
            before = server.rss
            for i in range(20):
                assert good.ask("step", ticks=20)["tick"] == 200 + 20 * (i + 1)
            assert [news["tick"] for news in good.all_news("sensed")] == list(range(200, 601))
            assert server.rss - before < 30e6  # all that was subscribed to would be 100 MB


def test_client_that_stops_reading_is_disconnected_after_timeout(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(f"{CONNECTION}.IO_TIMEOUT", 0.3)
    with served("line-crossing") as server, Peer(server, name="stuck", receive_buffer=4096) as stuck:
        stuck.ask("enable", robot="red")
        with contextlib.suppress(OSError):
            for _ in range(3000):
                stuck.tell("read", robot="red", device="camera")  # and never reads what it asked for
        until(server, lambda: not server.connections)
        assert server.session.clients == []


def test_slow_reader_receives_all_answers_before_timeout() -> None:
    with served("line-crossing") as server, Peer(server, receive_buffer=4096) as late:
        late.ask("enable", robot="red")
        asked = [late.tell("read", robot="red", device="camera") for _ in range(500)]
        until(server, lambda: server.session.clients[0].unread() > 0)
        assert [late.answer(id)["type"] for id in asked] == ["reading"] * 500


@on_linux
def test_burst_of_requests_does_not_buffer_unbounded_answers() -> None:
    with ServerProcess("line-crossing") as server, Peer(server, receive_buffer=4096) as greedy:
        greedy.ask("enable", robot="red", devices=["camera"])
        one = len(greedy.ask("read", robot="red", device="camera")["picture"]["data"])
        before = server.rss
        message = msgpack.packb({"type": "read", "id": 1, "robot": "red", "device": "camera"})
        greedy.send_bytes(Frame(Opcode.BINARY, message, True).serialize(mask=True) * 5000)
        with Peer(server) as other:  # is welcome when the burst is over
            assert other.welcome["type"] == "welcome"
        assert server.rss - before < 1000 * one


def test_messages_for_slow_reader_do_not_accumulate() -> None:
    with served() as server, Peer(server, name="slow", receive_buffer=4096), Peer(server, name="busy") as busy:
        for _ in range(300):
            busy.ask("claim", robot="red")
            busy.ask("release_robot", robot="red")
        slow = on_loop(server, lambda: next(c.unread() for c in server.session.clients if c.name == "slow"))
        assert slow < 1_000_000


# ---- clients that do not speak


def test_half_open_connections_are_detected(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(f"{CONNECTION}.PING_PERIOD", 0.05)
    with served(lock_step=False, speed=20.0) as server:
        dead = Peer(server, name="dead")  # nobody reads its pings, nobody answers them
        dead.send({"type": "command", "commands": {"red": {"wheels": [0.1, 0.1]}}})
        until(server, lambda: not server.connections)
        assert on_loop(server, lambda: (server.session.clients, server.session.ownership.owners)) == ([], {})
        with Peer(server, name="other") as other:
            while other.ask("sense", robot="red")["robots"]["red"]["wheels"] != [0.0, 0.0]:
                pass
        dead.close()


def test_idle_client_that_answers_pings_stays_connected(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(f"{CONNECTION}.PING_PERIOD", 0.05)
    with served() as server, Peer(server) as silent:
        pings = 0
        while pings < 8:
            data = silent.socket.recv(100)
            silent.protocol.receive_data(data)
            pings += sum(frame.opcode is Opcode.PING for frame in silent.protocol.events_received())
            silent._flush()
        assert silent.ask("sense", robot="red")["type"] == "observed"


def test_python_client_in_lock_may_pause_longer_than_ping_timeout(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(f"{CONNECTION}.PING_PERIOD", 0.05)
    with served() as server, paddock.connect(server.url()) as arena:
        arena.step()
        threading.Event().wait(0.5)  # a breakpoint
        arena.step()
        assert arena.tick == 2


def test_connection_without_hello_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(f"{CONNECTION}.IO_TIMEOUT", 0.2)
    with served() as server, Peer(server, hello=False) as shy:
        assert shy.until_closed() == (4400, "no hello in time")
        until(server, lambda: not server.connections)


@pytest.mark.parametrize("said", [b"", b"GET / HT", b"GET /ws HTTP/1.1\r\nHost: localhost\r\nX-A: "])
def test_unfinished_handshake_is_closed(said: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(f"{CONNECTION}.IO_TIMEOUT", 0.3)
    with served() as server, open_socket(server) as slow, Peer(server) as other:
        for byte in said:
            slow.sendall(bytes([byte]))
        with contextlib.suppress(OSError):
            while slow.recv(100):
                pass
        until(server, lambda: len(server.connections) == 1)
        assert other.ask("sense", robot="red")["type"] == "observed"


def test_handshake_in_single_bytes_is_accepted() -> None:
    with served() as server, open_socket(server) as slow:
        host, port = address(server)
        head = f"GET /ws HTTP/1.1\r\nHost: {host}:{port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        head += "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
        slow.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for byte in head.encode():
            slow.sendall(bytes([byte]))
        assert slow.recv(100).startswith(b"HTTP/1.1 101 ")


# ---- many


def test_two_hundred_simultaneous_connections_are_served() -> None:
    with served("empty") as server:
        sockets = [open_socket(server) for _ in range(200)]
        for one in sockets:
            one.close()
        peers = [Peer(server, name=f"p{i}", hello=False) for i in range(200)]
        asked = [peer.tell("hello", version=1, name="twin") for peer in peers]
        welcomes = [peer.answer(id) for peer, id in zip(peers, asked, strict=True)]
        assert len({welcome["client"] for welcome in welcomes}) == 200
        locks = [peer.tell("lock") for peer in peers]
        assert all(peer.answer(id)["type"] == "done" for peer, id in zip(peers, locks, strict=True))
        steps = [peer.tell("step", ticks=5) for peer in peers]
        assert {peer.answer(id)["tick"] for peer, id in zip(peers, steps, strict=True)} == {5}
        for peer in peers:
            kill(peer.socket)
        until(server, lambda: not server.connections and not server.session.clients)


def test_client_above_limit_is_refused_until_another_leaves() -> None:
    with served(most_clients=3) as server:
        peers = [Peer(server) for _ in range(3)]
        with pytest.raises(InvalidStatus) as refused:
            Peer(server)
        assert refused.value.response.status_code == 503
        with pytest.raises(Refused, match="there are too many clients already; try again later"):
            paddock.connect(server.url())
        peers[0].close()
        until(server, lambda: len(server.connections) == 2)
        with paddock.connect(server.url(), lock_step=False) as arena:
            assert arena.role == "supervisor"
        for peer in peers[1:]:
            peer.close()


# ---- servers that die


@on_linux
@pytest.mark.parametrize("watching", [False, True])
def test_client_raises_link_error_when_server_is_killed(watching: bool) -> None:
    with ServerProcess("clutter", "--lock-step") as server:
        arena = paddock.connect(server.url, timeout=LONG)
        if watching:
            arena["red"].enable("ground")
            arena["red"].on_sense(lambda seen: None)
        arena.step()
        server.process.kill()
        server.process.wait()
        with pytest.raises(LinkError, match=r"the connection was lost: .* \(arena\.reconnect\(\) tries again\)"):
            arena.run(2000.0)
        with pytest.raises(LinkError, match="cannot connect: Connection refused; is the server running"):
            arena.reconnect()


@on_linux
@pytest.mark.parametrize("watching", [False, True])
def test_client_raises_timeout_when_server_freezes(watching: bool) -> None:
    with (
        ServerProcess("clutter", "--speed", "0") as server,
        paddock.connect(server.url, timeout=LONG) as arena,
    ):
        red = arena["red"]
        red.enable("ground")
        if watching:
            red.on_sense(lambda seen: None)
        arena.dialogue.wire.timeout = 0.3
        server.process.send_signal(signal.SIGSTOP)
        for call in (arena.digest, red.ground.raw, arena.step):
            with pytest.raises(Timeout, match="no answer to"):
                call()
        arena.dialogue.wire.timeout = LONG
        server.process.send_signal(signal.SIGCONT)
        arena.step()  # nothing is lost


@on_linux
def test_stopped_server_sends_closing_handshake() -> None:
    with ServerProcess("clutter", "--lock-step") as server, Peer(server) as peer:
        server.process.send_signal(signal.SIGINT)
        assert peer.until_closed() == (1001, "the server stops")
        assert server.process.wait(LONG) == 0
        assert server.line("stopped")
        assert server.log == ""


def test_client_reconnects_to_restarted_server_and_resumes() -> None:
    with served() as server:
        port = server.port
        arena = paddock.connect(server.url())
        red = arena["red"]
        red.enable("ground")
        arena.step(5)
    with pytest.raises(LinkError):
        arena.step()
    with served(port=port):
        arena.reconnect()
        assert arena.tick == 0
        red.wheels.set(0.1, 0.1)
        arena.step(50)
        assert red.wheels.speeds != (0.0, 0.0)
        assert len(red.sense().ground) == 3
        arena.close()


def test_stopping_server_does_not_wait_for_clients() -> None:
    with served() as server:
        peers = [Peer(server) for _ in range(5)]
        peers[0].ask("lock")
        peers[0].tell("step", ticks=1_000_000)
    for peer in peers:
        with pytest.raises((Closed, OSError)):
            peer.wait("nothing")
        peer.close()


# ---- programs of others that raise


def score_badly(arena: paddock.Arena) -> dict[str, float]:
    raise RuntimeError("a mistake in the scoring")


def test_error_of_score_function_is_reported_once_and_server_continues(caplog: pytest.LogCaptureFixture) -> None:
    with served(referee=ScoreFunction(score_badly)) as server, Peer(server) as peer:
        peer.ask("lock")
        peer.ask("frames", rate=60)
        assert "a mistake in the scoring" in peer.wait("scores")["error"]
        assert peer.ask("step", ticks=100)["tick"] == 100
        assert caplog.text.count("the referee failed") == 1


@pytest.mark.parametrize("scores", [None, {"red": "much"}, {"red": None}, [1, 2]])
def test_invalid_scores_are_reported_once_and_server_continues(
    scores: object, caplog: pytest.LogCaptureFixture
) -> None:
    with served(referee=ScoreFunction(lambda arena: scores)) as server, Peer(server, encoding="json") as peer:
        peer.ask("frames", rate=60)
        peer.ask("lock")
        assert peer.ask("step", ticks=100)["tick"] == 100
        assert peer.wait("scores")["error"]
    assert caplog.text.count("the referee failed") == 1
    assert "Exception in callback" not in caplog.text


@pytest.mark.parametrize("score", [math.nan, math.inf, -math.inf])
def test_non_finite_scores_are_not_sent(score: float) -> None:
    scoring = {"red": score, "blue": 2}
    with (
        served("line-crossing", referee=ScoreFunction(lambda arena: scoring)) as server,
        Peer(server, encoding="json") as peer,
    ):
        peer.ask("frames", rate=60)
        lines = {line["robot"]: line.get("score") for line in peer.wait("scores")["scores"]}
        assert lines == {"blue": 2.0, "red": None}


def test_failing_controller_stops_its_robot_and_not_the_others() -> None:
    with served("line-crossing") as server, Peer(server, name="other") as other:
        other.ask("lock")

        def broken(seen: object) -> tuple[float, float]:
            if seen.time > 0.5:  # type: ignore[attr-defined]
                raise ZeroDivisionError("a mistake of the student")
            return 0.05, 0.05

        other.tell("step", ticks=400, commands={"blue": {"wheels": [0.02, 0.03]}})

        def student() -> None:
            with paddock.connect(server.url()) as arena:
                arena.run(8.0, {"red": broken})

        with pytest.raises(ZeroDivisionError):
            student()
        other.wait("observed", tick=400)
        seen = {name: other.ask("sense", robot=name)["robots"][name]["wheels"] for name in ("red", "blue")}
        assert seen["red"] == [0.0, 0.0]
        assert seen["blue"] == pytest.approx([0.02, 0.03], abs=1e-3)
