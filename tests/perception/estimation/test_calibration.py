"""Tests of wheel calibration by squares and by free runs."""

from __future__ import annotations

import math

import numpy as np
import pytest

from paddock.core.errors import PaddockError
from paddock.perception.estimation import FreeRun, Odometry, Umbmark, WheelCalibration, evaluate_squares, fit_wheels

SIDE, NOMINAL = 0.6, 0.053


def drive_square(ratio: float, separation: float, *, right: bool, random: np.random.Generator) -> tuple[float, float]:
    """Return the return error of a square on the nominal wheels, with 1 % of noise per tick."""
    wheels = WheelCalibration(separation * NOMINAL, 1.0, ratio)
    true, assumed = wheels.odometry(), Odometry(NOMINAL)
    for odometry in (true, assumed):
        odometry.update(0.0, 0.0)
    travel, rolled = np.zeros(2), np.zeros(2)
    turn = math.pi / 2 * NOMINAL / 2 * (np.array([1, -1]) if right else np.array([-1, 1]))
    for way, ticks in [(np.full(2, SIDE), 300), (turn, 60)] * 4:
        for _ in range(ticks):
            travel += way / ticks
            rolled += way / ticks * (1 + 0.01 * random.normal(size=2))
            true.update(*rolled.tolist())
            assumed.update(*travel.tolist())
    return true.pose.x - assumed.pose.x, true.pose.y - assumed.pose.y


def mark(ratio: float, separation: float) -> Umbmark:
    random = np.random.default_rng(1)
    runs = {right: [drive_square(ratio, separation, right=right, random=random) for _ in range(5)] for right in (1, 0)}
    return evaluate_squares(runs[1], runs[0], side=SIDE, wheel_separation=NOMINAL)


@pytest.mark.parametrize(("ratio", "separation"), [(1.005, 1.0), (1.0, 1.03), (1.00147, 0.985), (0.99, 1.03)])
def test_squares_in_both_directions_recover_the_wheels(ratio: float, separation: float) -> None:
    found = mark(ratio, separation)
    assert found.diameter_ratio == pytest.approx(ratio, abs=0.0006)
    assert found.separation_ratio == pytest.approx(separation, abs=0.004)
    assert found.largest_error > 0.05
    wheels = found.correct(WheelCalibration(NOMINAL))
    assert wheels.wheel_separation == pytest.approx(separation * NOMINAL, rel=0.004)


def test_straight_run_scales_wheels_without_changing_turns() -> None:
    wheels = WheelCalibration(0.05, 1.0, 1.01).scale(measured=0.986, estimated=1.0)
    assert wheels.wheel_ratio / wheels.wheel_separation == pytest.approx(1 / 0.05)
    assert wheels.diameters(0.041) == (
        pytest.approx(0.986 * 0.041 * 2 / 2.01),
        pytest.approx(0.986 * 0.041 * 2.02 / 2.01),
    )


def free_run(wheels: WheelCalibration, seed: int) -> FreeRun:
    """Return one minute of curves in both directions, seen by a camera with 1 mm and 1° of noise."""
    random = np.random.default_rng(seed)
    true = wheels.odometry()
    travel, rows, poses = np.zeros(2), [], []
    for tick in range(3000):
        bend = 0.9 * math.sin(tick / 130)
        travel += 0.002 * np.array([1 - bend, 1 + bend])
        pose = true.update(*travel.tolist())
        if tick % 5 == 0:
            rows.append(travel.copy())
            poses.append(np.array(pose) + random.normal(size=3) * (0.001, 0.001, math.radians(1.0)))
    return FreeRun(np.array(rows), np.array(poses))


def test_fit_to_free_runs_recovers_wheels_with_consistent_sigmas() -> None:
    true = WheelCalibration(0.0522, 0.986, 1.00147)
    fit = fit_wheels([free_run(true, 1), free_run(true, 2)], WheelCalibration(NOMINAL))
    for found, sigma, right in zip(fit.wheels, fit.sigmas, true, strict=True):
        assert abs(found - right) < 4 * sigma
        assert sigma < 0.002 * right
    assert fit.residual == pytest.approx(0.0014, rel=0.1)


def test_missing_poses_are_excluded_from_a_fit() -> None:
    true = WheelCalibration(0.0522, 0.986, 1.00147)
    runs = [free_run(true, seed) for seed in (1, 2)]
    for run in runs:
        run.poses[np.arange(len(run.poses)) % 10 != 0] = np.nan
    fit = fit_wheels(runs, WheelCalibration(NOMINAL))
    for found, sigma, right in zip(fit.wheels, fit.sigmas, true, strict=True):
        assert abs(found - right) < 4 * sigma
    runs[0].poses[0] = np.nan
    with pytest.raises(PaddockError, match="expected a pose in the first row"):
        fit_wheels(runs, WheelCalibration(NOMINAL))


def test_insufficient_runs_are_refused() -> None:
    travel = np.linspace(0, 0.5, 50)[:, None] * np.ones(2)
    straight = FreeRun(travel, np.column_stack([travel[:, 0], np.zeros(50), np.zeros(50)]))
    with pytest.raises(PaddockError, match="drive straight and turn both ways"):
        fit_wheels([straight], WheelCalibration(NOMINAL))
    with pytest.raises(PaddockError, match="at least one run in each direction"):
        evaluate_squares([], [(0.0, 0.0)], side=SIDE, wheel_separation=NOMINAL)
