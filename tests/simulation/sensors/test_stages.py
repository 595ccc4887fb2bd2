"""Stages between physics and a reading: response, noise, rounding, rate, delay, pivots and polling."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import paddock
from paddock.simulation.sensors.compass import CompassSpec
from paddock.simulation.sensors.encoders import EncodersSpec
from paddock.simulation.sensors.position import PositionSpec
from paddock.simulation.sensors.proximity import ProximitySpec
from paddock.simulation.sensors.sensor_spec import Pivot
from paddock.simulation.sensors.sonar import SonarSpec
from scenes import alone, puck

FALLING = ((0.0, 4000.0), (0.1, 1000.0), (0.4, 100.0), (1.0, 100.0))
AHEAD = ((0.05, 0.0, 0.02, 0.0),)


def test_noise_may_differ_between_values():
    spec = PositionSpec(name="tracker", noise=0.1, noise_factors=(0.0, 1.0, 3.0))
    arena, robot = alone(spec, at=(1.0, 0.5), noise=True)
    errors = []
    for _ in range(400):
        arena.step()
        errors.append(np.subtract(robot.tracker.read(), robot.pose))
    deviations = np.std(errors, axis=0)
    assert deviations[0] == 0
    assert deviations[1:] == pytest.approx([0.1, 0.3], rel=0.2)


def test_wrong_number_of_noise_factors_is_refused():
    with pytest.raises(paddock.SpecError, match="noise_factors: expected 3 numbers, one for each value, got 2"):
        PositionSpec(name="tracker", noise_factors=(1, 2))


@settings(max_examples=80)
@given(st.floats(0.001, 0.99))
def test_response_table_is_linear_between_its_rows(distance):
    spec = ProximitySpec(name="p", mounts=AHEAD, range=1.0, response=FALLING)
    _arena, robot = alone(spec, at=(1.95 - distance, 0))
    ideal, hardware = zip(*FALLING, strict=True)
    assert robot.p.raw() == pytest.approx(np.interp(distance, ideal, hardware), abs=1e-6)


@settings(max_examples=80)
@given(st.floats(0.001, 0.99))
def test_read_inverts_the_response_where_it_is_invertible(distance):
    spec = ProximitySpec(name="p", mounts=AHEAD, range=1.0, response=FALLING)
    _arena, robot = alone(spec, at=(1.95 - distance, 0))
    assert robot.p.read() == pytest.approx(min(distance, 0.4), abs=1e-9)


def test_rounding_is_to_the_nearest_multiple_within_the_table():
    spec = ProximitySpec(name="p", mounts=AHEAD, range=1.0, response=((0.0, 10.4), (1.0, 0.0)), resolution=4.0)
    _arena, robot = alone(spec, at=(1.95, 0))
    assert robot.p.raw() == 10.4  # 12 is beyond the table
    robot.set_pose(1.95 - 0.5, 0)
    assert robot.p.raw() == 4.0


def test_no_detection_has_its_own_values():
    _arena, robot = alone(
        SonarSpec(name="sonar", range=1.0, cone_deg=20, nothing_seen=7.0, scale=100),
        ProximitySpec(name="p", range=0.5, response=FALLING, noise=5.0),
        ProximitySpec(name="plain", range=0.5, scale=1000),
    )
    assert (robot.sonar.read(), robot.sonar.raw()) == (7.0, 700.0)
    assert (robot.p.read(), robot.p.raw()) == (0.5, 0.0)
    assert (robot.plain.read(), robot.plain.raw()) == (0.5, 500.0)


def test_noise_has_the_specified_mean_and_spread():
    arena, robot = alone(
        CompassSpec(name="absolute", noise=0.05),
        ProximitySpec(name="relative", mounts=AHEAD, range=2.0, noise_relative=0.1),
        ProximitySpec(name="tabled", mounts=AHEAD, range=2.0, response=((0.0, 0.0, 0.0), (2.0, 2000.0, 0.2))),
        heading_deg=0, at=(0.95, 0), noise=True,
    )  # fmt: skip
    found = np.array(
        [(arena.step(), robot.absolute.read(), robot.relative.read(), robot.tabled.raw())[1:] for _ in range(2000)]
    )
    mean, sigma = np.array([0.0, 1.0, 1000.0]), np.array([0.05, 0.1, 100.0])
    assert (np.abs(found.mean(axis=0) - mean) < 4 * sigma / math.sqrt(2000)).all()
    assert found.std(axis=0) == pytest.approx(sigma, rel=0.08)


@pytest.mark.parametrize(("scale", "noise"), [(None, 0.05), (1000.0, 50.0)])
def test_noisy_distance_is_never_negative(scale, noise):
    near = SonarSpec(name="sonar", mounts=AHEAD, cone_deg=10, range=2.0, noise=noise, scale=scale)
    arena, robot = alone(near, heading_deg=0, at=(1.93, 0), noise=True)
    found = np.array(
        [(arena.step(), robot.sonar.read() if scale is None else robot.sonar.raw())[1] for _ in range(200)]
    )
    assert found.min() == 0
    assert found.max() > noise


def test_channels_have_independent_noise():
    arena, robot = alone(PositionSpec(name="position", noise=0.1), noise=True)
    found = np.array([(arena.step(), robot.position.read())[1] for _ in range(1500)])
    assert np.abs(np.corrcoef(found.T) - np.eye(3)).max() < 0.1


def test_noise_can_be_switched_off_per_robot():
    _arena, robot = alone(CompassSpec(name="compass", noise=1.0), noise=False, heading_deg=10)
    assert robot.compass.read() == pytest.approx(math.radians(10))


@pytest.mark.parametrize(("period", "delay"), [(1, 0), (1, 3), (4, 0), (4, 3), (5, 7)])
def test_rate_and_delay_look_back_the_right_number_of_ticks(period, delay):
    spec = PositionSpec(name="position", period=period * 0.02, delay=delay * 0.02)
    arena, robot = alone(spec, bounds=(-9, -9, 9, 9))
    robot.wheels.set(0.5, 0.4)
    poses = [robot.pose]
    for tick in range(1, 60):
        arena.step()
        poses.append(robot.pose)
        assert robot.position.read() == poses[max(0, (tick - delay) // period * period)]


def test_slow_sensor_keeps_its_noise_until_the_next_sample():
    arena, robot = alone(CompassSpec(name="compass", noise=0.1, period=0.1), noise=True)
    found = [(arena.step(), robot.compass.read())[1] for _ in range(50)]
    assert len(set(found)) == 11


def test_delayed_range_sensor_reads_the_past():
    arena, robot = alone(ProximitySpec(name="p", mounts=AHEAD, range=3.0, delay=0.1), bounds=(-9, -9, 2, 9))
    robot.wheels.set(0.5, 0.5)
    arena.step(40)
    assert robot.p.read() == pytest.approx(1.95 - 0.5 * 0.7)


def test_raw_gives_counts_and_read_gives_metres():
    arena, robot = alone(EncodersSpec(name="e", scale=100, resolution=1), bounds=(-9, -9, 9, 9))
    robot.wheels.set(0.333, -0.111)
    arena.step(100)
    assert robot.e.raw().tolist() == [67, -22]
    assert robot.e.read().tolist() == [0.67, -0.22]


def test_raw_counters_wrap_around_but_metres_do_not():
    arena, robot = alone(EncodersSpec(name="e", scale=1000, resolution=1, bits=8), bounds=(-9, -9, 9, 9))
    robot.wheels.set(1.0, -1.0)
    for tick in range(1, 100):
        arena.step()
        assert robot.e.raw()[0] == (20 * tick + 128) % 256 - 128
        assert robot.e.raw()[1] == (-20 * tick + 128) % 256 - 128
        assert robot.e.read()[0] == pytest.approx(0.02 * tick)


def test_device_without_raw_values_refuses_raw():
    _arena, robot = alone(CompassSpec(name="compass"))
    with pytest.raises(paddock.DeviceRefused):
        robot.compass.raw()


SCANNER = SonarSpec(name="sonar", range=9, cone_deg=2, pivot=Pivot(min_deg=-90, max_deg=45, rate_deg_s=100))


def test_pivot_turns_at_its_rate_and_stops_at_its_target():
    arena, robot = alone(SCANNER, bounds=(-9, -9, 2, 9))
    robot.sonar.pan(math.radians(-31))
    angles = [(arena.step(), math.degrees(robot.sonar.pan_angle))[1] for _ in range(20)]
    assert angles == pytest.approx([max(-31.0, -2.0 * tick) for tick in range(1, 21)])
    assert robot.sonar.read() == pytest.approx(2.0 / math.cos(math.radians(30)))


def test_pan_beyond_the_limits_or_of_a_fixed_sensor_is_refused():
    arena, robot = alone(SCANNER, SonarSpec(name="fixed", range=9, cone_deg=2))
    for device, angle in ((robot.sonar, 0.9), (robot.sonar, -1.7), (robot.sonar, math.nan), (robot.fixed, 0.0)):
        with pytest.raises(paddock.DeviceRefused):
            device.pan(angle)
    arena.step(50)
    assert robot.sonar.pan_angle == robot.fixed.pan_angle == 0.0


def test_polled_sensors_are_read_on_demand_only():
    polled = SonarSpec(name="polled", range=9, cone_deg=2, polled=True)
    _arena, robot = alone(polled, CompassSpec(name="compass"))
    assert list(robot.sense()) == ["compass"]
    assert robot.polled.read() == pytest.approx(2.0)
    robot.polled.poll_only(False)
    assert robot.sense().polled == pytest.approx(2.0)
    with pytest.raises(paddock.DeviceRefused):
        robot.compass.poll_only()


def test_disabled_device_cannot_be_read():
    _arena, robot = alone(CompassSpec(name="compass"))
    robot.compass.disable()
    with pytest.raises(paddock.DeviceNotEnabled):
        robot.compass.read()
    assert list(robot.sense()) == []


def test_robot_without_sensors_has_an_empty_observation():
    _arena, robot = alone(robot=puck())
    assert list(robot.sense()) == []
