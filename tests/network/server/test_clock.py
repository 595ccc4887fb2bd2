"""The clock: pause, single steps, speed and maximum speed, checked by the order of events and not by wall time."""

from __future__ import annotations

import itertools
import sys
import threading
from collections.abc import Iterator

import pytest

import paddock
from network.server.parties import Peer, on_loop, served
from paddock.core.errors import Refused, SimulationError
from paddock.network.server import Server, Settings


def test_free_running_clock_advances_without_requests() -> None:
    with served(lock_step=False, speed=None) as server, Peer(server) as peer:
        ticks = [peer.ask("step", ticks=10)["tick"] for _ in range(5)]
        assert all(after - before >= 10 for before, after in itertools.pairwise(ticks))


def test_paused_clock_advances_by_exact_number_of_ticks() -> None:
    with served(lock_step=False, speed=None) as server, Peer(server) as peer:
        peer.ask("pause")
        at = peer.ask("sense", robot="red")["tick"]
        for ticks in (1, 7, 500):
            mine = peer.tell("step", ticks=ticks)
            assert peer.ask("advance", ticks=ticks)["type"] == "done"
            at += ticks
            assert peer.answer(mine)["tick"] == at
            assert peer.ask("sense", robot="red")["tick"] == at


def test_advance_of_running_clock_is_refused() -> None:
    with served(lock_step=False) as server, Peer(server) as peer:
        refused = peer.ask("advance", ticks=3)
        assert refused["message"] == "advance: the clock is running; pause it first"


def test_advance_waits_for_lock() -> None:
    with served() as server, Peer(server, name="a") as a, Peer(server) as person:
        a.ask("lock")
        person.ask("pause")
        person.ask("advance", ticks=5)
        assert person.ask("sense", robot="red")["tick"] == 0
        assert a.ask("step", ticks=3)["tick"] == 3
        assert a.ask("step", ticks=2)["tick"] == 5
        more = a.tell("step", ticks=1)
        assert person.ask("sense", robot="red")["tick"] == 5
        person.ask("play")
        assert a.answer(more)["tick"] == 6


def test_clock_changes_are_sent_to_all_clients() -> None:
    with served(lock_step=False, speed=1.0) as server, Peer(server, encoding="json") as person, Peer(server) as other:
        person.ask("pause")
        assert other.wait("clock", running=False)
        person.ask("set_speed", speed=4)
        assert other.wait("clock", speed=4.0)
        person.ask("set_speed", speed=0)
        assert other.wait("clock", speed=0.0)
        person.ask("play")
        assert other.wait("clock", running=True)


@pytest.mark.parametrize("speed", [0.001, 0.009, 1001, -1, float("nan"), "fast", True, None])
def test_invalid_speeds_are_refused(speed: object) -> None:
    with served(lock_step=False) as server, Peer(server) as peer:
        refused = peer.ask("set_speed", speed=speed)
        assert refused["type"] == "refused"
        assert refused["message"].startswith("set_speed.speed: expected ")
        assert on_loop(server, lambda: server.session.clock.speed) is None


def test_fast_clock_reaches_tick_before_slow_clock() -> None:
    """One server at 20 × needs 0.2 s for 200 ticks, one at 0.05 × needs 80 s."""
    with (
        served("empty", lock_step=False, speed=20.0) as quick,
        served("empty", lock_step=False, speed=0.05) as slow,
        Peer(quick) as at_quick,
        Peer(slow) as at_slow,
    ):
        both = at_slow.tell("step", ticks=200), at_quick.tell("step", ticks=200)
        assert at_quick.answer(both[1])["tick"] >= 200
        assert on_loop(slow, lambda: slow.arena.tick) < 200


def test_speed_change_takes_effect_immediately() -> None:
    with served("empty", lock_step=False, speed=0.01) as server, Peer(server) as peer:
        mine = peer.tell("step", ticks=2000)  # would take an hour
        peer.ask("set_speed", speed=0)
        assert peer.answer(mine)["tick"] >= 2000


def test_speed_is_kept_in_lock_step() -> None:
    with served("empty", speed=0.01) as server, Peer(server) as peer, Peer(server) as other:
        peer.ask("lock")
        mine = peer.tell("step", ticks=1000)
        other.wait("clock", lock=["peer"])
        assert other.ask("sense", robot=first_robot(other))["tick"] < 1000
        other.ask("set_speed", speed=0)
        assert peer.answer(mine)["tick"] == 1000


def first_robot(peer: Peer) -> str:
    return str(peer.wait("robots")["robots"][0]["name"])


def test_waiting_client_receives_periodic_clock_messages() -> None:
    with served(lock_step=False, speed=0.01) as server, Peer(server) as peer:
        peer.tell("step", ticks=1000)
        peer.news.clear()
        assert [peer.wait("clock")["running"] for _ in range(2)] == [True, True]


def test_python_client_plays_pauses_and_sets_speed() -> None:
    with served(lock_step=False, speed=None) as server, paddock.connect(server.url()) as arena:
        arena.pause()
        assert not arena.running
        arena.play()
        assert arena.running
        arena.set_speed(2)
        arena.set_speed(None)
        for wrong in (0, -1, float("inf"), "x"):
            with pytest.raises(SimulationError, match="speed: expected a factor > 0"):
                arena.set_speed(wrong)
        with pytest.raises(Refused, match=r"set_speed\.speed: expected"):
            arena.set_speed(0.001)


def test_snapshots_are_per_client_and_only_latest_are_kept() -> None:
    with served() as server, paddock.connect(server.url()) as arena, paddock.connect(server.url()) as other:
        numbers = []
        digests = []
        other_number = other.snapshot()
        for _ in range(18):
            numbers.append(arena.snapshot())
            digests.append(arena.digest())
        with pytest.raises(SimulationError, match="no snapshot"):
            arena.restore(numbers[0])
        with pytest.raises(SimulationError, match="no snapshot"):
            arena.restore(other_number)
        arena.restore(numbers[-1])
        assert arena.digest() == digests[-1]


LATE = 100_000  # ticks: 1000 s of simulated time


@pytest.fixture
def restless() -> Iterator[None]:
    """Threads take turns after each microsecond, so that one looks at what another has half done."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


@pytest.mark.usefixtures("restless")
def test_robots_that_another_thread_adds_and_removes_do_not_stop_the_clock() -> None:
    arena = paddock.open("empty")
    arena.step(LATE)
    with Server(arena, Settings(port=0, speed=1.0)).in_background() as server, Peer(server) as peer:
        for number in range(20):
            arena.spawn(f"guest-{number}", "e-puck")
            peer.ask("step", ticks=1)
            arena.remove(f"guest-{number}")
            peer.ask("step", ticks=1)
        assert LATE < peer.ask("step", ticks=1)["tick"] < LATE + 10_000


@pytest.mark.usefixtures("restless")
def test_no_thread_sees_time_go_back_while_robots_are_added() -> None:
    arena, ended, seen = paddock.open("empty"), threading.Event(), [LATE]

    def look() -> None:
        while not ended.is_set():
            seen[0] = min(seen[0], arena.tick)

    arena.step(LATE)
    thread = threading.Thread(target=look)
    thread.start()
    for number in range(20):
        arena.spawn(f"guest-{number}", "e-puck")
    ended.set()
    thread.join()
    assert seen == [LATE]


def test_time_that_another_thread_sets_forward_does_not_stop_the_clock(caplog: pytest.LogCaptureFixture) -> None:
    arena = paddock.open("empty")
    arena.step(LATE)
    later = arena.snapshot()
    arena.reset()
    with Server(arena, Settings(port=0, speed=1.0)).in_background() as server, Peer(server) as peer:
        peer.ask("step", ticks=1)
        arena.restore(later)
        assert peer.ask("step", ticks=3)["tick"] > LATE
    assert "because the arena's time has jumped" in caplog.text
