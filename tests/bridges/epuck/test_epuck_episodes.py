"""Runs on an e-puck are episodes with a trace, metrics and events, and are never repeatable."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import paddock
from bridges.epuck.epuck_fixtures import bench
from bridges.epuck.test_epuck import LINKS, connected
from paddock.arena import Arena
from paddock.arena.metrics import Distance
from paddock.bridges.epuck import EPuckEmulators
from paddock.bridges.epuck.link import EPuck

pytest.importorskip("serial", reason="pip install pyserial")
pytest.importorskip("pty", reason="no pseudo terminals here")


@pytest.fixture
def arena() -> Arena:
    arena = bench()
    for name, x in (("red", 0.2), ("blue", 0.6)):
        arena[name].set_pose(x, 0.8)
    return arena


@pytest.fixture(params=LINKS)
def robot(request: pytest.FixtureRequest, arena: Arena) -> Iterator[EPuck]:
    with (
        EPuckEmulators(arena, serial=["red", "blue"], wifi={"red": 0, "blue": 0}) as emulators,
        connected(arena, emulators, request.param) as robot,
    ):
        robot.enable("ground", "encoders")
        yield robot


def test_run_gives_trace_and_metrics_by_odometry(arena: Arena, robot: EPuck) -> None:
    start = arena[robot.name].pose
    episode = robot.run(2.0, lambda seen: (0.05, 0.05), every=0.1, metrics=[Distance()])
    driven = math.dist(start[:2], arena[robot.name].pose[:2])
    assert driven == pytest.approx(0.1, abs=0.005)
    assert episode.metrics["distance"] == pytest.approx(driven, abs=0.003)
    assert episode.trace.pose[-1, 0] == pytest.approx(driven, abs=0.003)
    assert episode.trace.commands[1] == pytest.approx((0.05, 0.05), abs=2e-4)
    assert episode.trace.reading("ground").shape == (len(episode.trace), 3)
    assert np.isnan(episode.trace.contacts).all()  # it does not know what it touches
    assert (episode.reason, episode.digest, episode.repeatable) == ("2 s elapsed", None, False)


def test_setup_time_does_not_count_as_run_time(arena: Arena, robot: EPuck, monkeypatch: pytest.MonkeyPatch) -> None:
    start, begin = Distance.start, robot.time
    monkeypatch.setattr(Distance, "start", lambda *about: arena.step(round(1.5 / arena.dt)) or start(*about))
    episode = robot.run(2.0, lambda seen: (0.05, 0.05), every=0.1, metrics=[Distance()])
    assert episode.trace.time[0] >= begin + 1.5
    assert episode.trace.time[-1] - episode.trace.time[0] == pytest.approx(2.0)
    assert episode.seconds == pytest.approx(2.0)


def test_run_reads_sensors_once_per_tick(robot: EPuck, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    read = robot.port.read

    def count(devices: Any) -> Any:
        asked.append(robot.tick)
        return read(devices)

    monkeypatch.setattr(robot.port, "read", count)
    robot.run(1.0, lambda seen: (0.02, 0.02), every=robot.dt, metrics=[Distance()])
    ticks = round(1.0 / robot.dt)
    assert len(asked) <= ticks + 3  # one for each tick, and how it was at the start and at the end


def test_set_odometry_adds_no_distance(robot: EPuck) -> None:
    class Surveyed:
        calls = 0

        def act(self, seen: paddock.Observation) -> tuple[float, float]:
            self.calls += 1
            if self.calls == 20:
                robot.set_odometry(3.0, 2.0, 1.0)
            return 0.05, 0.05

    episode = robot.run(1.0, Surveyed(), every=robot.dt, metrics=[Distance()])
    assert [event.kind for event in episode.events] == ["teleport", "end"]
    assert episode.metrics["distance"] == pytest.approx(0.05, abs=0.005)
    assert episode.trace.jumps.sum() == 1


def test_failing_controller_stops_robot_and_trace_is_kept(arena: Arena, robot: EPuck) -> None:
    def fail(seen: paddock.Observation) -> tuple[float, float]:
        if seen.time > 0.5:
            raise IndexError("my mistake")
        return 0.05, 0.05

    with pytest.raises(IndexError):
        robot.run(2.0, fail, every=0.1)
    arena.step()
    assert arena[robot.name].wheels.speeds == (0, 0)
    assert robot.episode is not None
    assert robot.episode.failed
    assert "my mistake" in robot.episode.reason
    assert robot.episode.trace.time[-1] >= 0.5


def test_speed_factor_is_refused_for_real_robot(robot: EPuck) -> None:
    with pytest.raises(paddock.SimulationError, match="is a real robot: its time cannot run at speed 5"):
        robot.run(1.0, lambda seen: (0.0, 0.0), speed=5)
