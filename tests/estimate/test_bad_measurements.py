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


@pytest.mark.parametrize("poses", [np.empty((0, 3)), np.full((2, 3), np.nan)])
def test_no_particles_have_no_pose(poses: np.ndarray) -> None:
    with pytest.raises(PaddockError, match="at least one, with finite poses"):
        summarise(poses, np.ones(len(poses)), "robust")
