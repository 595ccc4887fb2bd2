"""Watching a robot of a remote arena: updates arrive unrequested, and a background thread calls observers."""

from __future__ import annotations

import itertools
import logging
import threading
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import paddock
from network.client.served import TIMEOUT, Traffic, join, serving
from paddock.arena import Robot
from paddock.network.client.remote import RemoteArena
from paddock.testing import wait_for


class Diary:
    """An observer that records observations and its threads."""

    def __init__(self) -> None:
        self.entries: list[Any] = []
        self.threads: set[str] = set()

    def __call__(self, told: Any) -> None:
        self.entries.append(told)
        self.threads.add(threading.current_thread().name)

    @property
    def ticks(self) -> list[int]:
        return [round(entry.time / 0.02) for entry in self.entries]


@pytest.fixture
def arena() -> Iterator[RemoteArena]:
    """A remote arena in lock-step."""
    with serving() as server, join(server) as one:
        yield one


@pytest.fixture(params=[1.0, None], ids=["real time", "as fast as possible"])
def free(request: pytest.FixtureRequest) -> Iterator[RemoteArena]:
    """A remote arena with a free-running clock."""
    with serving(speed=request.param, lock_step=False) as server, join(server) as one:
        yield one


@pytest.fixture
def red(arena: RemoteArena) -> Robot:
    robot = arena["red"]
    robot.enable("proximity", "ground", "encoders")
    return robot


def stepped(arena: RemoteArena, diary: Diary, ticks: int) -> None:
    """Step only after the observer was called, so that it misses nothing."""
    for _ in range(ticks):
        before = len(diary.entries)
        arena.step()
        wait_for(lambda before=before: len(diary.entries) > before)  # type: ignore[misc]


# In lock-step.


def test_observer_is_called_every_tick_in_watch_thread(arena: RemoteArena, red: Robot) -> None:
    diary = Diary()
    red.on_sense(diary)
    wait_for(lambda: diary.entries)
    stepped(arena, diary, 5)
    assert diary.ticks == [0, 1, 2, 3, 4, 5]
    assert diary.threads == {"paddock-watch"}


def test_watch_period_is_simulated_time(arena: RemoteArena, red: Robot) -> None:
    diary = Diary()
    red.watch(0.1)
    red.on_sense(diary)
    for _ in range(4):
        before = len(diary.entries)
        arena.step(5)
        wait_for(lambda before=before: len(diary.entries) > before)  # type: ignore[misc]
    assert diary.ticks[-4:] == [5, 10, 15, 20]


def test_slow_observer_receives_latest_observation(arena: RemoteArena, red: Robot) -> None:
    diary = Diary()
    gate = threading.Event()

    def slow(seen: paddock.Observation) -> None:
        diary(seen)
        gate.wait(TIMEOUT)

    red.on_sense(slow)
    wait_for(lambda: diary.entries)
    for _ in range(200):
        arena.step()
    gate.set()
    wait_for(lambda: diary.ticks[-1] == 200)
    assert len(diary.entries) < 10


def test_observer_is_called_when_its_devices_change(arena: RemoteArena, red: Robot) -> None:
    ground, encoders = Diary(), Diary()
    red.on_sense(ground, "ground")
    end = red.on_sense(encoders, "encoders")
    stepped(arena, ground, 4)
    assert {name for seen in ground.entries for name in seen} == {"ground"}
    assert len(encoders.entries) == 1  # nothing moved
    red.wheels.set(0.1, 0.1)
    stepped(arena, encoders, 2)
    end()
    before = len(encoders.entries)
    stepped(arena, ground, 3)
    assert len(encoders.entries) == before


def test_observer_follows_devices_enabled_and_disabled_later(arena: RemoteArena, red: Robot) -> None:
    diary = Diary()
    red.on_sense(diary)
    wait_for(lambda: diary.entries)
    red.enable("position")
    red.ground.disable()
    red.wheels.set(0.1, 0.1)
    diary.entries.clear()
    stepped(arena, diary, 5)
    told = {name for seen in diary.entries[1:] for name in seen}
    assert "position" in told
    assert "ground" not in told
    assert list(red.sense()) == ["proximity", "position", "encoders"]


def test_pictures_have_own_period(arena: RemoteArena, red: Robot) -> None:
    diary, pictures = Diary(), Diary()
    red.camera.enable()
    red.on_sense(diary)
    end = red.camera.on_image(pictures, 0.1)
    red.drive(0.0, 1.0)
    wait_for(lambda: diary.entries and pictures.entries)
    for _ in range(3):
        before = len(pictures.entries)
        stepped(arena, diary, 5)
        wait_for(lambda before=before: len(pictures.entries) > before)  # type: ignore[misc]
    assert len(pictures.entries) == 4
    assert diary.ticks == list(range(16))
    assert np.array_equal(pictures.entries[-1], red.camera.read())
    end()
    end()
    stepped(arena, diary, 11)
    assert len(pictures.entries) == 4


def test_each_camera_observer_has_own_period(arena: RemoteArena, red: Robot) -> None:
    often, seldom = Diary(), Diary()
    red.camera.enable()
    red.camera.on_image(seldom, 0.2)
    red.camera.on_image(often, 0.1)
    red.drive(0.0, 1.0)
    wait_for(lambda: often.entries)
    for _ in range(4):
        before = len(often.entries)
        arena.step(5)
        wait_for(lambda before=before: len(often.entries) > before)  # type: ignore[misc]
    assert len(often.entries) == 5
    assert len(seldom.entries) == 3


def test_watch_continues_after_reset(arena: RemoteArena, red: Robot) -> None:
    diary = Diary()
    red.on_sense(diary)
    wait_for(lambda: diary.entries)
    stepped(arena, diary, 3)
    arena.reset()
    stepped(arena, diary, 3)
    assert diary.ticks == [0, 1, 2, 3, 0, 1, 2, 3]


def test_removed_robot_is_no_longer_observed(arena: RemoteArena, red: Robot) -> None:
    diary = Diary()
    green = arena.spawn("green", "e-puck")
    green.enable("ground")
    end = green.on_sense(diary)
    wait_for(lambda: diary.entries)
    arena.remove("green")
    known = len(diary.entries)
    arena.step(5)
    end()
    assert len(diary.entries) == known
    for call in (lambda: green.on_sense(diary), green.watch, lambda: green.camera.on_image(diary)):
        with pytest.raises(paddock.SimulationError, match="robot 'green' has left the arena"):
            call()


def test_watched_robot_of_another_client_may_leave() -> None:
    with serving() as server, join(server, lock_step=False) as visitor, join(server, lock_step=False) as watcher:
        visitor.spawn("green", "e-puck")
        wait_for(lambda: "green" in watcher or watcher.digest() == "")
        green = watcher["green"]
        green.enable("ground")
        diary = Diary()
        green.on_sense(diary)
        visitor.close()
        wait_for(lambda: "green" not in watcher or watcher.digest() == "")
        with pytest.raises(paddock.SimulationError, match="robot 'green' has left the arena"):
            green.sense()
        assert watcher["red"].pose  # all else goes on


# Observers that raise and call back.


def test_error_in_observer_is_raised_by_next_call(arena: RemoteArena, red: Robot) -> None:
    diary, later = Diary(), Diary()
    red.on_sense(diary)
    end = red.on_sense(lambda seen: 1 / 0)
    red.on_sense(later)
    arena.step()
    wait_for(lambda: arena.watcher.errors)
    with pytest.raises(ZeroDivisionError) as caught:
        arena.step()
    assert "an observer of 'red', in the background" in caught.value.__notes__[0]
    end()
    arena.watcher.errors.clear()
    stepped(arena, later, 3)
    assert diary.ticks[-3:] == later.ticks[-3:] == [2, 3, 4]


@pytest.mark.parametrize("error", [ValueError, TypeError, KeyError])
def test_commands_do_not_swallow_errors_of_observer(free: RemoteArena, error: type[Exception]) -> None:
    """`wheels.set` converts a ValueError or a TypeError into an error about its arguments."""
    red = free["red"]
    red.enable("ground")
    calls: list[int] = []

    def broken(seen: paddock.Observation) -> None:
        calls.append(1)
        if len(calls) == 1:
            raise error("mine")

    red.on_sense(broken)
    wait_for(lambda: free.watcher.errors)
    red.wheels.set(0, 0)
    with pytest.raises(error, match="mine"):
        free.step(5)


def test_cached_read_raises_errors_of_observer(free: RemoteArena) -> None:
    red = free["red"]
    red.enable("ground")
    red.on_sense(lambda seen: 1 / 0)
    wait_for(lambda: free.watcher.errors)
    with pytest.raises(ZeroDivisionError):
        red.ground.read()  # is answered without asking the server
    free.watcher.errors.clear()


def test_error_in_observer_is_logged_on_close(arena: RemoteArena, red: Robot, caplog: pytest.LogCaptureFixture) -> None:
    red.on_sense(lambda seen: 1 / 0)
    wait_for(lambda: arena.watcher.errors)
    with caplog.at_level(logging.ERROR):
        arena.close()
    assert "ZeroDivisionError" in caplog.text
    assert arena.watcher.errors == []


def test_pending_observer_errors_are_limited(free: RemoteArena) -> None:
    red = free["red"]
    red.enable("ground")
    calls: list[int] = []

    def broken(seen: paddock.Observation) -> None:
        calls.append(1)
        raise KeyError(len(calls))

    red.on_sense(broken)
    wait_for(lambda: len(calls) > 15)
    assert len(free.watcher.errors) <= 10
    free.watcher.errors.clear()


def test_observer_may_drive_read_and_step(arena: RemoteArena, red: Robot) -> None:
    done = threading.Event()
    ticks: list[int] = []

    def act(seen: paddock.Observation) -> None:
        red.wheels.set(0.1, 0.1)
        red.leds.set(0)
        red.ground.read()
        red.ground.raw()
        ticks.append(arena.tick)
        if len(ticks) < 20:
            arena.step()
        else:
            done.set()

    red.on_sense(act)
    assert done.wait(TIMEOUT), "dead-lock"
    wait_for(lambda: arena.tick >= 19)
    assert red.pose.x > 0.5


def test_observer_may_step_while_others_step(arena: RemoteArena, red: Robot) -> None:
    steps: list[int] = []

    def act(seen: paddock.Observation) -> None:
        if len(steps) < 50:
            arena.step()
            steps.append(1)

    red.on_sense(act)
    for _ in range(50):
        arena.step()
    wait_for(lambda: len(steps) == 50)
    assert arena.digest()
    wait_for(lambda: arena.tick == 100)


def test_observer_may_end_itself_and_start_others(arena: RemoteArena, red: Robot) -> None:
    diary = Diary()

    def once(seen: paddock.Observation) -> None:
        if ends:  # it may be told before `on_sense` has answered
            ends.pop()()
            red.on_sense(diary)

    ends: list[Any] = []
    ends.append(red.on_sense(once))

    def step() -> bool:
        arena.step()
        return bool(diary.entries)

    wait_for(step)
    assert ends == []


def test_observer_may_close_arena(arena: RemoteArena, red: Robot) -> None:
    red.on_sense(lambda seen: arena.close())
    wait_for(lambda: arena.closed)
    with pytest.raises(paddock.LinkError, match="the connection was closed"):
        arena.step()
    assert arena.watcher.thread is not None
    arena.watcher.thread.join(TIMEOUT)
    assert not arena.watcher.thread.is_alive()


# The thread.


def test_watch_thread_exists_only_while_robot_is_watched(arena: RemoteArena, red: Robot) -> None:
    assert arena.watcher.thread is None
    for _ in range(3):
        diary = Diary()
        end = red.on_sense(diary)
        wait_for(lambda diary=diary: diary.entries)  # type: ignore[misc]
        thread = arena.watcher.thread
        assert thread is not None
        assert thread.is_alive()
        end()
        arena.step()
        thread.join(TIMEOUT)
        assert not thread.is_alive()


def test_close_ends_watch_thread_at_once(arena: RemoteArena, red: Robot) -> None:
    red.watch(0.1)
    thread = arena.watcher.thread
    assert thread is not None
    arena.close()
    thread.join(TIMEOUT)
    assert not thread.is_alive()


# While the clock goes on by itself.


def test_sensing_under_watch_needs_no_round_trip(free: RemoteArena, monkeypatch: pytest.MonkeyPatch) -> None:
    red = free["red"]
    red.enable("proximity", "ground")
    red.watch(0.1)
    wait_for(lambda: red.sense().time > 0)
    traffic = Traffic(monkeypatch)
    first, times = red.sense().time, set()
    wait_for(lambda: times.add(red.sense().time) or len(times) > 4)  # type: ignore[func-returns-value]
    red.ground.read()
    assert red.pose
    assert red.contacts == ()
    assert traffic.take() == []
    told = sorted(times)[1:]  # the first may have been asked for
    assert all(abs(time / 0.1 - round(time / 0.1)) < 1e-6 for time in (b - a for a in told for b in told))
    assert max(times) > first


def test_pictures_under_watch_need_no_round_trip(free: RemoteArena, monkeypatch: pytest.MonkeyPatch) -> None:
    red = free["red"]
    red.enable("ground", "camera")
    pictures = Diary()
    red.watch(0.1)
    end = red.camera.on_image(pictures, 0.2)
    red.drive(0.0, 1.0)
    wait_for(lambda: len(pictures.entries) > 1)
    traffic = Traffic(monkeypatch)
    assert red.camera.read().shape == (64, 64, 3)
    assert set(red.sense()) == {"ground", "camera"}
    assert traffic.take() == []
    end()
    assert set(red.sense()) == {"ground", "camera"}  # now it has to be asked for


def test_observers_are_called_without_client_calls(free: RemoteArena) -> None:
    red = free["red"]
    red.enable("encoders", "ground")
    diary, ground = Diary(), Diary()
    red.watch(0.1)
    red.on_sense(diary, "encoders")
    red.on_sense(ground, "ground")
    red.wheels.set(0.05, 0.05)  # set and forget
    wait_for(lambda: len(diary.entries) > 4)
    ticks = diary.ticks[1:]
    assert all((b - a) % 5 == 0 and b > a for a, b in itertools.pairwise(ticks))
    assert len({int(seen.encoders[0] * 1e6) for seen in diary.entries}) > 3
    wait_for(lambda: len(ground.entries) > 1)


def test_time_advances_for_client_that_only_watches(free: RemoteArena) -> None:
    red = free["red"]
    red.enable("ground")
    red.watch(0.02)
    start = free.time
    wait_for(lambda: free.time > start + 0.2)


def test_observer_may_drive_on_free_running_clock(free: RemoteArena) -> None:
    red = free["red"]
    red.enable("proximity")
    red.on_sense(lambda seen: red.wheels.set(0.1, 0.1))
    start = red.pose.x
    wait_for(lambda: red.pose.x > start + 0.01)
