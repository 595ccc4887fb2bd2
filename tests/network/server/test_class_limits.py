"""Limits per token over all its connections, and a supervisor's release and disconnect."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace

import pytest
from websockets.frames import Opcode

import paddock
from network.server.parties import SPEC, Peer, on_loop, served
from paddock.core.errors import Refused, SpecError
from paddock.core.user_limits import UserLimits
from paddock.network.server import Server
from paddock.network.server.core.access import Grant, Role
from paddock.testing import wait_for


def student(server: Server, name: str, robot: str) -> str:
    """Make a token for a student and a robot."""
    return server.tokens.add(Grant(Role.CONTROLLER, frozenset({robot}), name))


def until(server: Server, condition: Callable[[], object]) -> None:
    """Wait until a condition holds in the server's thread."""
    wait_for(lambda: on_loop(server, condition))


# ---- the lock


def test_exercise_without_lock_step_lets_only_supervisors_join_lock() -> None:
    limits = UserLimits(join_lock=False)
    with served("line-crossing", lock_step=False, limits=limits) as server:
        token = student(server, "Ada", "red")
        with pytest.raises(Refused, match=r"does not use lock-step.*lock_step=False"):
            paddock.connect(server.url(token=token), lock_step=True)
        with paddock.connect(server.url(token=token)) as ada:
            ada.step()
            assert not ada.in_lock
        with paddock.connect(server.url(), lock_step=True) as lecturer:
            assert lecturer.in_lock


def test_server_caps_lock_timeout() -> None:
    with (
        served("line-crossing", limits=UserLimits(join_lock=True, lock_timeout=0.05)) as server,
        Peer(server, token=student(server, "Ada", "red")) as slow,
        Peer(server, name="other") as other,
    ):
        slow.ask("lock", timeout=3600)
        other.ask("lock")
        assert other.ask("step", ticks=3)["tick"] == 3
        assert other.wait("released")["reason"] == "no answer within 0.05 s"


def test_supervisor_releases_client_that_blocks_lock() -> None:
    with (
        served("line-crossing", limits=UserLimits(join_lock=True, lock_timeout=3600)) as server,
        Peer(server, token=student(server, "Ada", "red")) as slow,
        Peer(server, name="other") as other,
    ):
        slow.ask("lock", timeout=3600)
        other.ask("lock")
        waiting = other.tell("step", ticks=3)
        with Peer(server, name="lecturer") as lecturer:
            assert lecturer.ask("release", client="Ada")["type"] == "done"
        assert other.answer(waiting)["tick"] == 3
        assert other.wait("released")["client"] == "Ada"
        assert on_loop(server, lambda: [member.name for member in server.session.clock.lock]) == ["other"]


def test_exercise_without_lock_step_releases_clients_in_lock() -> None:
    with served("line-crossing", lock_step=False) as server, Peer(server, token=student(server, "Ada", "red")) as ada:
        ada.ask("lock", timeout=3600)
        limits = replace(UserLimits(), join_lock=False)
        on_loop(server, lambda: server.session.supervision.set_limits(limits))
        assert ada.wait("released")["reason"] == "this exercise does not use lock-step"
        assert on_loop(server, lambda: server.session.clock.lock) == []


# ---- out


def test_disconnect_closes_all_connections_of_student_and_stops_robots() -> None:
    with served("line-crossing", lock_step=False) as server:
        token = student(server, "Ada", "red")
        with Peer(server, token=token) as first, Peer(server, token=token) as second, Peer(server) as lecturer:
            first.ask("sense", robot="red", commands={"red": {"wheels": [0.1, 0.1]}})
            assert lecturer.ask("disconnect", client="Ada")["type"] == "done"
            goodbye = (4403, "a supervisor closed this connection")
            assert [peer.until_closed() for peer in (first, second)] == [goodbye] * 2
            assert on_loop(server, lambda: server.session.ownership.owners) == {}
            assert lecturer.ask("sense", robot="red")["type"] == "observed"


# ---- counts, all connections of a token together


def test_connections_are_limited_per_token() -> None:
    with served("line-crossing", limits=UserLimits(connections=2)) as server:
        ada, ben = student(server, "Ada", "red"), student(server, "Ben", "blue")
        with Peer(server, token=ada), Peer(server, token=ada) as second:
            refused = Peer(server, token=ada)
            assert refused.welcome["message"] == (
                "connections: your token has reached its limit of 2 for all its connections together: end one first"
            )
            assert refused.until_closed()[0] == 4401
            refused.close()
            with Peer(server, token=ben) as other:
                assert other.welcome["type"] == "welcome"
            second.close()
            until(server, lambda: len(server.session.supervision.find_clients("Ada")) == 1)
            with Peer(server, token=ada) as again:
                assert again.welcome["type"] == "welcome"


def test_a_whole_class_behind_one_address_may_watch_with_one_token() -> None:
    with served("line-crossing", limits=UserLimits(connections=2, subscriptions=2)) as server, ExitStack() as stack:
        token = server.tokens.add(Grant(Role.VIEWER))
        viewers = [stack.enter_context(Peer(server, token=token)) for _ in range(20)]
        assert {viewer.welcome["type"] for viewer in viewers} == {"welcome"}
        assert {viewer.ask("subscribe", robot="red", period=1)["type"] for viewer in viewers} == {"done"}


def test_subscriptions_are_limited_per_token() -> None:
    with served("line-crossing", limits=UserLimits(subscriptions=3)) as server:
        token = student(server, "Ada", "red")
        with Peer(server, token=token) as first, Peer(server, token=token) as second, Peer(server) as lecturer:
            for peer, stream in ((first, "a"), (second, "a"), (second, "b"), (second, "b")):  # one again is no new one
                assert peer.ask("subscribe", robot="red", devices=["ground"], stream=stream)["type"] == "done"
            refused = first.ask("subscribe", robot="red", devices=["ground"], stream="c")
            assert refused["message"].startswith("subscriptions: your token has reached its limit of 3")
            second.ask("unsubscribe", robot="red", stream="b")
            assert first.ask("subscribe", robot="red", devices=["ground"], stream="c")["type"] == "done"
            for i in range(5):
                assert lecturer.ask("subscribe", robot="red", stream=f"{i}")["type"] == "done"


def test_spawned_robots_are_limited_per_token() -> None:
    with served("empty", limits=UserLimits(robots=1)) as server:
        token = student(server, "Ada", "ada")
        with Peer(server, token=token) as first, Peer(server, token=token) as second:
            assert first.ask("spawn", robot="ada_1", kind="e-puck")["type"] == "done"
            refused = second.ask("spawn", robot="ada_2", kind="e-puck")
            assert refused["message"].startswith("spawn: your token has reached its limit of 1")
            first.ask("release_robot", robot="ada_1")
            assert second.ask("spawn", robot="ada_2", kind="e-puck")["type"] == "done"


def test_uploads_are_limited_in_size_and_rate() -> None:
    kind = SPEC | {"title": "x" * 200}
    limits = UserLimits(upload_kb=2.0, upload_kb_per_s=0.001)
    with served("empty", limits=limits) as server, Peer(server, token=student(server, "Ada", "ada")) as ada:
        large = kind | {"leds": [f"lamp{i}" + 40 * "x" for i in range(60)]}
        refused = ada.ask("spawn", robot="ada_1", kind=large)
        assert refused["message"].startswith("spawn: this robot takes 3 kB, at most 2 kB are allowed: give its")
        answers = [ada.ask("spawn", robot=f"ada_{i}", kind=kind) for i in range(8)]
        assert [answer["type"] for answer in answers[:3]] == ["done"] * 3
        assert answers[-1]["message"].startswith(
            "spawn: you may upload 0.001 kB per second with all your connections together"
        )


def test_messages_of_students_have_smaller_size_limit() -> None:
    with served("empty", limits=UserLimits(message_kb=4)) as server, Peer(server) as lecturer:
        with Peer(server, token=student(server, "Ada", "ada")) as ada:
            ada.tell("enable", robot="ada", devices=["x" * 60] * 100)
            assert ada.until_closed()[0] == 1009
        assert lecturer.ask("enable", robot="ada", devices=["x" * 60] * 100)["type"] == "refused"


# ---- the lock again


def test_released_client_cannot_rejoin_lock_at_once_on_any_connection() -> None:
    with served("line-crossing", limits=UserLimits(join_lock=True, lock_timeout=0.05)) as server:
        token = student(server, "Ada", "red")
        with Peer(server, token=token) as first, Peer(server, token=token) as second, Peer(server) as other:
            on_loop(server, lambda: setattr(server.session.clients[0].share, "readmitted", 0.0))
            first.ask("lock", timeout=3600)
            second.ask("lock", timeout=3600)
            other.ask("lock")
            assert other.ask("step", ticks=3)["tick"] == 3
            assert {other.wait("released")["client"] for _ in range(2)} == {"Ada", "Ada-2"}
            on_loop(server, lambda: setattr(server.session.clients[0].share, "readmitted", math.inf))
            first.ask("lock", timeout=3600)
            assert on_loop(server, lambda: [member.name for member in server.session.clock.lock]) == ["peer"]
            on_loop(server, lambda: setattr(server.session.clients[0].share, "readmitted", 0.0))
            second.ask("lock", timeout=3600)
            assert "Ada-2" in on_loop(server, lambda: [member.name for member in server.session.clock.lock])


# ---- the dead man's switch


def wheels(server: Server, robot: str) -> list[float]:
    numbers = on_loop(server, lambda: server.arena.commands[0, server.arena.numbers[robot], :2].tolist())
    return list(numbers)


def test_robots_of_unresponsive_client_stop() -> None:
    with (
        served("line-crossing", lock_step=False, speed=20.0, limits=UserLimits(silence=0.3)) as server,
        Peer(server, token=student(server, "Ada", "red")) as dead,
    ):  # answers no pings while it reads nothing
        dead.ask("sense", robot="red", commands={"red": {"wheels": [0.05, 0.05]}})
        until(server, lambda: server.session.clients[0].silent)
        assert wheels(server, "red") == [0.0, 0.0]
        assert dead.ask("sense", robot="red", commands={"red": {"wheels": [0.05, 0.05]}})["type"] == "observed"
        assert not on_loop(server, lambda: server.session.clients[0].silent)


def test_live_client_keeps_last_command_unless_idle_limit_is_set() -> None:
    with (
        served("line-crossing", lock_step=False, speed=20.0, limits=UserLimits(silence=0.3)) as server,
        Peer(server, token=student(server, "Ada", "red")) as ada,
    ):
        ada.ask("sense", robot="red", commands={"red": {"wheels": [0.05, 0.05]}})
        answer_pings(ada, 8)
        assert wheels(server, "red") == [0.05, 0.05]
        on_loop(server, lambda: server.session.supervision.set_limits(UserLimits(silence=0.3, idle=0.3)))
        answer_pings(ada, 8)
        until(server, lambda: server.session.clients[0].silent)
        assert wheels(server, "red") == [0.0, 0.0]


def answer_pings(peer: Peer, count: int) -> None:
    """Read and answer pings without sending requests, as a background thread does."""
    seen = 0
    while seen < count:
        peer.protocol.receive_data(peer.socket.recv(1 << 16))
        seen += sum(getattr(event, "opcode", None) is Opcode.PING for event in peer.protocol.events_received())
        peer._flush()


def test_stall_of_server_is_not_held_against_its_clients() -> None:
    silence = 0.3
    with (
        served("line-crossing", lock_step=False, speed=20.0, limits=UserLimits(silence=silence)) as server,
        Peer(server, token=student(server, "Ada", "red")) as ada,
    ):
        ada.ask("sense", robot="red", commands={"red": {"wheels": [0.05, 0.05]}})
        on_loop(server, lambda: threading.Event().wait(2 * silence))  # it answers nobody meanwhile
        answer_pings(ada, 2)
        assert wheels(server, "red") == [0.05, 0.05]


def test_client_waiting_for_step_is_not_idle() -> None:
    limits = UserLimits(silence=0.3, idle=0.3)
    with (
        served("line-crossing", lock_step=False, speed=0.01, limits=limits) as server,
        Peer(server, token=student(server, "Ada", "red")) as ada,
    ):
        ada.tell("step", ticks=1000, commands={"red": {"wheels": [0.05, 0.05]}})
        answer_pings(ada, 8)
        assert wheels(server, "red") == [0.05, 0.05]


def test_class_limits_are_validated() -> None:
    with pytest.raises(SpecError, match="connections: expected a number >= 1"):
        UserLimits.from_table({"connections": 0})
    with pytest.raises(SpecError, match="subscriptions"):
        UserLimits.from_table({"subscripions": 3})
    assert UserLimits.from_table(UserLimits().to_table()) == UserLimits()
