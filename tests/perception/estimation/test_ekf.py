"""Tests of the EKF: consistency, outliers, delayed and missing fixes, Jacobians."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from paddock.core.errors import PaddockError
from paddock.core.geometry import Pose
from paddock.perception.estimation import (
    EKF,
    CompassModel,
    FixModel,
    MotionNoise,
    Odometry,
    PoseFix,
    RangeModel,
    TravelSensors,
    consistency_band,
    innovation_share,
    normalised_error,
)
from paddock.perception.estimation.odometry import roll, roll_jacobians
from perception.estimation.driven import DT, FIX_SIGMAS, SEPARATION, DrivenRobot

START = np.diag([0.005, 0.005, 0.05]) ** 2
ROOM = np.array([[0, 0, 2, 0], [2, 0, 2, 1], [2, 1, 0, 1], [0, 1, 0, 0], [1.0, 0.2, 1.3, 0.6]], float)
small = st.floats(-0.02, 0.02)


def sensors(robot: DrivenRobot, **options: object) -> TravelSensors:
    noise = MotionNoise(wheel=robot.wheel, count=robot.count)
    return TravelSensors(Odometry(SEPARATION, pose=robot.pose, noise=noise), **options)  # type: ignore[arg-type]


def start_somewhere_near(ekf: EKF, robot: DrivenRobot) -> None:
    off = robot.random.multivariate_normal(np.zeros(3), START)
    ekf.reset(Pose(*(np.array(robot.pose) + off).tolist()), START)


@given(st.floats(-3, 3), small, small, st.booleans())
def test_motion_jacobians_match_finite_differences(heading: float, left: float, right: float, exact: bool) -> None:
    by_pose, by_travel = roll_jacobians(heading, left, right, SEPARATION, exact=exact)

    def moved(numbers: np.ndarray) -> np.ndarray:
        x, y, theta, r, l_, unseen = numbers
        half = unseen * SEPARATION / 2  # a turn that no wheel saw, as if both had
        return np.array(roll(Pose(x, y, theta), l_ - half, r + half, SEPARATION, exact=exact))

    at = np.array([0.3, 0.2, heading, right, left, 0.0])
    step = 1e-6
    numeric = np.stack([(moved(at + step * e) - moved(at - step * e)) / (2 * step) for e in np.eye(6)], axis=1)
    numeric[2] = np.round(numeric[2], 6)  # no wrapped heading in between
    assert by_pose == pytest.approx(numeric[:, :3], abs=1e-6)
    # A turn that no wheel saw leaves the chord as it is; one by the wheels shortens an exact chord a little.
    assert by_travel[:, :2] == pytest.approx(numeric[:, 3:5], abs=1e-5)
    assert by_travel[:, 2] == pytest.approx(numeric[:, 5], abs=2e-3)


@pytest.mark.parametrize("opening", [0.0, 0.5], ids=["rays", "cones"])
@given(x=st.floats(0.1, 0.9), y=st.floats(0.1, 0.9), heading=st.floats(-3, 3))
def test_range_jacobians_match_finite_differences(opening: float, x: float, y: float, heading: float) -> None:
    beams = np.array([[0.03, 0.01, 0.3], [0.0, 0.03, 1.57], [-0.03, 0.01, 2.6], [0.0, -0.03, -1.57]])
    model = RangeModel(device="sonar", beams=beams, walls=ROOM, range=3.0, sigma=0.01, opening=opening)
    pose, step = np.array([x, y, heading]), 1e-6
    around = np.array([pose + s * step * e for e in np.eye(3) for s in (1, -1)])
    ranges = model.expect(around)
    numeric = ((ranges[::2] - ranges[1::2]) / (2 * step)).T
    curved = np.abs(ranges[::2] + ranges[1::2] - 2 * model.expect(pose[None])).max(axis=0) > 1e-9  # at an edge
    assert model.slopes(Pose(x, y, heading))[~curved] == pytest.approx(numeric[~curved], rel=1e-3, abs=1e-3)
    assert model.expect(pose[None]).min() > 0


def drive(ekf: EKF, robot: DrivenRobot, ticks: int) -> list[float]:
    errors = []
    ekf.update(robot.observe(), robot.time)
    for _ in range(ticks):
        robot.curve()
        errors.append(normalised_error(ekf.update(robot.observe(), robot.time), robot.pose))
    return errors


def make_camera(
    robot: DrivenRobot, *, late: int = 4, every: int = 5, dropped: float = 0.2, outliers: float = 0.0
) -> FixModel:
    """Return a model of ten fixes per second with 80 ms delay, losses and outliers."""

    def source(time: float) -> Iterable[PoseFix]:
        if robot.tick % every == 0 and robot.tick > late and robot.random.random() >= dropped:
            fix = robot.fix(late)
            if robot.random.random() < outliers:
                x, y, heading = robot.random.uniform((0, 0, -3), (2, 1, 3)).tolist()
                fix = PoseFix(fix.time_of_exposure, x, y, heading, fix.covariance)
            yield fix

    return FixModel(source)


def runs(count: int, kind: str) -> np.ndarray:
    """Return the NEES per tick of several runs, shape (run, tick)."""
    found = []
    for seed in range(count):
        robot = DrivenRobot(seed, count=0.000129 if kind == "counts" else 0.0)
        models = {"camera": [make_camera(robot)], "compass": [CompassModel(sigma=0.05)]}.get(kind, [])
        gyro = {"gyroscope": "gyroscope", "gyroscope_sigma": 0.01} if kind == "gyroscope" else {}
        ekf = EKF(sensors(robot, **gyro), models)
        start_somewhere_near(ekf, robot)
        found.append(drive(ekf, robot, 150))
    return np.array(found)


@pytest.mark.parametrize("kind", ["encoders", "counts", "gyroscope", "compass", "camera"])
def test_filter_is_consistent(kind: str) -> None:
    mean = runs(20, kind).mean(axis=0)
    band = consistency_band(20)
    assert (round(band.low, 2), round(band.high, 2)) == (2.02, 4.16)
    assert band.share_inside(mean) > 0.8, mean[::15]
    assert abs(mean.mean() - 3) < 0.8


def test_delayed_fix_gives_the_same_estimate_as_a_prompt_one() -> None:
    prompt, late = DrivenRobot(3), DrivenRobot(3)
    filters = [EKF(sensors(robot), covariance=START) for robot in (prompt, late)]
    for robot, ekf in zip((prompt, late), filters, strict=True):
        ekf.update(robot.observe(), 0.0)
    kept = None
    for tick in range(1, 21):
        for robot, ekf in zip((prompt, late), filters, strict=True):
            robot.curve()
            fixes = []
            if tick == 10:
                fix = robot.fix()
                fixes, kept = ([fix], kept) if ekf is filters[0] else ([], fix)
            elif tick == 20 and ekf is filters[1]:
                fixes = [kept]
            ekf.models = [FixModel(lambda _, fixes=fixes: fixes)]
            ekf.update(robot.observe(), robot.time)
    assert filters[1].estimate.pose == pytest.approx(filters[0].estimate.pose, abs=1e-12)
    assert filters[1].estimate.covariance == pytest.approx(filters[0].estimate.covariance, abs=1e-15)


def test_fix_between_two_ticks_is_interpolated() -> None:
    robot = DrivenRobot(1, wheel=1e-9)
    ekf = EKF(sensors(robot))
    drive(ekf, robot, 5)
    before = ekf.estimate.pose
    x, y, heading = ((a + b) / 2 for a, b in zip(robot.poses[3], robot.poses[4], strict=True))
    ekf.models = [FixModel(lambda _: [PoseFix(3.5 * DT, x, y, heading, np.diag(FIX_SIGMAS**2))])]
    ekf.update(robot.observe(), robot.time)
    assert ekf.innovations[-1].nis < 0.1
    assert ekf.estimate.pose == pytest.approx(before, abs=1e-4)


def test_outliers_are_rejected_by_the_gate() -> None:
    robot = DrivenRobot(5)
    ekf = EKF(sensors(robot), [make_camera(robot, outliers=0.2)], covariance=START)
    errors = drive(ekf, robot, 600)
    refused = [step for step in ekf.innovations if not step.accepted]
    assert 5 < len(refused) < 40
    assert np.mean(np.array(errors) < 9.35) > 0.9
    assert innovation_share(ekf.innovations) > 0.85
    assert ekf.restarts == 0


@pytest.mark.parametrize("outliers", [1.0, 0.8])
def test_continuous_outliers_never_cause_a_restart(outliers: float) -> None:
    for seed in range(3):
        robot = DrivenRobot(seed)
        ekf = EKF(sensors(robot), [make_camera(robot, outliers=outliers)], covariance=START)
        drive(ekf, robot, 1000)
        assert ekf.restarts == 0
        assert math.dist(ekf.estimate.pose[:2], robot.pose[:2]) < 0.1  # as good as wheels are


@pytest.mark.parametrize(
    ("every", "outliers", "ticks"),
    [(5, 0.0, 200), (5, 0.25, 500), (75, 0.0, 1500)],
    ids=["often", "outliers", "seldom"],
)
def test_ekf_recovers_from_kidnapping_by_consistent_fixes(every: int, outliers: float, ticks: int) -> None:
    robot = DrivenRobot(5)
    ekf = EKF(sensors(robot), [make_camera(robot, every=every, outliers=outliers)], covariance=START)
    drive(ekf, robot, 100)
    robot.pose = Pose(1.5, 0.2, -2.0)
    drive(ekf, robot, ticks)
    assert ekf.restarts == 1
    assert math.dist(ekf.estimate.pose[:2], robot.pose[:2]) < 0.02


def test_ranges_to_known_walls_limit_drift() -> None:
    robot = DrivenRobot(2, wheel=2e-5)
    beams = np.array([[0.0, 0.0, angle] for angle in (0.0, 1.6, 3.1, -1.6)])
    model = RangeModel(device="ranger", beams=beams, walls=ROOM[:4], range=3.0, sigma=0.005)
    seeing, blind = EKF(sensors(robot), [model], covariance=START), EKF(sensors(robot), covariance=START)
    for _ in range(400):
        robot.curve()
        ranges = model.expect(np.array([robot.pose]))[0] + 0.005 * robot.random.normal(size=4)
        seen = robot.observe(ranger=ranges)
        for ekf in (seeing, blind):  # the first look is where counting begins
            ekf.update(seen, robot.time)
    assert math.dist(seeing.estimate.pose[:2], robot.pose[:2]) < 0.01
    assert np.trace(seeing.estimate.covariance) < 0.02 * np.trace(blind.estimate.covariance)


def test_future_and_outdated_fixes_are_counted_separately() -> None:
    robot = DrivenRobot(0)
    ekf = EKF(sensors(robot))
    drive(ekf, robot, 100)
    ekf.models = [FixModel(lambda _: [robot.fix(90)])]
    ekf.update(robot.observe(), robot.time)
    assert ekf.too_late == 1
    future = PoseFix(robot.time + 0.5, *robot.pose, np.eye(3))
    ekf.models = [FixModel(lambda _: [future])]
    ekf.update(robot.observe(), robot.time)
    assert (ekf.too_late, ekf.too_early) == (1, 1)


def test_invalid_arguments_are_refused_by_name() -> None:
    with pytest.raises(PaddockError, match="PoseFix: covariance: expected a symmetric matrix"):
        PoseFix(0.0, 0.0, 0.0, 0.0, np.diag([1.0, -1.0, 1.0]))
    with pytest.raises(PaddockError, match="RangeModel of 'sonar': walls: expected rows of 4 numbers"):
        RangeModel(device="sonar", beams=np.zeros((1, 3)), walls=np.zeros((2, 3)), range=1.0, sigma=0.01)
    with pytest.raises(PaddockError, match="MotionNoise: slip: expected a finite number >= 0"):
        MotionNoise(slip=-1.0)
    with pytest.raises(PaddockError, match="PoseFix: expected finite numbers"):
        PoseFix(0.0, 0.0, math.nan, 0.0, np.eye(3))
    with pytest.raises(PaddockError, match="EKF: restart_after: expected a number of fixes >= 1"):
        EKF(TravelSensors(Odometry(0.05)), restart_after=0)
    with pytest.raises(PaddockError, match="EKF: gate: expected a probability"):
        EKF(TravelSensors(Odometry(0.05)), gate=1.5)
