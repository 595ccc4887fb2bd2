"""Compass, gyroscope and accelerometer readings for given motions."""

from __future__ import annotations

import math

import numpy as np
import pytest

import paddock
from paddock.core.rng import make_key, random_walk
from paddock.simulation.sensors.accelerometer import GRAVITY, AccelerometerSpec
from paddock.simulation.sensors.compass import CompassSpec
from paddock.simulation.sensors.gyroscope import GyroscopeSpec
from scenes import alone, puck

SENSORS = (CompassSpec(name="compass"), GyroscopeSpec(name="gyroscope"), AccelerometerSpec(name="accelerometer"))
WIDE = (-9.0, -9.0, 9.0, 9.0)


def test_compass_reads_the_heading():
    arena, robot = alone(*SENSORS, heading_deg=-170)
    assert robot.compass.read() == pytest.approx(math.radians(-170))
    robot.drive(0.0, -1.0)
    arena.step(50)
    assert robot.compass.read() == pytest.approx(math.radians(190) - 1.0)


@pytest.mark.parametrize("heading", [6.0, -4.0])
def test_heading_of_any_set_pose_is_wrapped(heading):
    _arena, robot = alone(*SENSORS)
    robot.set_pose(0, 0, heading)
    assert robot.compass.read() == pytest.approx(math.remainder(heading, 2 * math.pi))
    assert robot.pose.heading == robot.compass.read()


def test_noisy_compass_reading_is_wrapped():
    arena, robot = alone(CompassSpec(name="compass", noise=0.2), heading_deg=180, noise=True)
    for _ in range(50):
        arena.step()
        assert -math.pi < robot.compass.read() <= math.pi


def test_gyroscope_reads_the_turn_rate():
    arena, robot = alone(*SENSORS, bounds=WIDE)
    assert robot.gyroscope.read().tolist() == [0, 0, 0]
    robot.drive(0.2, -1.5)
    arena.step(10)
    assert robot.gyroscope.read().tolist() == pytest.approx([0, 0, -1.5])


def test_accelerometer_at_rest_reads_gravity_only():
    arena, robot = alone(*SENSORS)
    arena.step(5)
    assert robot.accelerometer.read().tolist() == [0, 0, GRAVITY]


def test_acceleration_is_positive_when_speeding_up_and_negative_when_braking():
    arena, robot = alone(robot=puck(*SENSORS, max_acceleration=1.5), bounds=WIDE)
    robot.wheels.set(0.6, 0.6)
    arena.step(5)
    assert robot.accelerometer.read().tolist() == pytest.approx([1.5, 0, GRAVITY])
    arena.step(30)
    assert robot.accelerometer.read().tolist() == pytest.approx([0, 0, GRAVITY], abs=1e-9)
    robot.stop()
    arena.step(3)
    assert robot.accelerometer.read()[0] == pytest.approx(-1.5)


@pytest.mark.parametrize("w", [2.0, -2.0])
def test_curve_gives_centripetal_acceleration(w):
    arena, robot = alone(*SENSORS, bounds=WIDE)
    robot.drive(0.4, w)
    arena.step(10)
    assert robot.accelerometer.read().tolist() == pytest.approx([0, 0.4 * w, GRAVITY], abs=1e-3)


def test_centripetal_acceleration_is_exact_at_long_ticks():
    arena, robot = alone(*SENSORS, bounds=WIDE, dt=0.2)
    robot.drive(0.4, 4.0)
    arena.step(10)
    assert robot.accelerometer.read()[1] == pytest.approx(1.6, rel=1e-6)


def test_collision_is_measured_as_deceleration():
    arena, robot = alone(*SENSORS, at=(1.9, 0))
    robot.wheels.set(0.5, 0.5)
    felt = min((arena.step(), float(robot.accelerometer.read()[0]))[1] for _ in range(12))
    assert felt < -5
    assert robot.gyroscope.read().tolist() == [0, 0, 0]


def test_bias_is_constant_and_differs_between_robots_seeds_and_axes():
    drawn = set()
    for seed in (1, 2):
        arena, robot = alone(GyroscopeSpec(name="gyroscope", bias=0.02), noise=True, seed=seed)
        before = robot.gyroscope.read()
        arena.step(500)
        assert tuple(robot.gyroscope.read()) == tuple(before)
        drawn |= set(before)
    assert len(drawn) == 6
    assert 0.0 < max(map(abs, drawn)) < 0.08  # four standard deviations


def test_bias_that_walks_is_a_function_of_the_tick():
    spec = GyroscopeSpec(name="gyroscope", bias=0.01, bias_walk=0.003)
    arena, robot = alone(spec, noise=True)
    seen = []
    for _ in range(130):
        seen.append(tuple(robot.gyroscope.read()))
        arena.step()
    later, same = alone(spec, noise=True)
    for tick in (1, 64, 65, 127, 128, 129):  # without reading those between
        later.step(tick - later.tick)
        assert tuple(same.gyroscope.read()) == seen[tick]
    assert len(set(seen)) == len(seen)


def test_without_noise_a_gyroscope_has_no_bias():
    arena, robot = alone(GyroscopeSpec(name="gyroscope", bias=0.5, bias_walk=0.5), noise=False)
    arena.step(100)
    assert tuple(robot.gyroscope.read()) == (0.0, 0.0, 0.0)


@paddock.kernel
def walk(seed, robot, steps):
    """Return the value of a robot's random walk after some steps."""
    return random_walk(make_key(seed, 0, robot, 0, 0), 0, steps)


def test_random_walk_has_independent_steps_of_unit_variance():
    walks = np.array([[walk(7, i, step) for step in range(41)] for i in range(4000)])
    assert (walks[:, 0] == 0.0).all()
    np.testing.assert_allclose(np.cov(np.diff(walks).T), np.eye(40), atol=0.09)
    np.testing.assert_allclose(np.diff(walks).mean(axis=0), 0.0, atol=0.06)


def test_random_walk_over_a_day_has_the_standard_deviation_of_its_duration():
    steps = 86_400 * 50
    ends = np.array([walk(3, i, steps) for i in range(2000)])
    assert ends.std() / math.sqrt(steps) == pytest.approx(1.0, abs=0.05)
    near = np.array([walk(3, i, steps + 25) for i in range(2000)])
    assert (near - ends).std() == pytest.approx(5.0, abs=0.25)
