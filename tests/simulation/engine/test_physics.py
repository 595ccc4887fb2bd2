"""Physics with closed-form solutions."""

from __future__ import annotations

import math

import numpy as np
import pytest

import paddock
from paddock.arena import Arena, Robot
from paddock.simulation.sensors.encoders import EncodersSpec
from paddock.simulation.worlds.world_spec import RobotPlacement
from scenes import alone, puck, world

FIELD = (-20.0, -20.0, 20.0, 20.0)
COUNTER = EncodersSpec(name="encoders", scale=1000 / (math.pi * 0.04), resolution=1)


def test_equal_wheel_speeds_drive_a_straight_line():
    arena, robot = alone(robot=puck(), bounds=FIELD, heading_deg=30)
    robot.wheels.set(0.5, 0.5)
    arena.step(1000)
    assert robot.pose.x == pytest.approx(10 * math.cos(math.radians(30)), abs=1e-9)
    assert robot.pose.y == pytest.approx(10 * math.sin(math.radians(30)), abs=1e-9)
    assert robot.pose.heading == pytest.approx(math.radians(30), abs=1e-12)


@pytest.mark.parametrize(("v", "w"), [(0.3, 1.0), (0.5, -2.0), (-0.2, 0.7), (0.1, 6.0)])
def test_circle_radius_is_linear_over_angular_speed(v, w):
    arena, robot = alone(robot=puck(), bounds=FIELD)
    robot.drive(v, w)
    for _ in range(200):
        arena.step()
        assert math.hypot(robot.pose.x, robot.pose.y - v / w) == pytest.approx(abs(v / w), abs=1e-9)


@pytest.mark.parametrize("ticks", [4, 37, 500])
def test_one_full_turn_returns_to_the_start(ticks):
    arena, robot = alone(robot=puck(), bounds=FIELD)
    robot.drive(0.4 * min(1.0, 100 / ticks), 0.0)
    w = 2 * math.pi / (ticks * arena.dt)
    v = 0.5 * (1.0 - min(w * 0.05, 0.9))
    left, right = v - w * 0.05, v + w * 0.05
    scale = min(1.0, 1.0 / max(abs(left), abs(right)))
    if scale < 1.0:
        arena, robot = alone(robot=puck(max_speed=20.0), bounds=FIELD)
    robot.wheels.set(left, right)
    arena.step(ticks)
    assert robot.pose == pytest.approx((0.0, 0.0, 0.0), abs=1e-9)


def test_turning_on_the_spot_keeps_the_position():
    arena, robot = alone(robot=puck(), bounds=FIELD)
    robot.drive(0.0, 3.0)
    arena.step(777)
    assert robot.pose.x == robot.pose.y == 0.0
    assert math.cos(robot.pose.heading - 3.0 * 777 * 0.02) == pytest.approx(1.0)


def drive_square(arena: Arena, robot: Robot, side: float, clockwise: bool) -> None:
    """Drive the UMBmark square (Borenstein and Feng 1996): four legs and quarter turns, by wheel counts alone."""
    wheel_separation, dt = robot.spec.drive.wheel_separation, arena.dt
    leg, quarter = round(side / 0.5 / dt), 50
    turn = wheel_separation * math.pi / 4 / (quarter * dt) * (-1 if clockwise else 1)
    for _ in range(4):
        robot.wheels.set(side / (leg * dt), side / (leg * dt))
        arena.step(leg)
        robot.wheels.set(-turn, turn)
        arena.step(quarter)


@pytest.mark.parametrize("clockwise", [False, True])
@pytest.mark.parametrize("error", [0.0006, -0.0006])
def test_wheel_diameter_error_bends_the_umbmark_square_as_predicted(clockwise, error):
    side, wheel_separation = 4.0, 0.3
    arena, robot = alone(
        robot=puck(wheel_separation=wheel_separation),
        bounds=FIELD,
        placed_with={"wheel_diameter_error": (-error / 2, error / 2)},
    )
    drive_square(arena, robot, side, clockwise)
    # Every leg bends by beta, so leg i points (i + 1/2) beta too far to the left on average; the legs add up.
    beta = side * error / wheel_separation
    sign = -1 if clockwise else 1
    x = sum(-side * (i + 0.5) * beta * math.sin(sign * i * math.pi / 2) for i in range(4))
    y = sum(side * (i + 0.5) * beta * math.cos(sign * i * math.pi / 2) for i in range(4))
    assert abs(x) == pytest.approx(2 * side * abs(beta))
    assert abs(y) == pytest.approx(2 * side * abs(beta))
    assert robot.pose.x == pytest.approx(x, rel=0.05)
    assert robot.pose.y == pytest.approx(y, rel=0.05)
    assert robot.pose.heading == pytest.approx(4 * beta, rel=1e-6)


@pytest.mark.parametrize("clockwise", [False, True])
def test_umbmark_square_closes_without_errors(clockwise):
    arena, robot = alone(robot=puck(wheel_separation=0.3), bounds=FIELD)
    drive_square(arena, robot, 4.0, clockwise)
    assert robot.pose == pytest.approx((0.0, 0.0, 0.0), abs=1e-9)


@pytest.mark.parametrize("error", [0.02, -0.05])
def test_wheel_separation_error_gives_the_predicted_heading_error(error):
    arena, robot = alone(robot=puck(), bounds=FIELD, placed_with={"wheel_separation_error": error})
    robot.drive(0.2, 1.0)
    arena.step(100)
    assert robot.pose.heading == pytest.approx(2.0 / (1 + error), rel=1e-9)


def test_encoders_count_the_rim_distance_within_one_count():
    arena, robot = alone(COUNTER, bounds=FIELD, noise=True)
    rng = np.random.default_rng(5)
    rims = np.zeros(2)
    for _ in range(300):
        wanted = rng.uniform(-1.5, 1.5, 2)
        robot.wheels.set(*wanted)
        arena.step()
        rims += np.clip(wanted, -1, 1) * arena.dt
        counts = rims * COUNTER.scale
        assert np.abs(robot.encoders.raw() - counts).max() <= 1
        assert np.abs(robot.encoders.read() - rims).max() <= 1 / COUNTER.scale
    assert (robot.encoders.raw() == np.round(robot.encoders.raw())).all()


def test_encoders_are_independent_of_wheel_diameter_errors():
    arena, robot = alone(COUNTER, bounds=FIELD, placed_with={"wheel_diameter_error": (0.1, 0.1)})
    robot.wheels.set(0.5, 0.5)
    arena.step(100)
    assert robot.pose.x == pytest.approx(1.1)
    assert robot.encoders.read().tolist() == pytest.approx([1.0, 1.0], abs=1 / COUNTER.scale)


def test_wheel_commands_are_capped_at_the_maximum_speed():
    arena, robot = alone(robot=puck(max_speed=0.3), bounds=FIELD)
    robot.wheels.set(7.0, 0.3)
    arena.step(50)
    assert robot.wheels.speeds == (0.3, 0.3)
    assert robot.pose.x == pytest.approx(0.3)
    robot.drive(0.3, 4.0)  # too much for the right wheel: slower on the same curve
    arena.step()
    assert max(robot.wheels.speeds) == pytest.approx(0.3)
    assert (robot.wheels.speeds.right - robot.wheels.speeds.left) / 0.1 / (
        sum(robot.wheels.speeds) / 2
    ) == pytest.approx(4 / 0.3)


def test_acceleration_limit_ramps_the_speed():
    arena, robot = alone(robot=puck(max_acceleration=2.0), bounds=FIELD)
    robot.wheels.set(1.0, 1.0)
    for tick in range(1, 40):
        arena.step()
        assert robot.wheels.speeds.left == pytest.approx(min(1.0, tick * 2.0 * arena.dt))
    robot.wheels.set(-1.0, -1.0)
    arena.step(25)
    assert robot.wheels.speeds.left == pytest.approx(0.0, abs=1e-12)


def test_stepper_motors_turn_at_whole_steps_per_second():
    arena, robot = alone(robot=puck(steps_per_turn=1000), bounds=FIELD)
    step = math.pi * 0.04 / 1000
    for wanted in (0.0, 0.4 * step, 0.6 * step, 0.1, -0.3333):
        robot.wheels.set(wanted, wanted)
        arena.step()
        assert robot.wheels.speeds.left == pytest.approx(round(wanted / step) * step, abs=1e-15)


def test_rounding_to_motor_steps_never_exceeds_the_maximum_speed():
    arena, robot = alone(robot=puck(steps_per_turn=1000, max_speed=0.1288), bounds=FIELD)
    robot.wheels.set(1.0, -1.0)
    arena.step()
    assert max(abs(speed) for speed in robot.wheels.speeds) <= 0.1288


def test_slip_has_the_specified_mean_and_spread():
    slip, speed, count = 0.1, 0.5, 600
    arena, robot = alone(robot=puck(slip_noise=slip), bounds=FIELD, noise=True)
    ends = np.empty((count, 3))
    for seed in range(count):
        arena.reset(seed)
        robot.wheels.set(speed, speed)
        arena.step()
        ends[seed] = robot.pose
    travel = speed * arena.dt
    assert ends[:, 0].mean() == pytest.approx(travel, abs=4 * travel * slip / math.sqrt(2 * count))
    assert ends[:, 0].std() == pytest.approx(travel * slip / math.sqrt(2), rel=0.12)
    assert ends[:, 2].mean() == pytest.approx(0.0, abs=4 * travel * slip * math.sqrt(2 / count) / 0.1)
    assert ends[:, 2].std() == pytest.approx(travel * slip * math.sqrt(2) / 0.1, rel=0.12)


def test_slip_is_independent_per_tick_and_robot():
    kind = puck(slip_noise=0.1)
    arena = paddock.open(
        world(
            RobotPlacement(name="a", type=kind, at=(0, 0)), RobotPlacement(name="b", type=kind, at=(0, 1)), bounds=FIELD
        )
    )
    travels = []
    for _ in range(50):
        before = arena.poses
        for name in "ab":
            arena[name].wheels.set(0.5, 0.5)
        arena.step()
        travels += np.hypot(*(arena.poses - before)[:, :2].T).tolist()
    assert len(set(travels)) == len(travels)


def test_robot_without_noise_does_not_slip():
    arena, robot = alone(robot=puck(slip_noise=0.5), bounds=FIELD)
    robot.wheels.set(0.5, 0.5)
    arena.step(100)
    assert robot.pose.x == pytest.approx(1.0, abs=1e-12)


@pytest.mark.parametrize("dt", [0.001, 0.01, 0.05, 0.2])
def test_tick_length_does_not_change_the_path(dt):
    arena, robot = alone(robot=puck(), bounds=FIELD, dt=dt)
    robot.drive(0.4, 0.8)
    arena.run(2.0)
    radius = 0.4 / 0.8
    assert robot.pose == pytest.approx((radius * math.sin(1.6), radius * (1 - math.cos(1.6)), 1.6), abs=1e-9)
