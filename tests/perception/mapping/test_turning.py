"""Tests of mapping while a robot turns in an unknown room."""

from __future__ import annotations

import math

import pytest

import paddock
from paddock.arena import make_mapper
from paddock.core.geometry import wrap
from paddock.core.observation import Observation, WheelSpeeds
from paddock.experiments.reproductions.ap2dx.survey import add_wheel_errors
from paddock.simulation.worlds.apartments import make_apartment

pytestmark = pytest.mark.heavy


def test_heading_does_not_drift_while_turning_in_a_new_room() -> None:
    arena = paddock.open(add_wheel_errors(make_apartment(1, kind="corridor"), 1), seed=1)
    robot = next(iter(arena.robots.values()))
    mapper, errors = make_mapper(robot, pose=robot.pose), []

    def turn(observation: Observation) -> WheelSpeeds:
        scans = mapper.scans
        mapper.look(observation)
        if mapper.scans > scans:  # between scans the wheels tell, which slip and count in steps
            errors.append(abs(wrap(mapper.scan_pose.heading - robot.pose.heading)))
        return WheelSpeeds(-0.08, 0.08)

    arena.run(14.0, turn)
    assert len(errors) > 60
    assert max(errors) < math.radians(0.3)
