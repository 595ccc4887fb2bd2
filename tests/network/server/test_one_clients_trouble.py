"""A failure of one client's robot, message or stream affects neither the clock nor another client."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import pytest

import paddock
from network.server.parties import Peer, on_loop, served
from paddock.network.server import Server
from paddock.network.server.core.client import Client
from paddock.simulation.engine.state import HEADING, LEFT_SPEED, X


@pytest.fixture
def server() -> Iterator[Server]:
    with served("line-crossing") as server:
        yield server


def spoil(server: Server, robot: str) -> None:
    """Set x, heading and left wheel speed of a robot to NaN."""

    def write_nan() -> None:
        row = server.arena.motion[server.arena.numbers[robot]]
        row[[X, HEADING, LEFT_SPEED]] = math.nan

    on_loop(server, write_nan)


@pytest.mark.parametrize("encoding", ["json", "msgpack"])
def test_robot_with_nan_state_does_not_stop_server(
    server: Server, encoding: str, caplog: pytest.LogCaptureFixture
) -> None:
    with Peer(server, name="victim", encoding=encoding) as victim, Peer(server, name="other") as other:
        victim.ask("subscribe", robot="blue", devices=["ground"])
        victim.ask("enable", robot="blue", devices=["ground"])
        other.ask("lock")
        spoil(server, "blue")
        assert other.ask("step", ticks=5)["tick"] == 5
        seen = victim.ask("sense", robot="blue")["robots"]["blue"]
        wheel = seen["wheels"][0]
        assert wheel is None if encoding == "json" else math.isnan(wheel)
        assert victim.wait("sensed")["robot"] == "blue"
        assert other.ask("step", ticks=5)["tick"] == 10
        assert "Traceback" not in caplog.text


def test_failed_send_to_one_client_does_not_affect_others(
    server: Server, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    with Peer(server, name="broken") as broken, Peer(server, name="other") as other:
        broken.ask("subscribe", robot="red")
        broken.ask("frames", rate=60)
        other.ask("subscribe", robot="red", devices=["ground"])
        other.ask("lock")
        (client,) = on_loop(server, lambda: [c for c in server.session.clients if c.name == "broken"])

        def fail(data: bytes, text: bool) -> None:
            raise RuntimeError("a mistake in the server")

        on_loop(server, lambda: setattr(client, "write", fail))
        other.ask("claim", robot="red")  # everyone is told
        assert other.ask("step", ticks=50)["tick"] == 50
        assert [news["tick"] for news in other.all_news("sensed")][-1] == 50
        assert "cannot send to broken" in caplog.text


def test_failing_sensor_is_reported_to_requesting_client(
    server: Server, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    with Peer(server, name="unlucky") as unlucky, Peer(server, name="other") as other:
        unlucky.ask("enable", robot="red", devices=["ground"])
        unlucky.ask("lock")
        unlucky.ask("subscribe", robot="red", devices=["ground"])
        other.ask("lock")
        waiting = other.tell("step", ticks=3)
        whole = paddock.Arena.read

        def read(arena: Any, robot: int, *rest: Any, **more: Any) -> None:
            if robot == arena.numbers["red"]:
                raise FloatingPointError("a mistake in a sensor")
            whole(arena, robot, *rest, **more)

        on_loop(server, lambda: monkeypatch.setattr(paddock.Arena, "read", read))
        refused = unlucky.ask("step", ticks=3)
        assert refused["message"] == "step: the server failed; see its log"
        assert other.answer(waiting)["tick"] == 3
        assert "a mistake in a sensor" in caplog.text


# ---- leaving


def test_client_keeps_readings_and_subscriptions_after_leaving_robot(server: Server) -> None:
    with Peer(server, name="driver") as peer:
        peer.ask("claim", robot="red")
        peer.ask("enable", robot="red", devices=["ground"])
        peer.ask("subscribe", robot="red", devices=["ground"])
        peer.ask("lock")
        peer.ask("release_robot", robot="red")
        assert "ground" in peer.ask("sense", robot="red")["robots"]["red"]["readings"]
        observed = peer.ask("step", ticks=2)
        assert "ground" in observed["robots"]["red"]["readings"]
        assert [news["tick"] for news in peer.all_news("sensed")][-2:] == [1, 2]


def test_remote_robot_keeps_enabled_devices_after_leave(server: Server) -> None:
    with paddock.connect(server.url()) as arena:
        red = arena["red"]
        red.enable("ground")
        red.wheels.set(0.1, 0.1)
        arena.step()
        arena.release_robot("red")
        assert red.ground.enabled
        arena.step()
        assert len(red.sense().ground) == 3


def test_client_state_of_spawned_robot_is_removed_when_it_leaves(server: Server) -> None:
    with Peer(server) as peer:
        peer.ask("spawn", robot="mine", kind="e-puck")
        peer.ask("subscribe", robot="mine", devices=["ground"])
        peer.ask("release_robot", robot="mine")

        def remains() -> tuple[int, int]:
            client: Client = server.session.clients[0]
            return len(client.handles), len(client.subscriptions)

        assert on_loop(server, remains) == (0, 0)
