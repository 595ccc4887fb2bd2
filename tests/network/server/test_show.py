"""A program steps its own arena while other clients watch, drive, pause, connect and disconnect."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import paddock
from paddock.network.client.remote import RemoteArena
from paddock.network.server.show import Show

LONG = 60.0  # seconds after which a test gives up


@pytest.fixture
def shown() -> Iterator[Show]:
    arena = paddock.open("clutter", seed=2)
    with paddock.show(arena, speed=None, port=0, open_page=False) as page:
        yield page


@pytest.fixture
def onlooker(shown: Show) -> Iterator[RemoteArena]:
    with paddock.connect(shown.url, name="onlooker", lock_step=False) as arena:
        yield arena


def in_background(work: Callable[[], Any]) -> threading.Thread:
    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    return thread


def ended(thread: threading.Thread) -> bool:
    thread.join(LONG)
    return not thread.is_alive()


def drive(arena: paddock.Arena) -> str:
    arena["red"].enable("proximity")
    arena.run(4, {"red": lambda seen: (0.1, 0.09) if min(seen.proximity) > 0.05 else (-0.05, 0.05)})
    return arena.digest()


def test_shown_run_is_bit_identical_to_run_without_page(shown: Show, onlooker: RemoteArena) -> None:
    onlooker["red"].enable()
    onlooker["red"].watch(0.02)
    assert drive(shown.arena) == drive(paddock.open("clutter", seed=2))


def test_clock_stands_still_without_program(shown: Show, onlooker: RemoteArena) -> None:
    shown.arena.step(7)
    assert [onlooker.digest() for _ in range(3)] == [shown.arena.digest()] * 3


def test_pause_on_page_blocks_program_until_play(shown: Show, onlooker: RemoteArena) -> None:
    onlooker.pause()
    program = in_background(lambda: shown.arena.step(3))
    onlooker.advance(2)
    onlooker.digest()
    assert program.is_alive()
    onlooker.play()
    assert ended(program)
    assert shown.arena.tick == 3


def test_remote_driver_overrides_program_until_it_leaves(shown: Show, onlooker: RemoteArena) -> None:
    red = shown.arena["red"]
    onlooker["red"].wheels.set(0.05, 0.05)
    onlooker.digest()  # it has arrived
    for _ in range(5):
        red.wheels.set(-0.1, -0.1)
        shown.arena.step()
    assert red.wheels.speeds == pytest.approx((0.05, 0.05), abs=1e-3)
    onlooker.release_robot("red")
    red.wheels.set(-0.1, -0.1)
    shown.arena.step(5)
    assert red.wheels.speeds == pytest.approx((-0.1, -0.1), abs=1e-3)


def test_reset_clears_commands_of_remote_drivers(shown: Show, onlooker: RemoteArena) -> None:
    onlooker["red"].wheels.set(0.05, 0.05)
    onlooker.reset()
    shown.arena.step(5)
    assert shown.arena["red"].wheels.speeds == (0.0, 0.0)


def test_robots_spawned_by_program_are_visible_to_clients(shown: Show, onlooker: RemoteArena) -> None:
    shown.arena.spawn("green", "e-puck")
    shown.arena.step()
    onlooker.digest()
    assert set(onlooker) == {"red", "green"}
    assert onlooker["green"].pose == shown.arena["green"].pose


def test_program_may_remove_robot_that_is_watched_and_driven(shown: Show, onlooker: RemoteArena) -> None:
    shown.arena.spawn("green", "e-puck")
    shown.arena.step()
    onlooker.digest()
    green = onlooker["green"]
    green.enable()
    green.watch(0.0)
    green.wheels.set(0.05, 0.05)
    onlooker.digest()
    shown.arena.remove("green")
    assert ended(in_background(lambda: shown.arena.step(5)))
    onlooker.digest()
    assert set(onlooker) == {"red"}
    with pytest.raises(paddock.SimulationError, match="'green' has left the arena"):
        green.wheels.set(0.0, 0.0)
    onlooker.close()
    assert ended(in_background(lambda: shown.arena.step(5)))


def test_sensing_is_consistent_while_another_thread_spawns_and_removes(shown: Show, onlooker: RemoteArena) -> None:
    red = shown.arena["red"]
    red.enable("proximity", "ground", "encoders")
    going, wrong = threading.Event(), []

    def look() -> None:
        while not going.is_set():
            seen = red.sense()
            if not (len(seen.proximity) == 8 and max(seen.proximity) <= 0.0701 and len(seen.ground) == 3):
                wrong.append(seen)

    looker = in_background(look)
    for i in range(30):
        onlooker.spawn(f"guest{i % 3}", "pioneer-p3dx" if i % 2 else "khepera")
        onlooker.remove(f"guest{i % 3}")
    going.set()
    assert ended(looker)
    assert wrong == []


def test_arena_is_shown_once_and_is_usable_after_close(shown: Show) -> None:
    with pytest.raises(paddock.SimulationError, match="show: this arena is shown already"):
        paddock.show(shown.arena, port=0, open_page=False)
    shown.close()
    shown.arena.step(3)
    assert shown.arena.tick == 3


def test_remote_arena_cannot_be_shown(onlooker: RemoteArena) -> None:
    with pytest.raises(paddock.SimulationError, match="show: expected a local arena"):
        paddock.show(onlooker, open_page=False)  # type: ignore[arg-type]
