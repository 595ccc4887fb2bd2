"""Names of sensors: those that robots and observations have already are refused."""

from __future__ import annotations

import paddock
from paddock.core.observation import Observation
from paddock.sensors.names import OF_OBSERVATIONS, OF_ROBOTS

PLANNED = {"on_sense", "watch"}


def test_no_sensor_can_hide_what_a_robot_has() -> None:
    arena = paddock.open("clutter")
    red = arena["red"]
    own = {name for name in {*dir(type(red)), *vars(red)} if not name.startswith("_")}
    assert own - set(red.devices) | PLANNED == set(OF_ROBOTS)


def test_no_sensor_can_hide_what_an_observation_has() -> None:
    assert {name for name in dir(Observation) if not name.startswith("_")} == set(OF_OBSERVATIONS)
