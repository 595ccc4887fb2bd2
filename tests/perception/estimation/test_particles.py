"""Tests of the particle filter: two peaks, kidnapping, delayed fixes and adaptive particle count."""

from __future__ import annotations

import math

import numpy as np
import pytest

from paddock.core.errors import PaddockError
from paddock.core.geometry import Pose, wrap
from paddock.perception.estimation import (
    EKF,
    FixModel,
    MotionNoise,
    Odometry,
    ParticleFilter,
    RangeModel,
    TravelSensors,
    normalised_error,
)
from paddock.perception.estimation.particle_cloud import draw_systematically, particles_needed, summarise
from perception.estimation.driven import DT, SEPARATION, DrivenRobot

ROOM = np.array([[0, 0, 2, 0], [2, 0, 2, 1], [2, 1, 0, 1], [0, 1, 0, 0], [1.2, 0.0, 1.2, 0.4]], float)
AREA = (0.0, 0.0, 2.0, 1.0)
BEAMS = np.array([[0.0, 0.0, 2 * math.pi * k / 8] for k in range(8)])


def sensors(robot: DrivenRobot, wheel: float = 2e-5) -> TravelSensors:
    return TravelSensors(Odometry(SEPARATION, pose=robot.pose, noise=MotionNoise(wheel=wheel)))


def ranger() -> RangeModel:
    return RangeModel(device="ranger", beams=BEAMS, walls=ROOM, range=3.0, sigma=0.02)


def look(robot: DrivenRobot, model: RangeModel) -> object:
    ranges = model.expect(np.array([robot.pose]))[0]
    return robot.observe(ranger=ranges + 0.01 * robot.random.normal(size=len(ranges)))


def wander(robot: DrivenRobot) -> None:
    """Drive on a circle of 0.15 m."""
    robot.step(0.05 * DT * (1 - SEPARATION / 0.3), 0.05 * DT * (1 + SEPARATION / 0.3))


def test_mean_fails_on_two_peaks_but_best_and_robust_do_not() -> None:
    random = np.random.default_rng(0)
    left, right = Pose(0.3, 0.5, 3.0), Pose(1.7, 0.5, -3.0)
    poses = np.concatenate([random.normal(peak, (0.02, 0.02, 0.05), (n, 3)) for peak, n in ((left, 600), (right, 400))])
    weights = np.full(1000, 1 / 1000)
    mean, wide = summarise(poses, weights, "mean")
    assert min(math.dist(mean[:2], peak[:2]) for peak in (left, right)) > 0.5  # where the robot never is
    assert abs(wrap(mean.heading - math.pi)) < 0.1  # not 0.6: headings are averaged on the circle
    for pick in ("best", "robust"):
        pose, narrow = summarise(poses, weights, pick)  # type: ignore[arg-type]
        assert math.dist(pose[:2], left[:2]) < 0.05
        assert abs(wrap(pose.heading - 3.0)) < 0.15
        assert np.trace(narrow) < 0.05 * np.trace(wide)


@pytest.mark.heavy
def test_symmetric_room_gives_two_peaks_that_only_robust_resolves() -> None:
    """An empty room looks the same when turned by 180°."""
    robot = DrivenRobot(4, Pose(0.5, 0.3, 0.4))
    model = RangeModel(device="ranger", beams=BEAMS, walls=ROOM[:4], range=3.0, sigma=0.02)
    found = {}
    for pick in ("mean", "robust"):
        robot = DrivenRobot(4, Pose(0.5, 0.3, 0.4))
        localiser = ParticleFilter(
            sensors(robot), [model], covariance=np.diag([0.02, 0.02, 0.1]) ** 2, particles=(1000, 1000), pick=pick
        )
        localiser.poses[::2] = np.array([2.0, 1.0, math.pi]) - localiser.poses[::2] * [1, 1, -1]
        for _ in range(10):
            wander(robot)
            found[pick] = localiser.update(look(robot, model), robot.time)
    x, y, _ = robot.pose
    peaks = [(x, y), (2 - x, 1 - y)]
    cloud = found["robust"].particles
    shares = [cloud[np.hypot(cloud[:, 0] - px, cloud[:, 1] - py) < 0.1, 3].sum() for px, py in peaks]
    assert min(shares) > 0.2
    assert min(math.dist(found["robust"].pose[:2], peak) for peak in peaks) < 0.03
    assert min(math.dist(found["mean"].pose[:2], peak) for peak in peaks) > 0.3


@pytest.mark.heavy
def test_global_localisation_converges_and_recovers_from_kidnapping() -> None:
    robot, model = DrivenRobot(7, Pose(0.6, 0.6, 1.0)), ranger()
    localiser = ParticleFilter(sensors(robot, 5e-4), [model], seed=3, area=AREA, particles=(300, 3000))
    most = 0
    for place in (Pose(0.6, 0.6, 1.0), Pose(1.6, 0.3, -2.0)):
        robot.pose = place
        for _ in range(120):
            wander(robot)
            estimate = localiser.update(look(robot, model), robot.time)
            most = max(most, len(localiser.poses))
        assert math.dist(estimate.pose[:2], robot.pose[:2]) < 0.03
        assert abs(wrap(estimate.pose.heading - robot.pose.heading)) < 0.1
    assert len(localiser.poses) < 0.5 * most  # few are enough once it knows


@pytest.mark.heavy
def test_delayed_fixes_are_compared_with_past_particles() -> None:
    robot = DrivenRobot(2)
    source = FixModel(lambda _: [robot.fix(4)] if robot.tick % 5 == 0 and robot.tick > 4 else [])
    spread = np.diag([0.02, 0.02, 0.2]) ** 2
    particles = ParticleFilter(sensors(robot), [source], covariance=spread, particles=(500, 1000))
    kalman = EKF(TravelSensors(Odometry(SEPARATION, pose=robot.pose, noise=MotionNoise(wheel=2e-5))), [source])
    kalman.reset(robot.pose, spread)
    for localiser in (particles, kalman):
        localiser.update(robot.observe(), robot.time)
    errors = []
    for _ in range(300):
        robot.curve()
        seen = robot.observe()
        found = [localiser.update(seen, robot.time) for localiser in (particles, kalman)]
        errors.append([math.dist(estimate.pose[:2], robot.pose[:2]) for estimate in found])
    mean = np.mean(errors[50:], axis=0)
    assert mean[0] < 0.002
    assert mean[0] < 1.6 * mean[1]  # about as good as the Kalman filter, which is the best there is for this
    assert normalised_error(particles.estimate, robot.pose) < 20


def test_estimates_are_deterministic_per_seed() -> None:
    def last(seed: int) -> Pose:
        robot, model = DrivenRobot(7, Pose(0.6, 0.6, 1.0)), ranger()
        localiser = ParticleFilter(sensors(robot), [model], seed=seed, area=AREA, particles=(50, 200))
        for _ in range(5):
            wander(robot)
            localiser.update(look(robot, model), robot.time)
        return localiser.estimate.pose

    assert last(1) == last(1)
    assert last(1) != last(2)


def test_systematic_resampling_follows_the_weights() -> None:
    weights = np.array([0.1, 0.0, 0.55, 0.35])
    chosen = np.empty(100, np.int64)
    draw_systematically(weights, 0.3, chosen)
    assert np.bincount(chosen, minlength=4) == pytest.approx(100 * weights, abs=1)


def test_more_cells_need_more_particles() -> None:
    counts = [particles_needed(cells, 0.05, 2.33) for cells in (1, 2, 10, 100)]
    assert counts == sorted(counts)
    assert counts[2] == pytest.approx(216, abs=2)  # χ²(0.99) with 9 degrees of freedom is 21.67, over 2 · 0.05


def test_invalid_arguments_are_refused_by_name() -> None:
    robot = DrivenRobot(0)
    with pytest.raises(PaddockError, match="particles: expected 1 <= fewest <= most"):
        ParticleFilter(sensors(robot), particles=(10, 5))
    with pytest.raises(PaddockError, match=r"no pick of a particle filter called 'bset' \(did you mean 'best'\?\)"):
        ParticleFilter(sensors(robot), pick="bset")  # type: ignore[arg-type]
