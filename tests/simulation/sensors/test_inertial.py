"""Inertial navigation: correct at the start, exact without noise, and drifting with noise."""

from __future__ import annotations

import math

import numpy as np
import pytest

from paddock.simulation.sensors.inertial import InertialSpec
from scenes import alone, puck

WIDE = (-90.0, -90.0, 90.0, 90.0)


def test_noise_free_inertial_pose_is_exact():
    arena, robot = alone(InertialSpec(name="inertial"), bounds=WIDE, at=(1, 2), heading_deg=40)
    for tick in range(200):
        robot.drive(0.5, math.sin(tick / 9))
        arena.step()
        assert tuple(robot.inertial.read()) == pytest.approx(tuple(robot.pose), abs=1e-9)


def test_noise_free_inertial_pose_includes_sliding_along_a_wall():
    arena, robot = alone(InertialSpec(name="inertial"), bounds=(-9, -1, 9, 1), at=(0, 0.9), heading_deg=50)
    robot.wheels.set(0.5, 0.5)
    arena.step(100)
    assert tuple(robot.inertial.read()) == pytest.approx(tuple(robot.pose), abs=1e-3)


def errors(seconds: float, **noise: float) -> np.ndarray:
    spec = InertialSpec(name="inertial", **{"distance_error": 0, "heading_walk_deg": 0, "bias_deg_s": 0, **noise})
    arena, robot = alone(robot=puck(spec), bounds=WIDE, noise=True, dt=0.05)
    found = []
    for seed in range(200):
        arena.reset(seed)
        robot.wheels.set(0.5, 0.5)
        arena.run(seconds)
        found.append(np.array(robot.inertial.read()) - robot.pose)
    return np.array(found)


@pytest.mark.heavy
def test_heading_error_grows_with_the_square_root_of_time():
    for seconds in (4.0, 16.0):
        off = np.degrees(errors(seconds, heading_walk_deg=0.5)[:, 2])
        assert abs(off.mean()) < 4 * off.std() / math.sqrt(len(off))
        assert off.std() == pytest.approx(0.5 * math.sqrt(seconds), rel=0.2)


@pytest.mark.heavy
def test_bias_rotates_the_heading_linearly_and_depends_on_the_seed():
    for seconds in (4.0, 16.0):
        off = np.degrees(errors(seconds, bias_deg_s=0.1)[:, 2])
        assert off.std() == pytest.approx(0.1 * seconds, rel=0.2)


@pytest.mark.heavy
def test_travel_errors_are_independent_per_tick():
    off = errors(8.0, distance_error=0.05)[:, 0]
    assert off.std() == pytest.approx(0.05 * 0.5 * 0.05 * math.sqrt(160), rel=0.2)


def test_reading_does_not_change_the_drift():
    ends = []
    for read in (False, True):
        arena, robot = alone(InertialSpec(name="inertial"), bounds=WIDE, noise=True, seed=4)
        robot.drive(0.5, 0.3)
        for _ in range(100):
            arena.step()
            if read:
                robot.inertial.read()
        ends.append(robot.inertial.read())
    assert ends[0] == ends[1] != robot.pose


def test_inertial_delay_is_applied():
    arena, robot = alone(InertialSpec(name="inertial", delay=0.1), bounds=WIDE)
    robot.wheels.set(0.5, 0.5)
    arena.step(20)
    assert robot.inertial.read().x == pytest.approx(0.5 * 0.3)
