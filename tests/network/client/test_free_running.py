"""A server with a free-running clock: commands act at once, requests are answered with the current state."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest

import paddock
from network.client.served import Traffic, join, serving
from paddock.network.client.remote import RemoteArena
from paddock.testing import wait_for


@pytest.fixture(params=[1.0, None], ids=["real time", "as fast as possible"])
def arena(request: pytest.FixtureRequest) -> Iterator[RemoteArena]:
    with serving(speed=request.param, lock_step=False) as server, join(server) as one:
        yield one


def test_clock_advances_without_requests(arena: RemoteArena) -> None:
    assert not arena.in_lock
    red = arena["red"]
    red.enable("ground")
    first = red.sense().time
    wait_for(lambda: red.sense().time > first)
    assert arena.time > first  # it is told with every answer


def test_command_takes_effect_at_once_and_stays(arena: RemoteArena) -> None:
    red = arena["red"]
    red.wheels.set(-0.05, 0.05)  # and forget
    wait_for(lambda: red.wheels.speeds == pytest.approx((-0.05, 0.05), rel=0.2))
    heading = red.pose.heading
    wait_for(lambda: red.pose.heading != heading)
    red.stop()
    wait_for(lambda: red.wheels.speeds == (0, 0))
    red.leds.set("front", 0.5)
    assert red.leds.read()["front"] == 0.5


def test_sensing_after_step_needs_no_round_trip(arena: RemoteArena, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("paddock.network.client.remote_body.FRESH", 3600.0)
    red = arena["red"]
    red.enable("ground", "proximity")
    traffic = Traffic(monkeypatch)
    for _ in range(3):
        arena.step()
        seen = red.sense()
        assert seen.time == pytest.approx(arena.time)
        red.ground.read()
        assert red.pose.x > 0
        assert traffic.take() == ["step"]


def test_repeated_reads_request_new_values(arena: RemoteArena, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("paddock.network.client.remote_body.FRESH", 3600.0)
    red = arena["red"]
    red.enable("ground")
    arena.step()
    traffic = Traffic(monkeypatch)
    red.sense()
    red.sense()
    red.ground.read()
    red.ground.read()
    assert red.pose
    assert red.pose
    assert traffic.take() == ["sense", "read", "sense"]


def test_readings_of_step_expire(arena: RemoteArena, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("paddock.network.client.remote_body.FRESH", 0.0)
    red = arena["red"]
    red.enable("ground")
    arena.step()
    traffic = Traffic(monkeypatch)
    red.sense()
    assert red.pose
    assert traffic.take() == ["sense", "sense"]


def test_step_waits_for_its_ticks(arena: RemoteArena) -> None:
    arena.step()
    before = arena.tick
    arena.step(10)
    assert arena.tick >= before + 10


def test_controllers_run_on_free_running_clock(arena: RemoteArena) -> None:
    red = arena["red"]
    red.enable("proximity")
    times: list[float] = []
    began = arena.time
    arena.run(0.2, {"red": lambda seen: times.append(seen.time) or (0.1, 0.1)})  # type: ignore[func-returns-value]
    assert arena.time >= began + 0.2
    assert 1 <= len(times) <= 10  # a clock that runs as fast as possible may run ahead of a controller
    assert times == sorted(times)
    assert red.pose.x > 0.5


def test_refused_command_is_raised_by_next_call(arena: RemoteArena) -> None:
    with paddock.connect(arena.url) as other:
        other.claim("red")
        arena["red"].wheels.set(0.1, 0.1)
        with pytest.raises(paddock.Refused, match=f"robot 'red' is driven by {other.name}"):
            arena.step()
        arena.step()  # it was told once
        arena["red"].wheels.set(0.1, 0.1)
        with pytest.raises(paddock.Refused, match=f"robot 'red' is driven by {other.name}"):
            arena["blue"].enable("ground")
        arena["blue"].wheels.set(0.1, 0.1)
        arena.step()
        assert other.owner("blue") in ("", arena.name)
        arena.claim("red", force=True)
        arena["red"].wheels.set(0.1, 0.1)
        arena.step()
        assert arena.owner("red") == arena.name


def test_client_may_join_lock_of_free_running_server(arena: RemoteArena) -> None:
    with paddock.connect(arena.url, lock_step=True) as locked:
        assert locked.held
        tick = locked.tick
        locked["red"].enable("ground")
        seen = locked["red"].sense().time
        time.sleep(0.1)
        assert locked["red"].sense().time == seen
        locked.step(3)
        assert locked.tick == tick + 3


def test_client_may_stay_out_of_lock(arena: RemoteArena) -> None:
    with serving() as server, join(server) as locked, join(server, lock_step=False) as free:
        free["blue"].wheels.set(0.1, 0.1)
        assert not free.in_lock
        free["blue"].enable("ground")
        locked.step(10)
        assert free["blue"].pose.x > 1.5
        assert free["blue"].sense().time == pytest.approx(0.2)


def test_client_pauses_and_sets_speed(arena: RemoteArena) -> None:
    arena.pause()
    assert not arena.running
    red = arena["red"]
    red.enable("ground")
    seen = red.sense().time
    time.sleep(0.1)
    assert red.sense().time == seen
    arena.play()
    arena.set_speed(100)
    arena.step(50)
    assert arena.running
    for speed in (0, -1, float("nan"), "fast"):
        with pytest.raises(paddock.SimulationError, match="a factor > 0, or None for as fast as possible"):
            arena.set_speed(speed)  # type: ignore[arg-type]


def test_run_counts_from_first_command() -> None:
    with serving(speed=None, lock_step=False) as server, join(server) as arena:
        with join(server) as other:
            other.step(500)
        began = 500 * arena.dt
        episode = arena.run(1.0, {"red": lambda seen: (0.02, 0.02)}, every=arena.dt)
        assert episode.trace.time[0] >= began
        assert episode.trace.time[-1] - episode.trace.time[0] >= 1.0 - arena.dt / 2
