"""Tests of the estimation of wheel errors while a robot maps."""

from __future__ import annotations

import math
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import paddock
from paddock.arena import Arena, make_mapper
from paddock.core.geometry import Pose
from paddock.perception.mapping import Mapper
from paddock.simulation.worlds import load_world

pytestmark = pytest.mark.heavy

WORN = (0.009, -0.009)


def open_rooms(diameters: tuple[float, float], separation: float = 0.0) -> tuple[Arena, Mapper]:
    world = load_world("yellow-rooms")
    worn = replace(world.robots[0], wheel_diameter_error=diameters, wheel_separation_error=separation)
    arena = paddock.open(world.with_robots(worn), seed=1)
    robot = arena["pioneer"]
    return arena, make_mapper(robot, pose=robot.pose)


def wander(arena: Arena, mapper: Mapper, seconds: float) -> None:
    """Drive through the rooms, and turn where there is an obstacle ahead."""
    robot = arena["pioneer"]
    for _ in range(round(seconds / arena.dt / 5)):
        mapper.look(robot.sense())
        ahead = min(robot.laser.read()[60:121])
        robot.wheels.set(*((0.4, 0.4) if ahead > 0.9 else (0.2, -0.2)))
        arena.step(5)


def drive_blind(arena: Arena, mapper: Mapper, seconds: float) -> float:
    """Drive back and forth with a covered laser, and return the error of the pose [m]."""
    robot = arena["pioneer"]
    before = math.dist(mapper.estimate.pose[:2], robot.pose[:2])
    for k in range(round(seconds / arena.dt / 5)):
        robot.wheels.set(*((0.2, 0.2) if k % 40 < 20 else (-0.15, -0.25)))
        arena.step(5)
        seen = robot.sense()
        covered: Any = SimpleNamespace(time=seen.time, encoders=seen.encoders, laser=np.full(181, np.nan))
        mapper.look(covered)
    return math.dist(mapper.estimate.pose[:2], robot.pose[:2]) - before


def test_worn_wheels_are_known_after_a_drive_through_rooms() -> None:
    arena, mapper = open_rooms(WORN, -0.008)
    wander(arena, mapper, 60)
    left, right, separation = mapper.wheels.errors
    assert right - left == pytest.approx(WORN[1] - WORN[0], abs=0.003)
    assert separation - (left + right) / 2 == pytest.approx(-0.008, abs=0.003)


def test_the_pose_drifts_less_without_scans_after_a_drive_through_rooms() -> None:
    errors = []
    for learns in (True, False):
        arena, mapper = open_rooms(WORN)
        if not learns:
            mapper.wheels.covariance = np.zeros((3, 3))  # the wheels count as calibrated
        wander(arena, mapper, 40)
        errors.append(drive_blind(arena, mapper, 20))
    assert errors[0] < errors[1] / 3


def test_wheels_that_spin_at_a_wall_are_not_taken_for_worn_wheels() -> None:
    arena, mapper = open_rooms((0.0, 0.0))
    robot = arena["pioneer"]
    robot.set_pose(*Pose(1.0, 0.4, -math.pi / 2))
    mapper.reset(robot.pose)
    robot.wheels.set(0.3, 0.3)
    for _ in range(100):
        mapper.look(robot.sense())
        arena.step(5)
    assert np.abs(mapper.wheels.errors).max() < 0.005
