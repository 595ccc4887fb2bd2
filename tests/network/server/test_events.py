"""Interventions are reported to clients that requested events, to remote runs and to a program that shows its arena."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import paddock
from network.server.parties import Peer, served
from paddock.arena.episodes import Event
from paddock.network.server import Server

ACTS: list[tuple[str, str | None, str, Callable[[Peer], object]]] = [
    ("reset", None, "reset (by Ben)", lambda peer: peer.ask("reset")),
    ("pause", None, "paused (by Ben)", lambda peer: peer.ask("pause")),
    ("resume", None, "resumed (by Ben)", lambda peer: (peer.ask("pause"), peer.ask("play"))),
    ("speed", None, "speed set to 2 (by Ben)", lambda peer: peer.ask("set_speed", speed=2)),
    (
        "teleport",
        "red",
        "red was moved by hand (by Ben)",
        lambda peer: peer.ask("set_pose", robot="red", x=0.5, y=0.5),
    ),
    ("driver", "red", "Ben took over red", lambda peer: peer.ask("claim", robot="red", force=True)),
    ("spawn", "mine", "mine was spawned (by Ben)", lambda peer: peer.ask("spawn", robot="mine", kind="e-puck")),
]


@pytest.fixture
def server() -> Iterator[Server]:
    with served("empty") as server:
        yield server


@pytest.mark.parametrize(("kind", "robot", "text", "act"), ACTS, ids=[kind for kind, *_ in ACTS])
def test_intervention_is_reported_only_to_other_clients_that_requested_events(
    server: Server, kind: str, robot: str | None, text: str, act: Callable[[Peer], object]
) -> None:
    with Peer(server, hello=False) as ada, Peer(server, name="Ben") as ben, Peer(server, hello=False) as cleo:
        ada.ask("hello", version=1, name="Ada", events=True)
        cleo.ask("hello", version=1, name="Cleo")
        ada.ask("claim", robot="red")
        act(ben)
        event = ada.wait("event", kind=kind)
        assert (event["text"], event.get("robot"), event["tick"]) == (text, robot, 0)
        assert ben.all_news("event") == cleo.all_news("event") == []


def test_remote_run_records_interventions_and_its_own_actions(server: Server) -> None:
    events: list[Event] = []
    with paddock.connect(server.url(), name="Ada") as arena, Peer(server, name="Ben") as ben:
        arena.collect_events(events)
        arena["red"].set_pose(1.0, 1.0)
        arena.step(5)
        ben.ask("set_pose", robot="red", x=0.5, y=0.5)
        arena.step()
    assert [(event.kind, event.robot, event.by_program) for event in events] == [
        ("teleport", "red", True),
        ("teleport", "red", False),
    ]
    assert events[1].time == pytest.approx(5 * 0.02)
    assert events[1].text == "red was moved by hand (by Ben)"


def test_program_that_shows_arena_records_interventions() -> None:
    events: list[Event] = []
    arena = paddock.open("empty")
    with paddock.show(arena, speed=None, port=0, open_page=False) as page, Peer(page.server, name="Ben") as ben:
        arena.collect_events(events)
        ben.ask("claim", robot="red")
        ben.ask("set_pose", robot="red", x=0.5, y=0.5)
        ben.ask("pause")
        ben.ask("play")
        ben.ask("release_robot", robot="red")
        arena.step()
    assert [event.kind for event in events] == ["driver", "teleport", "pause", "resume", "driver"]
    assert not any(event.by_program for event in events)


@pytest.mark.parametrize("lock_step", [True, False])
def test_remote_run_continues_while_robot_is_taken_over_and_returned(lock_step: bool) -> None:
    with (
        served("empty", lock_step=lock_step, speed=None if lock_step else 3.0) as server,
        paddock.connect(server.url(), name="Ada") as arena,
        Peer(server, name="Ben") as ben,
    ):
        acts = iter([(10, "claim"), (30, "release_robot")])
        due, act = next(acts)

        def intervene(arena: Any) -> None:
            nonlocal due, act
            if arena.tick >= due:
                ben.ask(act, robot="red", **({"force": True} if act == "claim" else {}))
                due, act = next(acts, (10**9, ""))

        episode = arena.run(1.5, lambda seen: (0.05, 0.05), every=arena.dt, on_step=intervene)
    assert episode.reason == "1.5 s elapsed"
    assert arena.in_lock == lock_step
    told = [str(event) for event in episode.trace.events if event.kind == "driver"]
    assert told == ["Ben took over red: commands from here are not applied", "red is driven from here again"]
    assert not episode.repeatable
    taken, given = (event.time for event in episode.trace.events if event.kind == "driver")
    during = (episode.trace.time > taken + 0.05) & (episode.trace.time < given - 0.05)
    assert np.isnan(episode.trace.commands[during]).all()
    assert not episode.trace.wheels[during].any()
    assert episode.trace.wheels[-1].tolist() == pytest.approx([0.05, 0.05], abs=0.01)


@pytest.mark.parametrize("lock_step", [True, False])
def test_loop_continues_while_robot_is_taken_over_and_returned(
    lock_step: bool, caplog: pytest.LogCaptureFixture
) -> None:
    """A program with a loop of its own is told once, and does not end."""
    with (
        served("empty", lock_step=lock_step, speed=None if lock_step else 3.0) as server,
        paddock.connect(server.url(), name="Ada") as arena,
        Peer(server, name="Ben") as ben,
    ):

        def drive(until: Callable[[], bool]) -> None:
            while not until():
                arena["red"].wheels.set(0.05, 0.05)
                arena.step()

        drive(lambda: server.arena["red"].wheels.speeds[0] > 0.04)
        ben.ask("claim", robot="red", force=True)
        drive(lambda: "Ben took over red: commands from here are not applied" in caplog.text)
        drive(lambda: not any(server.arena["red"].wheels.speeds))
        ben.ask("release_robot", robot="red")
        drive(lambda: "red is driven from here again" in caplog.text)
        drive(lambda: server.arena["red"].wheels.speeds[0] > 0.04)
    assert caplog.text.count("took over") == 1


def test_run_with_robot_of_another_client_is_refused(server: Server) -> None:
    with paddock.connect(server.url(), name="Ada") as arena, Peer(server, name="Ben") as ben:
        ben.ask("claim", robot="red")
        with pytest.raises(paddock.Refused, match="driven by Ben"):
            arena.run(1, lambda seen: (0.05, 0.05))


def test_remote_run_continues_after_own_robot_is_removed(server: Server) -> None:
    with paddock.connect(server.url(), name="Ada") as arena:
        arena.spawn("mine", "e-puck", at=(0.3, 0.3))

        def leave(arena: Any) -> None:
            if arena.tick == 10:
                arena.remove("mine")

        drive = lambda seen: (0.02, 0.02)  # noqa: E731
        episode = arena.run(1, {"red": drive, "mine": drive}, on_step=leave)
    assert episode.seconds == 1
    assert [event.kind for event in episode.robots["mine"].trace.events] == ["remove"]
    assert episode.robots["mine"].trace.time[-1] <= 0.2
    assert episode.robots["red"].trace.time[-1] == 1
