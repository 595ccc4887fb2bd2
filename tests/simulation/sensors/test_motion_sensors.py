"""Compass, gyroscope and accelerometer readings for given motions."""

from __future__ import annotations

import math

import pytest

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
