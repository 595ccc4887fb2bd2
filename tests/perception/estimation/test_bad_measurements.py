"""Tests that unusable measurements are dropped and counted."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from paddock.core.errors import PaddockError
from paddock.perception.estimation import (
    EKF,
    CompassModel,
    FixModel,
    MotionNoise,
    Odometry,
    ParticleFilter,
    PoseFix,
    RangeModel,
    TravelSensors,
    chi_square_quantile,
    ellipse_axes,
    evaluate_squares,
)
from paddock.perception.estimation.particle_cloud import summarise
from perception.estimation.driven import DT, SEPARATION, DrivenRobot

START = np.diag([0.01, 0.01, 0.05]) ** 2


def build(kind: type[EKF] | type[ParticleFilter], robot: DrivenRobot, model: CompassModel | FixModel) -> object:
    travel = TravelSensors(Odometry(SEPARATION, pose=robot.pose, noise=MotionNoise(wheel=2e-5)))
    return kind(travel, [model], covariance=START)


@pytest.mark.parametrize("kind", [EKF, ParticleFilter])
def test_nan_reading_is_dropped(kind: type[EKF] | type[ParticleFilter]) -> None:
    robot = DrivenRobot(seed=1)
    estimator = build(kind, robot, CompassModel(sigma=0.05, device="north"))
    for k, reading in enumerate((robot.pose.heading, math.nan, robot.pose.heading)):
        found = estimator.update(robot.observe(north=np.array([reading])), k * DT)  # type: ignore[attr-defined]
        assert math.dist(found.pose[:2], robot.pose[:2]) < 0.05
        assert found.covariance[0, 0] > 0
    assert estimator.not_finite == 1  # type: ignore[attr-defined]


@pytest.mark.parametrize("kind", [EKF, ParticleFilter])
def test_fix_from_the_future_is_dropped(kind: type[EKF] | type[ParticleFilter]) -> None:
    robot = DrivenRobot(seed=1)
    estimator = build(kind, robot, FixModel(lambda time: [PoseFix(time + 5.0, 9.0, 9.0, 0.0, START)]))
    found = estimator.update(robot.observe(), 0.0)  # type: ignore[attr-defined]
    assert math.dist(found.pose[:2], robot.pose[:2]) < 0.05
    assert (estimator.too_early, estimator.too_late) == (1, 0)  # type: ignore[attr-defined]


@pytest.mark.parametrize("kind", [EKF, ParticleFilter])
def test_fix_without_heading_corrects_the_position(kind: type[EKF] | type[ParticleFilter]) -> None:
    robot = DrivenRobot(seed=1)

    def look(time: float) -> list[PoseFix]:
        fix = robot.fix()
        return [PoseFix(time, fix.x, fix.y, math.nan, np.diag([1e-6, 1e-6, math.pi**2]))] if robot.tick % 5 == 0 else []

    estimator = build(kind, robot, FixModel(look))
    for _ in range(200):
        robot.curve()
        found = estimator.update(robot.observe(), robot.time)  # type: ignore[attr-defined]
    assert math.dist(found.pose[:2], robot.pose[:2]) < 0.005
    assert abs(math.remainder(found.pose.heading - robot.pose.heading, math.tau)) < 0.1  # from the motion
    assert estimator.not_finite == 0  # type: ignore[attr-defined]


def test_particle_filter_recovers_from_kidnapping_by_positions_alone() -> None:
    robot = DrivenRobot(seed=1)
    sigmas = np.diag([1e-4, 1e-4, 1.0])
    estimator = build(ParticleFilter, robot, FixModel(lambda time: [PoseFix(time, *robot.pose[:2], math.nan, sigmas)]))
    assert isinstance(estimator, ParticleFilter)
    for step in range(300):
        robot.curve()
        if step == 50:
            robot.pose = robot.pose._replace(x=1.5, y=0.2, heading=-2.0)
        found = estimator.update(robot.observe(), robot.time)
    assert math.dist(found.pose[:2], robot.pose[:2]) < 0.02


@pytest.mark.parametrize("poses", [np.empty((0, 3)), np.full((2, 3), np.nan)])
def test_summary_of_invalid_particles_is_refused(poses: np.ndarray) -> None:
    with pytest.raises(PaddockError, match="at least one, with finite poses"):
        summarise(poses, np.ones(len(poses)), "robust")


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda: PoseFix(0.0, 0.0, 0.0, 0.0, np.zeros((3, 3))), "PoseFix: covariance: expected variances > 0"),
        (
            lambda: PoseFix(0.0, 0.0, 0.0, math.nan, np.diag([0.0, 0.0, 1.0])),
            "PoseFix: covariance: expected variances > 0",
        ),
        (lambda: PoseFix(0.0, 0.0, 0.0, 0.0, "a"), "PoseFix: covariance: expected 3 × 3 finite numbers, got 'a'"),
        (
            lambda: PoseFix(0.0, 0.0, 0.0, 0.0, [[1], [1, 2]]),
            "covariance: expected 3 × 3 finite numbers, got [[1], [1, 2]]",
        ),
        (
            lambda: EKF(TravelSensors(Odometry(0.1)), gate="a"),
            "EKF: gate: expected a probability between 0 and 1, got 'a'",
        ),
        (lambda: EKF(TravelSensors(Odometry(0.1)), memory=-1), "EKF: memory: expected seconds >= 0, got -1"),
        (lambda: particles(particles=100), "particles: expected 1 <= fewest <= most, got 100"),
        (lambda: particles(particles=(5, 1)), "particles: expected 1 <= fewest <= most, got (5, 1)"),
        (lambda: particles(area=(1, 1, 0, 0)), "area: expected x0 < x1 and y0 < y1, got (1, 1, 0, 0)"),
        (lambda: particles(area=(0, 0, math.nan, 1)), "area: expected x0 < x1 and y0 < y1, got (0, 0, nan, 1)"),
        (lambda: particles(roughening=0.1), "roughening: expected metres and radians >= 0, got 0.1"),
        (lambda: particles(memory=math.nan), "ParticleFilter: memory: expected seconds >= 0, got nan"),
        (lambda: ellipse_axes(np.ones(2)), "ellipse_axes: covariance: expected shape (2, 2) or larger, got shape (2,)"),
        (
            lambda: evaluate_squares([(0, 0, 0)], [(0, 0)], side=1, wheel_separation=0.1),
            "UMBmark: expected at least one",
        ),
        (
            lambda: evaluate_squares([(0, 0, 0)] * 2, [(0, 0)], side=1, wheel_separation=0.1),
            "UMBmark: expected at least",
        ),
        (lambda: chi_square_quantile("a", 3), "share: expected a probability between 0 and 1, got 'a'"),
        (
            lambda: RangeModel(device="a", beams=np.zeros((1, 3)), walls=np.ones((1, 4)), range=0.0, sigma=0.1),
            "RangeModel of 'a': range: expected metres > 0, got 0.0",
        ),
    ],
)
def test_invalid_settings_are_refused(wrong: Any, message: str) -> None:
    with pytest.raises(PaddockError) as error:
        wrong()
    assert message in str(error.value)


def particles(**settings: Any) -> ParticleFilter:
    return ParticleFilter(TravelSensors(Odometry(0.1)), **settings)


def test_quantile_of_a_tiny_share_is_almost_zero() -> None:
    assert 0.0 <= chi_square_quantile(1e-300, 1) < 1e-300
