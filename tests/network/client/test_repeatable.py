"""A run is repeatable only if its program and its seed alone determine the result."""

from __future__ import annotations

import threading
from typing import Any

import pytest

import paddock
from network.server.parties import Peer, served
from paddock.arena.base_arena import BaseArena
from paddock.arena.episodes import Episode
from paddock.network.protocol import messages as m


def straight(observation: Any) -> tuple[float, float]:
    return 0.05, 0.05


def run(arena: BaseArena) -> Episode:
    return arena.run(0.2, {"red": straight})


def run_in_thread(work: Any) -> None:
    other = threading.Thread(target=work)
    other.start()
    other.join()


def test_exclusive_lock_step_run_is_repeatable() -> None:
    with served("line-crossing") as server, paddock.connect(server.url(), lock_step=True) as arena:
        first = run(arena)
        arena.reset()
        second = run(arena)
    assert first.repeatable
    assert second.repeatable
    assert first.digest == second.digest == run(paddock.open("line-crossing")).digest


def test_run_on_free_running_server_is_not_repeatable() -> None:
    with served("empty", lock_step=False) as server, paddock.connect(server.url()) as arena:
        episode = run(arena)
        assert episode.digest is not None
        assert not episode.repeatable
        assert episode.why_not_repeatable == "time on the server does not wait for this program"
        arena.reset()
        assert not run(arena).repeatable


def test_run_beside_another_driver_is_not_repeatable() -> None:
    with (
        served("line-crossing") as server,
        paddock.connect(server.url(), name="Ada", lock_step=True) as arena,
        Peer(server, name="Ben") as ben,
    ):
        ben.ask("claim", robot="blue")
        assert run(arena).why_not_repeatable == "Ben drove blue"
        arena.reset()
        assert run(arena).why_not_repeatable == "Ben drove blue"
        ben.ask("release_robot", robot="blue")
        assert not run(arena).repeatable  # blue need not stand where it stood
        arena.reset()
        assert run(arena).repeatable


def test_run_of_late_client_is_repeatable_only_after_reset() -> None:
    with served("empty", lock_step=True) as server:
        with paddock.connect(server.url()) as arena:
            first = run(arena)
        with paddock.connect(server.url()) as arena:
            later = run(arena)
            arena.reset()
            again = run(arena)
    assert later.digest != first.digest
    assert later.why_not_repeatable == "time had passed before this program connected"
    assert again.repeatable
    assert again.digest == first.digest


def test_run_of_released_client_is_not_repeatable() -> None:
    with served("empty") as server, paddock.connect(server.url(), name="Ada", lock_step=True) as arena:
        arena.steering.on_release(m.Released(client="Ben", robots=(), reason="no step for 10 s"))
        assert run(arena).repeatable
        arena.steering.on_release(m.Released(client="Ada", robots=(), reason="no step for 10 s"))
        assert "time went on without this program" in run(arena).why_not_repeatable


@pytest.mark.parametrize("lock_step", [True, False])
def test_short_takeover_of_robot_is_recorded(lock_step: bool) -> None:
    with (
        served("empty", lock_step=lock_step, speed=1.0) as server,
        paddock.connect(server.url(), name="Ada") as arena,
        Peer(server, name="Ben") as ben,
    ):
        steps = 0

        def intervene(arena: Any) -> None:
            nonlocal steps
            steps += 1
            if steps == 10:
                ben.ask("claim", robot="red", force=True)
                ben.send({"type": "command", "commands": {"red": {"wheels": [-0.1, -0.1]}}})
                ben.ask("release_robot", robot="red")

        episode = arena.run(600, straight, on_step=intervene, until=lambda _: steps == 15)
    told = [str(event) for event in episode.trace.events if event.kind == "driver"]
    assert told == ["Ben took over red: commands from here are not applied", "red is driven from here again"]
    assert episode.why_not_repeatable == "external intervention"


def test_driver_on_page_makes_runs_unrepeatable_until_reset() -> None:
    arena = paddock.open("line-crossing")
    with paddock.show(arena, speed=None, port=0, open_page=False) as page, Peer(page.server, name="Ben") as ben:
        assert run(arena).repeatable
        ben.ask("claim", robot="blue")
        assert run(arena).why_not_repeatable == "Ben drove blue"
        arena.reset()
        assert run(arena).why_not_repeatable == "Ben drove blue"
        ben.ask("release_robot", robot="blue")
        arena.reset()
        assert run(arena).repeatable


def test_run_of_client_beside_serving_program_is_not_repeatable() -> None:
    arena = paddock.open("line-crossing")
    with (
        paddock.show(arena, speed=None, port=0, open_page=False) as page,
        paddock.connect(page.server.url(), token=page.server.supervisor or None, lock_step=True) as guest,
    ):
        episode = guest.run(0, {"red": straight})
        assert episode.digest is not None
        assert episode.why_not_repeatable == "the program that serves the arena runs it, too"


def test_external_intervention_makes_runs_unrepeatable_until_reset() -> None:
    arena = paddock.open("empty")
    run_in_thread(lambda: arena["red"].set_pose(0.5, 0.5))
    assert "moved by hand" in run(arena).why_not_repeatable
    assert not run(arena).repeatable
    arena.reset()
    arena["red"].set_pose(0.5, 0.5)  # by the program itself
    assert run(arena).repeatable
    assert run(arena).repeatable  # a second run goes on where the first has ended, every time


def test_interrupted_run_is_not_repeatable() -> None:
    def interrupt(arena: Any) -> None:
        if arena.tick == 5:
            raise KeyboardInterrupt

    with paddock.open("empty") as arena:
        with pytest.raises(KeyboardInterrupt):
            arena.run(1.0, straight, on_step=interrupt)
        assert arena.episode is not None
        assert arena.episode.why_not_repeatable == "it depends on when the run was interrupted"
        assert not arena.episode.repeatable
