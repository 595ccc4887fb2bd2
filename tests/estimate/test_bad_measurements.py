"""Measurements that no filter can use are dropped and counted."""

from __future__ import annotations

import math

import numpy as np
import pytest

from estimate.driven import DT, SEPARATION, DrivenRobot
from paddock.core.errors import PaddockError
from paddock.estimate import EKF, CompassModel, FixModel, MotionNoise, Odometry, ParticleFilter, PoseFix, TravelSensors
from paddock.estimate.particle_cloud import summarise

START = np.diag([0.01, 0.01, 0.05]) ** 2


def build(kind: type[EKF] | type[ParticleFilter], robot: DrivenRobot, model: CompassModel | FixModel) -> object:
    travel = TravelSensors(Odometry(SEPARATION, pose=robot.pose, noise=MotionNoise(wheel=2e-5)))
    return kind(travel, [model], covariance=START)


@pytest.mark.parametrize("kind", [EKF, ParticleFilter])
def test_a_reading_that_is_not_a_number_is_dropped(kind: type[EKF] | type[ParticleFilter]) -> None:
    robot = DrivenRobot(seed=1)
    estimator = build(kind, robot, CompassModel(sigma=0.05, device="north"))
    for k, reading in enumerate((robot.pose.heading, math.nan, robot.pose.heading)):
        found = estimator.update(robot.observe(north=np.array([reading])), k * DT)  # type: ignore[attr-defined]
        assert math.dist(found.pose[:2], robot.pose[:2]) < 0.05
        assert found.covariance[0, 0] > 0
    assert estimator.not_finite == 1  # type: ignore[attr-defined]


@pytest.mark.parametrize("kind", [EKF, ParticleFilter])
def test_a_fix_from_the_future_is_dropped(kind: type[EKF] | type[ParticleFilter]) -> None:
    robot = DrivenRobot(seed=1)
    estimator = build(kind, robot, FixModel(lambda time: [PoseFix(time + 5.0, 9.0, 9.0, 0.0, START)]))
    found = estimator.update(robot.observe(), 0.0)  # type: ignore[attr-defined]
    assert math.dist(found.pose[:2], robot.pose[:2]) < 0.05
    assert (estimator.too_early, estimator.too_late) == (1, 0)  # type: ignore[attr-defined]


@pytest.mark.parametrize("kind", [EKF, ParticleFilter])
def test_a_fix_without_a_heading_tells_the_place(kind: type[EKF] | type[ParticleFilter]) -> None:
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


def test_particles_find_a_robot_that_was_carried_away_by_places_alone() -> None:
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
def test_no_particles_have_no_pose(poses: np.ndarray) -> None:
    with pytest.raises(PaddockError, match="at least one, with finite poses"):
        summarise(poses, np.ones(len(poses)), "robust")
