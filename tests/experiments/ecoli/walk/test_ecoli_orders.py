"""Tests of both experiments with orders of the E. coli publication."""

from __future__ import annotations

import math

import pytest

from paddock.experiments.ecoli.walk.orders_runs import PERFECT, mean_errors_in_cm, run_experiment_1, run_experiment_2
from paddock.experiments.ecoli.walk.published import (
    MEAN_ERROR_1,
    MOVING_TIME_1,
    REACHED_1,
    ROBOT_1,
    TARGETS_1,
    TARGETS_2,
)
from paddock.experiments.ecoli.waypoint_robots import LineQuality

pytestmark = [pytest.mark.heavy, pytest.mark.long]


def test_published_table_is_consistent_with_published_means() -> None:
    errors = [(x - tx, y - ty) for (x, y), (tx, ty) in zip(REACHED_1, TARGETS_1, strict=True)]
    x, y = zip(*errors, strict=True)
    assert (sum(map(abs, x)) / 25, sum(map(abs, y)) / 25) == pytest.approx(MEAN_ERROR_1, abs=1e-3)
    assert {name: len(targets) for name, targets in TARGETS_2.items()} == dict.fromkeys(TARGETS_2, 25)


def test_fitted_robot_reproduces_published_errors_of_experiment_1() -> None:
    run = run_experiment_1(dt=0.005).robots[ROBOT_1]
    assert run.walk.done == 25
    assert mean_errors_in_cm(run) == pytest.approx(MEAN_ERROR_1, abs=0.4)
    assert run.walk.moving_time == pytest.approx(MOVING_TIME_1, rel=0.05)
    apart = [math.dist((100 * x, 100 * y), place) for (x, y), place in zip(run.positions, REACHED_1, strict=True)]
    assert sum(distance**2 for distance in apart) / (2 * len(apart)) < 0.8**2  # [cm], mean of squares of x and y
    assert all(dx > 0 > dy for dx, dy in run.errors)  # every x too large, every y too small, as published
    for reached, target in zip(run.walk.reached, run.targets, strict=True):
        assert reached == pytest.approx(target)  # and yet the replies say that all is well


def test_ideal_robot_in_checked_mode_arrives_with_coarse_ticks() -> None:
    run = run_experiment_1(errors=PERFECT, mode="checked", dt=0.02).robots[ROBOT_1]
    assert max(mean_errors_in_cm(run)) < 0.1
    assert run.walk.moving_time == pytest.approx(47.2, abs=0.5)  # it does not turn back after every order


@pytest.mark.parametrize(
    "quality",
    [LineQuality(loss=0.02, jitter=0.02), {"e-puck_2478": LineQuality(cuts=((20.0, 25.0),))}],
    ids=["loss and jitter", "a cut"],
)
def test_experiment_2_completes_all_orders_in_checked_mode(quality: LineQuality | dict[str, LineQuality]) -> None:
    run = run_experiment_2(quality=quality, seed=1, dt=0.01)
    assert {name: robot.walk.done for name, robot in run.robots.items()} == dict.fromkeys(TARGETS_2, 25)
    assert run.locked == ()
    assert sum(robot.link.resends for robot in run.robots.values()) > 0


def test_legacy_protocol_locks_up_when_bytes_are_lost() -> None:
    run = run_experiment_2(mode="legacy", patient=True, quality=LineQuality(loss=0.02, jitter=0.02), dt=0.01)
    assert run.locked
    assert sum(robot.walk.done for robot in run.robots.values()) < 75


def test_timeout_is_not_reported_as_lock_up() -> None:
    run = run_experiment_2(seed=1, dt=0.02, longest=5.0)
    assert run.locked == ()
    assert run.unfinished == tuple(TARGETS_2)


def test_experiment_2_is_deterministic_per_seed() -> None:
    quality = LineQuality(loss=0.02, flips=0.001, jitter=0.02)
    first, second = (run_experiment_2(quality=quality, seed=3, dt=0.02, longest=15.0) for _ in range(2))
    for name in TARGETS_2:
        assert first.robots[name].path == second.robots[name].path
        assert first.robots[name].link == second.robots[name].link
