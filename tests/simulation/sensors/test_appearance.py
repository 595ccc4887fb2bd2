"""Appearance of sensor kinds: declared on the spec, sent with the robot types, and not part of the spec."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from typing import ClassVar, get_args

import pytest

from paddock.core.spec import is_color
from paddock.simulation.robots import RobotSpec, load_robot, robot_names
from paddock.simulation.sensors.appearance import (
    Appearance,
    Gauge,
    Rays,
    add_appearances,
    appearance_table,
    drop_appearances,
)
from paddock.simulation.sensors.compass import CompassSpec
from paddock.simulation.sensors.laser import LaserSpec
from paddock.simulation.sensors.proximity import ProximitySpec


@pytest.mark.parametrize("name", robot_names())
def test_every_sensor_of_every_robot_has_an_appearance(name: str) -> None:
    robot = load_robot(name)
    table = json.loads(json.dumps(add_appearances(robot.to_table(), robot.sensors)))
    for sensor in table.get("sensors", []):
        look = sensor["appearance"]
        assert is_color(look["color"])
        assert look["gauge"] in get_args(Gauge)
        assert look["rays"] in get_args(Rays)
        assert look["low"] < look["high"]
        if look["gauge"] not in ("scan", "image"):
            assert len(look["labels"]) == look["channels"]
    assert drop_appearances(table) == json.loads(json.dumps(robot.to_table()))
    assert RobotSpec.from_table(drop_appearances(table)) == robot


def test_rays_of_a_sensor_without_a_range_are_not_drawn() -> None:
    """Such rays would have zero length, by which the page would divide."""

    @dataclass(frozen=True, kw_only=True, slots=True)
    class Bent(CompassSpec):
        look: ClassVar[Appearance] = Appearance(rays="beams")

    assert appearance_table(Bent(name="bent"))["rays"] == "none"


def test_scales_and_angles_are_those_of_the_sensor() -> None:
    near = appearance_table(ProximitySpec(name="near", range=0.07, aperture_deg=30))
    assert (near["low"], near["high"], near["range"], near["unit"]) == (0, 0.07, 0.07, "m")
    assert near["opening"] == pytest.approx(math.radians(30))
    assert near["pollable"]
    assert not appearance_table(CompassSpec(name="compass"))["pollable"]
    scan = appearance_table(LaserSpec(name="scan", range=4, fov_deg=180, beams=90))
    assert (scan["channels"], scan["labels"], scan["hint"]) == (90, [], "90 beams")


def test_constants_have_their_unit_and_single_channels_no_number() -> None:
    shown = {
        sensor.name: appearance_table(sensor) for sensor in load_robot("e-puck").sensors if sensor.kind == "constant"
    }
    assert {name: look["unit"] for name, look in shown.items()} == {"selector": "", "battery": "V", "temperature": "°C"}
    assert all(look["labels"] == [""] for look in shown.values())
