"""Tests of odometry: exact arcs, unwrapped joints and wheel errors."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

import paddock
from paddock.core.errors import PaddockError
from paddock.core.geometry import Pose, wrap
from paddock.perception.estimation import AngleUnwrapper, MotionNoise, Odometry, compass_bearing
from paddock.simulation.worlds.world_spec import RobotPlacement, WorldSpec


@pytest.fixture(scope="module")
def arena() -> paddock.Arena:
    robot = RobotPlacement(name="r", type="e-puck", at=(1.0, 1.0))
    arena = paddock.open(WorldSpec(name="odometry", bounds=(0, 0, 2, 2), robots=(robot,)))
    arena["r"].enable("encoders")
    return arena


steps = st.lists(st.tuples(st.floats(-0.5, 0.5), st.floats(-0.5, 0.5)), min_size=1, max_size=30)


@given(steps)
def test_odometry_matches_the_simulated_pose(arena: paddock.Arena, speeds: list[tuple[float, float]]) -> None:
    arena.reset()
    robot = arena["r"]
    odometry = Odometry(wheel_separation=robot.spec.drive.wheel_separation, pose=robot.pose)
    odometry.update(*robot.encoders.read())
    for left, right in speeds:
        robot.wheels.set(0.1 * left, 0.1 * right)
        arena.step()
        odometry.update(*robot.encoders.read())
    assert odometry.pose[:2] == pytest.approx(robot.pose[:2], abs=2e-3)  # encoders count whole steps
    assert abs(wrap(odometry.pose.heading - robot.pose.heading)) < 0.05


def test_wrong_wheel_size_scales_the_estimated_path() -> None:
    right_size, too_big = Odometry(wheel_separation=0.33), Odometry(wheel_separation=0.33, wheel_ratio=2.0)
    for odometry in (right_size, too_big):
        odometry.update(0.0, 0.0)
        odometry.update(1.0, 1.0)
    assert right_size.pose == Pose(1.0, 0.0, 0.0)
    assert too_big.pose == Pose(2.0, 0.0, 0.0)
    assert (right_size.distance, too_big.distance) == (1.0, 2.0)


def test_first_reading_sets_the_origin() -> None:
    odometry = Odometry(wheel_separation=0.3, pose=Pose(1.0, 2.0, 3.0))
    assert odometry.update(17.0, 23.0) == Pose(1.0, 2.0, 3.0)
    assert odometry.last_travel == (0.0, 0.0)


def test_quarter_circle_is_an_exact_arc() -> None:
    odometry = Odometry(wheel_separation=0.2)
    odometry.update_angles(0.0, 0.0, 0.1)
    inner, outer = 0.9 * math.pi / 2, 1.1 * math.pi / 2  # around a point 1 m to the left
    pose = odometry.update_angles(inner / 0.05, outer / 0.05, 0.1)
    assert pose == pytest.approx((1.0, 1.0, math.pi / 2))


def test_reset_restores_odometry_and_joints() -> None:
    odometry, joint = Odometry(wheel_separation=0.2), AngleUnwrapper()
    for travel in (5.0, 6.0):
        odometry.update(travel, 2 * travel)
        joint.update(travel)
    odometry.reset(Pose(1.0, 2.0, 3.0))
    joint.reset()
    assert odometry == Odometry(wheel_separation=0.2, pose=Pose(1.0, 2.0, 3.0))
    assert joint == AngleUnwrapper()


@given(st.lists(st.floats(-3.0, 3.0), max_size=50), st.floats(-9, 9))
def test_unwrapped_joint_counts_whole_turns(moves: list[float], first: float) -> None:
    joint = AngleUnwrapper()
    joint.update(wrap(first))
    true = 0.0
    for move in moves:
        true += move
        joint.update(wrap(first + true))
    assert joint.angle == pytest.approx(true, abs=1e-9)


@pytest.mark.parametrize(
    ("heading", "bearing"),
    [(0.0, 90.0), (math.pi / 4, 45.0), (math.pi / 2, 0.0), (math.pi, 270.0), (-math.pi / 2, 180.0)],
    ids=["east", "north-east", "north", "west", "south"],
)
def test_compass_bearing_is_clockwise_from_north(heading: float, bearing: float) -> None:
    assert compass_bearing(heading) == pytest.approx(bearing)


@given(st.floats(-10, 10))
def test_compass_bearing_is_between_0_and_360_degrees(heading: float) -> None:
    assert 0.0 <= compass_bearing(heading) < 360.0


def drive(odometry: Odometry, steps: list[tuple[float, float]]) -> Pose:
    left = right = 0.0
    odometry.update(left, right)
    for more_left, more_right in steps:
        left, right = left + more_left, right + more_right
        odometry.update(left, right)
    return odometry.pose


def test_published_form_uses_arc_length_as_chord() -> None:
    pose = drive(Odometry(wheel_separation=0.1, form="published"), [(0.1, 0.15)])
    assert pose == pytest.approx((0.125 * math.cos(0.25), 0.125 * math.sin(0.25), 0.5))
    assert math.hypot(*drive(Odometry(wheel_separation=0.1), [(0.1, 0.15)])[:2]) < math.hypot(*pose[:2])


def test_programmed_form_ignores_curvature_while_driving_straight() -> None:
    bent = [(0.001, 0.0011)] * 100
    programmed, published = (
        drive(Odometry(wheel_separation=0.053, form=form), bent) for form in ("programmed", "published")
    )
    assert programmed == pytest.approx((0.105, 0.0, 0.0))
    assert published.heading > 0.15


def test_programmed_form_counts_steps_of_both_wheels() -> None:
    quarter = math.pi / 2 * 0.053 / 2
    pose = drive(Odometry(wheel_separation=0.053, form="programmed"), [(-quarter, quarter), (0.2, 0.2), (-0.1, -0.1)])
    assert pose == pytest.approx((0.0, 0.3, math.pi / 2))  # backwards counts as forwards


def test_unequal_wheels_bend_the_estimated_path() -> None:
    odometry = Odometry(wheel_separation=0.1, wheel_ratio=0.5, right_to_left=1.02)
    drive(odometry, [(1.0, 1.0)])
    left, right = odometry.last_travel
    assert right / left == pytest.approx(1.02)
    assert (left + right) / 2 == pytest.approx(0.5)


def test_uncertainty_grows_with_distance_and_rounding_does_not_accumulate() -> None:
    noise = MotionNoise(wheel=1e-6)
    spreads = []
    for ticks in (100, 200):
        odometry = Odometry(wheel_separation=0.053, noise=noise)
        drive(odometry, [(0.002, 0.002)] * ticks)
        spreads.append(odometry.covariance)
    assert spreads[1][2, 2] == pytest.approx(2 * spreads[0][2, 2])
    assert spreads[1][1, 1] == pytest.approx(8 * spreads[0][1, 1], rel=0.02)  # across, with the third power
    counting = Odometry(wheel_separation=0.053, noise=MotionNoise(count=0.000129))
    drive(counting, [(0.002, 0.002)] * 100)
    assert math.sqrt(counting.covariance[2, 2]) == pytest.approx(math.sqrt(2 / 12) * 0.000129 / 0.053)


def test_unknown_form_is_refused() -> None:
    with pytest.raises(PaddockError, match=r"no form of odometry called 'programed' \(did you mean 'programmed'\?\)"):
        Odometry(wheel_separation=0.1, form="programed")  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["wheel_separation", "wheel_ratio", "right_to_left"])
@pytest.mark.parametrize("value", [0.0, -0.1, math.nan, math.inf, "a"])
def test_invalid_wheel_parameters_are_refused(name: str, value: object) -> None:
    with pytest.raises(PaddockError, match=f"Odometry: {name}: expected a finite number > 0, got"):
        Odometry(**{"wheel_separation": 0.1, name: value})  # type: ignore[arg-type]


def test_missing_reading_is_compensated_by_the_next() -> None:
    odometry = Odometry(wheel_separation=0.1)
    for travel in (0.0, 0.1, math.nan, 0.3):
        odometry.update(travel, travel)
    assert odometry.pose == Pose(pytest.approx(0.3), 0.0, 0.0)


def test_an_unknown_routine_is_refused_with_the_known_ones() -> None:
    odometry = Odometry(wheel_separation=0.053, form="programmed")
    odometry.update(0.0, 0.0)
    odometry.routine = "lef"  # type: ignore[assignment]
    with pytest.raises(paddock.UnknownName, match=r"no routine of odometry called 'lef' \(did you mean 'left'\?\)"):
        odometry.update(0.1, 0.1)
