"""Tests of the obstacle points of the reflex, from laser and sonar."""

from __future__ import annotations

import math

import numpy as np
import pytest

from paddock.network.nodes.readings import ObservationBuilder, PointReader, make_message
from paddock.simulation.robots import load_robot

SPEC = load_robot("pioneer-p2dx")
SENSORS = {sensor.name: sensor for sensor in SPEC.sensors}


def read(*, wall: float, echo: float) -> np.ndarray:
    """Return points of a robot whose laser sees a wall ahead, or none, with one sonar echo."""
    builder, angles = ObservationBuilder(SPEC), np.array(SENSORS["laser"].angles)
    x, *_ = SENSORS["laser"].mounts[0]
    ahead = np.abs(angles) < 0.6
    ranges = np.where(ahead, (wall - x) / np.cos(np.where(ahead, angles, 0.0)), math.inf)
    sonar = np.full(SENSORS["sonar"].channels, math.inf)
    sonar[2] = echo  # 30° to the left
    builder.take(make_message(SENSORS["laser"], ranges.tolist(), 1.0))
    builder.take(make_message(SENSORS["sonar"], sonar.tolist(), 1.0))
    return PointReader(SPEC).read(builder.observe(1.0))


def test_echo_of_an_object_seen_by_laser_adds_no_obstacle() -> None:
    slant = (1.0 - SENSORS["sonar"].mounts[2][0]) / math.cos(math.radians(20.0))  # at the near edge of its cone
    alone = read(wall=1.0, echo=math.inf)
    assert len(alone) > 50
    assert read(wall=1.0, echo=slant) == pytest.approx(alone)


def test_echo_of_an_object_below_the_laser_is_an_obstacle() -> None:
    points = read(wall=3.0, echo=0.5)
    near = points[np.hypot(*points.T) < 1.0]
    x, y, _, heading = SENSORS["sonar"].mounts[2]
    place = x + 0.5 * math.cos(math.radians(heading)), y + 0.5 * math.sin(math.radians(heading))
    assert near == pytest.approx(np.array([place]))


def test_observation_is_whole_when_all_readings_have_the_same_time() -> None:
    builder = ObservationBuilder(SPEC)
    builder.take(make_message(SENSORS["sonar"], [1.0] * 8, 1.0))
    builder.take(make_message(SENSORS["encoders"], [0.0, 0.0], 1.0))
    assert builder.is_whole
    builder.take(make_message(SENSORS["sonar"], [1.0] * 8, 1.1))
    assert not builder.is_whole
    builder.take(make_message(SENSORS["encoders"], [0.0, 0.0], 1.1))
    assert builder.is_whole
