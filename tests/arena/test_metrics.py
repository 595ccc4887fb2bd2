"""Metrics of one's own: every column of the state in both loops, several robots, and figures of the whole world."""

from __future__ import annotations

import importlib
import math
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest

import paddock
from paddock.arena.metrics.metric import ONLY_SIMULATED, Metric
from paddock.control.policies.braitenberg import Braitenberg, explorer
from paddock.core.errors import PaddockError
from paddock.core.jit import Kernel, kernel
from paddock.simulation.engine import state as engine
from paddock.simulation.engine.state import ACCELERATION, BEARINGS, CONTACTS, PANS, TURN, X, Y

COLUMNS = PANS + 10  # the e-puck of "clutter" has ten LEDs


@kernel
def sum_columns(robot_state, sums):
    """Add every column of the state, weighted by the tick, so that the order matters."""
    for k in range(robot_state.shape[0]):
        sums[k] = 0.99 * sums[k] + robot_state[k]


@kernel
def sum_columns_when_sensing(readings, first, count, robot_state, sums):
    """Add every column before a robot acts."""
    for k in range(robot_state.shape[0]):
        sums[k] = 0.99 * sums[k] + robot_state[k]


class EveryColumn(Metric):
    kernel: ClassVar[Kernel] = sum_columns
    columns: ClassVar[int] = COLUMNS

    def names(self):
        return tuple(f"moved-{k}" for k in range(COLUMNS))

    def compute_results(self, sums, run):
        return [sums[..., k] for k in range(COLUMNS)]


class EveryColumnWhenSensing(EveryColumn):
    kernel: ClassVar[Kernel] = sum_columns_when_sensing

    def required_device(self):
        return "proximity"

    def names(self):
        return tuple(f"sensed-{k}" for k in range(COLUMNS))


@kernel
def nearest(robots, robot, sums):
    """Keep the distance to the nearest other robot."""
    sums[0] = math.inf
    for other in range(robots.shape[0]):
        if other != robot:
            away = math.hypot(robots[other, X] - robots[robot, X], robots[other, Y] - robots[robot, Y])
            sums[0] = min(sums[0], away)


class Nearest(Metric):
    """`nearest`: distance to the nearest other robot at the end [m]."""

    kernel: ClassVar[Kernel] = nearest
    columns: ClassVar[int] = 1

    def names(self):
        return ("nearest",)

    def compute_results(self, sums, run):
        return (sums[..., 0],)


@kernel
def count_pairs(numbers, robots, sums):
    """Count the pairs of robots that are near each other, summed over the ticks; and the calls."""
    sums[1] += 1.0
    for a in range(robots.shape[0]):
        for b in range(a):
            near = math.hypot(robots[a, X] - robots[b, X], robots[a, Y] - robots[b, Y]) < numbers[0]
            sums[0] += 1.0 if near else 0.0


@dataclass(frozen=True, kw_only=True)
class Pairs(Metric):
    """`pairs`: mean number of pairs of robots that are nearer to each other than `within`."""

    within: float = 0.5  # [m]

    kernel: ClassVar[Kernel] = count_pairs
    columns: ClassVar[int] = 2
    of_world: ClassVar[bool] = True

    def names(self):
        return "pairs", "calls"

    def numbers(self, world, scene):
        return [self.within]

    def compute_results(self, sums, run):
        return run.mean(sums[..., 0]), sums[..., 1]


@kernel
def sum_turns(robot_state, sums):
    """Sum the turn rate and the acceleration."""
    sums[0] += robot_state[TURN] + read_acceleration(robot_state)


@kernel
def read_acceleration(robot_state):
    """Return the acceleration, as a kernel that another one calls."""
    return robot_state[engine.ACCELERATION]


class Turns(Nearest):
    kernel: ClassVar[Kernel] = sum_turns


def run(*metrics, compiled, world="clutter", seconds=1.0, driver=None):
    """Drive all robots of a world in one of the two loops, and return the figures of each robot."""
    with paddock.open(world, seed=3) as arena:
        drivers = {name: driver or explorer() for name in arena.robots}
        for robot in arena.robots.values():
            robot.enable("proximity")
        watch = None if compiled else (lambda _arena: None)
        episode = arena.run(seconds, drivers, metrics=list(metrics), on_step=watch)
        return {name: dict(record.metrics) for name, record in episode.robots.items()}


def test_every_column_of_the_state_has_the_same_value_in_both_loops():
    metrics = EveryColumn(), EveryColumnWhenSensing()
    blind = Braitenberg(left=(0.0,) * 8, right=(0.0,) * 8, speed=(0.12, 0.1), range=0.07)  # into a wall
    here, there = (run(*metrics, compiled=compiled, seconds=8.0, driver=blind)["red"] for compiled in (True, False))
    assert here == there
    moving = [engine.X, engine.HEADING, engine.FORWARD, TURN, ACCELERATION, engine.RIGHT_TRAVEL, CONTACTS, BEARINGS]
    assert all(there[f"moved-{column}"] != 0.0 for column in moving)  # the robot really turned, braked and touched
    assert all(there[f"sensed-{column}"] != 0.0 for column in moving)


def test_the_two_lists_of_columns_are_complete():
    always = {"X", "Y", "HEADING", "LEFT_SPEED", "RIGHT_SPEED", "CONTACTS"}
    columns = sorted(getattr(engine, name) for name in always | set(ONLY_SIMULATED))
    covered = {*columns, *range(BEARINGS, PANS)}
    assert covered == set(range(PANS + 1))


def test_a_metric_of_several_robots_is_the_same_in_both_loops_and_in_a_batch():
    figures = [run(Nearest(), Pairs(), compiled=compiled, world="petri-dish") for compiled in (True, False)]
    assert figures[0].keys() == figures[1].keys()
    for name, mine in figures[0].items():
        assert mine["nearest"] == figures[1][name]["nearest"] > 0.0
        assert mine["pairs"] == figures[1][name]["pairs"]
    batch = paddock.batch("petri-dish", 1, seed=3)
    out = batch.run(1.0, {name: explorer() for name in batch.robots}, metrics=[Nearest(), Pairs()])
    assert out.metrics["nearest"][0].tolist() == [mine["nearest"] for mine in figures[0].values()]
    away = np.linalg.norm(out.poses[0, :, None, :2] - out.poses[0, None, :, :2], axis=-1) + 99 * np.eye(
        len(batch.robots)
    )
    np.testing.assert_allclose(out.metrics["nearest"][0], away.min(axis=1))


def test_a_figure_of_the_world_is_computed_once_and_shown_for_every_robot():
    figures = run(Nearest(), Pairs(), compiled=True, world="petri-dish", seconds=0.5)
    ticks = 0.5 / paddock.simulation.worlds.load_world("petri-dish").dt
    assert {mine["calls"] for mine in figures.values()} == {ticks}  # not ticks times robots
    assert len({mine["pairs"] for mine in figures.values()}) == 1
    assert next(iter(figures.values()))["pairs"] > 0.0


def test_a_figure_of_the_world_may_not_read_one_robots_sensors():
    class Wrong(EveryColumnWhenSensing):
        of_world: ClassVar[bool] = True

    with pytest.raises(paddock.PaddockError, match=r"Wrong: of_world: a figure of the whole world cannot"):
        run(Wrong(), compiled=True)


@pytest.mark.parametrize(("metric", "read"), [(Nearest(), "robots, robot"), (Turns(), "TURN, ACCELERATION")])
def test_reading_state_that_is_not_known_is_an_error(metric, read):
    with paddock.open("clutter", seed=3) as arena:
        arena["red"].enable("proximity")
        trace = arena.run(0.2, {"red": explorer()}).trace
    with pytest.raises(paddock.PaddockError, match=rf"its kernel reads {read}, which are known only while a robot"):
        trace.evaluate([metric])


@pytest.mark.heavy
@pytest.mark.parametrize(("parameter", "device"), [("robot_state", None), ("readings", "proximity")])
def test_mistake_in_the_kernel_of_a_metric_is_reported_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, parameter: str, device: str | None
) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / f"slip_{parameter}.py").write_text(MISTAKEN.format(parameter=parameter, device=device))
    metric = importlib.import_module(f"slip_{parameter}").East()
    with paddock.open("empty", seed=1) as arena:
        arena["red"].enable("proximity")
        with pytest.raises(PaddockError, match=r"slip_\w+\.py line 6: this cannot be compiled: ") as caught:
            arena.run(0.1, lambda seen: (0.1, 0.1), metrics=[metric])
    assert "\n" not in str(caught.value)


MISTAKEN = """import paddock
from paddock.arena.metrics import Metric

@paddock.kernel
def add({parameter}, sums):
    sums[0] += {parameter}[XX]

class East(Metric):
    kernel = add
    columns = 1

    def names(self):
        return ("east",)

    def required_device(self):
        return {device!r}

    def compute_results(self, sums, run):
        return (sums[..., 0],)
"""
