"""Drives move robots as their kinematics say, and refuse what they cannot do."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

import paddock
from paddock.core.observation import Command
from paddock.simulation.robots import AckermannDrive, MecanumDrive, OmniDrive, SkidDrive, load_robot
from paddock.simulation.worlds.world_spec import RobotPlacement, WorldSpec
from paddock.testing import serve

DT = 0.02


def field(robot: str, *, dt: float = DT, **drive: object) -> paddock.Arena:
    """Open a large empty world with one robot, without limits of acceleration."""
    spec = load_robot(robot)
    spec = replace(spec, drive=replace(spec.drive, max_acceleration=None, **drive))
    place = RobotPlacement(name="it", type=spec, at=(0, 0), noise=False)
    return paddock.open(WorldSpec(name="field", bounds=(-30, -30, 30, 30), robots=(place,), dt=dt), seed=1)


def end_of_twist(forward: float, sideways: float, angular: float, seconds: float) -> tuple[float, float]:
    """Return where a constant twist leads to, in closed form."""
    turn = angular * seconds
    s, c = math.sin(turn) / angular, (1 - math.cos(turn)) / angular
    return s * forward - c * sideways, c * forward + s * sideways


@pytest.mark.parametrize("robot", ["youbot", "kiwi"])
@pytest.mark.parametrize("twist", [(0.2, 0.15, 0.4), (0.0, 0.3, -0.2), (-0.1, -0.05, 0.9)])
def test_omnidirectional_robot_follows_its_twist_exactly(robot: str, twist: tuple[float, float, float]) -> None:
    arena = field(robot)
    arena["it"].move(*twist)
    arena.step(200)
    assert arena["it"].pose[:2] == pytest.approx(end_of_twist(*twist, 200 * DT), abs=1e-12)
    assert arena["it"].pose.heading == pytest.approx(math.remainder(twist[2] * 200 * DT, 2 * math.pi), abs=1e-12)


def test_mecanum_robot_moves_straight_to_the_left() -> None:
    arena = field("youbot")
    arena["it"].move(0.0, 0.25)
    arena.step(100)
    assert arena["it"].pose == pytest.approx((0.0, 0.5, 0.0), abs=1e-12)


def test_no_mecanum_wheel_exceeds_its_maximum_and_the_direction_stays() -> None:
    arena = field("youbot")
    drive = arena["it"].spec.drive
    arena["it"].move(0.6, 0.6, 1.0)
    arena.step(1)
    pose = arena["it"].pose
    assert pose.heading / DT == pytest.approx(drive.max_speed / (1.2 + drive.wheel_separation / 2))
    assert math.atan2(pose.y, pose.x) == pytest.approx(math.pi / 4 + pose.heading / 2)


def test_car_drives_the_circle_of_its_steering_angle() -> None:
    arena = field("f1tenth")
    car, angle, radius = arena["it"], 0.2, 0.33 / math.tan(0.2)
    car.steer(0.0, angle)
    arena.step(10)  # the wheels turn while it stands
    car.steer(1.0, angle)
    arena.step(300)
    turn = 300 * DT / radius
    assert car.pose[:2] == pytest.approx((radius * math.sin(turn), radius * (1 - math.cos(turn))), abs=1e-12)
    assert car.wheels.speeds.right / car.wheels.speeds.left == pytest.approx((radius + 0.125) / (radius - 0.125))


def test_ramp_of_the_steering_angle_matches_a_fine_integration() -> None:
    arena = field("f1tenth")
    rate, most = math.radians(183.3), math.radians(24)
    arena["it"].steer(2.0, 0.4)
    arena.step(25)
    steps = 500_000
    h = 25 * DT / steps
    ends = np.minimum((np.arange(steps) + 0.5) * h * rate, min(most, 0.4))
    reached = 0.4 / rate / DT  # the engine reaches the angle at the end of a tick
    whole = int(reached)
    late = (np.arange(steps) + 0.5) * h / DT
    last = (late >= whole) & (late < whole + 1)
    ends[last] = whole * DT * rate + (0.4 - whole * DT * rate) * (late[last] - whole)
    turns = 2.0 * h * np.tan(ends) / 0.33
    headings = np.concatenate(([0.0], np.cumsum(turns)[:-1])) + turns / 2
    x, y, heading = 2.0 * h * np.cos(headings).sum(), 2.0 * h * np.sin(headings).sum(), turns.sum()
    assert arena["it"].pose == pytest.approx((x, y, heading), abs=1e-8)


def test_twist_of_a_car_becomes_a_steering_angle_within_its_limit() -> None:
    arena = field("f1tenth", steering_rate_deg_s=1e5)
    car = arena["it"]
    for angular, expected in ((0.5, 0.5), (50.0, math.tan(math.radians(24)) / 0.33)):
        car.drive(1.0, angular)
        arena.step(1)  # within which the wheels turn
        before = car.pose.heading
        arena.step(10)
        assert (car.pose.heading - before) / (10 * DT) == pytest.approx(expected, abs=1e-9)


def test_skid_robot_turns_with_its_effective_separation() -> None:
    arena = field("jackal")
    arena["it"].wheels.set(-0.3, 0.3)
    arena.step(50)
    assert arena["it"].pose.heading == pytest.approx(0.6 / (0.37559 * 1.5), abs=1e-6)


def test_drives_refuse_what_they_cannot_do() -> None:
    car, puck = field("f1tenth")["it"], field("e-puck")["it"]
    with pytest.raises(paddock.DeviceRefused, match="a car cannot turn on the spot"):
        car.drive(0.0, 1.0)
    with pytest.raises(paddock.DeviceRefused, match="a differential drive cannot move sideways"):
        puck.move(0.1, 0.1)
    with pytest.raises(paddock.DeviceRefused, match="an ackermann drive cannot move sideways"):
        car.move(0.1, 0.1)
    with pytest.raises(paddock.DeviceRefused, match="a differential drive has no steered wheels"):
        puck.steer(0.1, 0.1)
    with pytest.raises(paddock.DeviceRefused, match="its commands are two numbers"):
        puck.wheels.set(0.1, 0.1, 0.1)
    with pytest.raises(paddock.PaddockError, match="finite"):
        car.steer(1.0, math.nan)


@pytest.mark.parametrize("kind", [SkidDrive, MecanumDrive, OmniDrive, AckermannDrive])
def test_files_of_drives_are_read_back(kind: type) -> None:
    name = {SkidDrive: "husky", MecanumDrive: "youbot", OmniDrive: "kiwi", AckermannDrive: "f1tenth"}[kind]
    spec = load_robot(name)
    assert isinstance(spec.drive, kind)
    assert type(spec).from_toml(spec.to_toml()) == spec


def test_unknown_drive_is_refused_with_the_known_ones() -> None:
    with pytest.raises(paddock.SpecError, match=r"unknown drive .tank.*differential"):
        paddock.simulation.robots.RobotSpec.from_table(
            {**load_robot("e-puck").to_table(), "drive": {"kind": "tank", "wheel_diameter": 0.1}}
        )


def test_controller_may_return_the_third_number() -> None:
    arena = field("youbot")
    arena.run(1.0, lambda seen: (0.1, 0.1, 0.2))
    assert arena["it"].pose == pytest.approx((0.1, 0.2, 0.0), abs=1e-9)
    arena.run(1.0, lambda seen: Command(wheels=(0.0, 0.0), third=-0.2))
    assert arena["it"].pose == pytest.approx((0.1, 0.0, 0.0), abs=1e-9)


@pytest.mark.parametrize("robot", ["youbot", "f1tenth"])
def test_run_over_the_network_equals_the_run_in_this_process(robot: str) -> None:
    def control(seen: paddock.Observation) -> tuple[float, float, float]:
        return 0.3, 0.35, 0.2 * math.sin(seen.time)

    here = field(robot)
    expected = here.run(2.0, control)
    with serve(here.world, seed=1) as server, paddock.connect(server.url(scheme="ws")) as arena:
        assert arena.run(2.0, control).digest == expected.digest


def test_third_number_survives_snapshot_and_reset() -> None:
    arena = field("f1tenth")
    arena["it"].steer(1.0, 0.3)
    arena.step(5)
    kept = arena.snapshot()
    arena.step(40)
    after = arena.digest()
    arena.restore(kept)
    arena.step(40)
    assert arena.digest() == after
