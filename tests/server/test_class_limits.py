"""What one token may use, all its connections together, and what a supervisor may do about it."""

from __future__ import annotations

from dataclasses import replace

import pytest

import paddock
from paddock.core.errors import Refused, SpecError
from paddock.core.limits import ClassLimits
from paddock.server import Server
from paddock.server.access import Grant, Role
from server.parties import Peer, on_loop, served


def student(server: Server, name: str, robot: str) -> str:
    """A token for a student and a robot."""
    return server.tokens.add(Grant(Role.CONTROLLER, frozenset({robot}), name))


# ---- the lock


def test_where_the_exercise_has_no_lock_step_nobody_but_supervisors_joins_the_lock() -> None:
    limits = ClassLimits(join_lock=False)
    with served("line-crossing", lock_step=False, limits=limits) as server:
        token = student(server, "Ada", "red")
        with pytest.raises(Refused, match=r"does not use lock-step.*lock_step=False"):
            paddock.connect(server.url(token=token), lock_step=True)
        with paddock.connect(server.url(token=token)) as ada:
            ada.step()
            assert not ada.in_lock
        with paddock.connect(server.url(), lock_step=True) as lecturer:
            assert lecturer.in_lock


def test_the_server_caps_for_how_long_others_wait() -> None:
    with served("line-crossing", limits=ClassLimits(join_lock=True, lock_timeout=0.05)) as server:
        with Peer(server, token=student(server, "Ada", "red")) as slow, Peer(server, name="other") as other:
            slow.ask("lock", timeout=3600)
            other.ask("lock")
            assert other.ask("step", ticks=3)["tick"] == 3
            assert other.wait("released")["reason"] == "no answer within 0.05 s"


def test_a_supervisor_releases_whoever_holds_up_the_others() -> None:
    with served("line-crossing", limits=ClassLimits(join_lock=True, lock_timeout=3600)) as server:
        with Peer(server, token=student(server, "Ada", "red")) as slow, Peer(server, name="other") as other:
            slow.ask("lock", timeout=3600)
            other.ask("lock")
            waiting = other.tell("step", ticks=3)
            on_loop(server, lambda: server.session.supervision.release("Ada"))
            assert other.answer(waiting)["tick"] == 3
            assert other.wait("released")["client"] == "Ada"
            assert on_loop(server, lambda: [member.name for member in server.session.clock.lock]) == ["other"]


def test_an_exercise_without_lock_step_releases_those_who_are_in_the_lock() -> None:
    with served("line-crossing", lock_step=False) as server:
        with Peer(server, token=student(server, "Ada", "red")) as ada:
            ada.ask("lock", timeout=3600)
            limits = replace(ClassLimits(), join_lock=False)
            on_loop(server, lambda: server.session.supervision.set_limits(limits))
            assert ada.wait("released")["reason"] == "this exercise does not use lock-step"
            assert on_loop(server, lambda: server.session.clock.lock) == []


# ---- out


def test_all_connections_of_a_student_are_closed_and_their_robots_stop() -> None:
    with served("line-crossing", lock_step=False) as server:
        token = student(server, "Ada", "red")
        with Peer(server, token=token) as first, Peer(server, token=token) as second, Peer(server) as lecturer:
            first.ask("sense", robot="red", commands={"red": {"wheels": [0.1, 0.1]}})
            assert on_loop(server, lambda: server.session.supervision.disconnect("Ada", "out you go")) == 2
            assert [peer.until_closed() for peer in (first, second)] == [(4403, "out you go")] * 2
            assert on_loop(server, lambda: server.session.ownership.owners) == {}
            assert lecturer.ask("sense", robot="red")["type"] == "observed"


def test_limits_are_checked_like_any_spec() -> None:
    with pytest.raises(SpecError, match="connections: expected a number >= 1"):
        ClassLimits.from_table({"connections": 0})
    with pytest.raises(SpecError, match="subscriptions"):
        ClassLimits.from_table({"subscripions": 3})
    assert ClassLimits.from_table(ClassLimits().to_table()) == ClassLimits()
