"""Sensor names that clash with attributes of robots and observations are refused."""

from __future__ import annotations

import paddock
from paddock.core.observation import Observation
from paddock.simulation.sensors.sensor_spec import OF_OBSERVATIONS, OF_ROBOTS

PLANNED = {"on_sense", "watch"}


def test_robot_attributes_are_reserved_names() -> None:
    arena = paddock.open("clutter")
    red = arena["red"]
    own = {name for name in {*dir(type(red)), *vars(red)} if not name.startswith("_")}
    assert own - set(red.devices) | PLANNED == set(OF_ROBOTS)


def test_observation_attributes_are_reserved_names() -> None:
    assert {name for name in dir(Observation) if not name.startswith("_")} == set(OF_OBSERVATIONS)
