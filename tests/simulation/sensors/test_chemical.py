"""Scalar fields: radial, gaussian and image."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import paddock
from paddock.core.errors import PaddockWarning
from paddock.simulation.sensors.chemical import ChemicalSpec
from paddock.simulation.worlds.world_spec import Field, Light, RobotPlacement
from scenes import alone, puck, world

NOSE = ChemicalSpec(name="nose", mounts=((0.04, 0.0, 0.0, 0.0), (-0.04, 0.0, 0.0, 0.0)))


def test_radial_field_falls_linearly_to_its_rim():
    _arena, robot = alone(NOSE, fields=(Field(name="f", shape="radial", at=(1, 0), radius=0.5, peak=3.0),))
    for x in (0.2, 0.6, 0.9, 1.0, 1.4, 1.8):
        robot.set_pose(x, 0.0)
        expected = [3.0 * max(0.0, 1 - abs(x + off - 1) / 0.5) for off in (0.04, -0.04)]
        assert robot.nose.read().tolist() == pytest.approx(expected)


def test_gaussian_field_follows_the_normal_curve():
    _arena, robot = alone(NOSE, fields=(Field(name="f", shape="gaussian", at=(0.3, -0.2), radius=0.4, peak=2.0),))
    robot.set_pose(0.5, 0.5, math.pi / 2)
    expected = [2.0 * math.exp(-(0.2**2 + (0.7 + off) ** 2) / (2 * 0.4**2)) for off in (0.04, -0.04)]
    assert robot.nose.read().tolist() == pytest.approx(expected)


def test_image_field_is_interpolated_between_pixels(tmp_path: Path):
    pixels = np.array([[0, 51, 102], [153, 204, 255]], np.uint8)
    Image.fromarray(pixels).save(tmp_path / "field.png")
    field = Field(name="f", shape="image", image="field.png", at=(0.0, 0.0), pixels_per_metre=2, peak=10.0)
    one = RobotPlacement(name="one", type=puck(ChemicalSpec(name="nose")), at=(0.25, 0.75), noise=False)
    arena = paddock.open(replace(world(one, fields=(field,)), folder=str(tmp_path)))
    robot = arena["one"]
    robot.enable()
    for x, y, value in ((0.25, 0.75, 0), (1.25, 0.25, 255), (0.75, 0.75, 51), (0.5, 0.75, 25.5), (0.25, 0.5, 76.5)):
        robot.set_pose(x, y)
        assert robot.nose.read() == pytest.approx(10 * value / 255)
    robot.set_pose(-1, -1)
    assert robot.nose.read() == pytest.approx(10 * 153 / 255), "its edge goes on outside"


def test_field_is_selected_by_index_and_a_missing_one_reads_zero():
    fields = (
        Field(name="a", shape="radial", at=(0, 0), radius=1, peak=1.0),
        Field(name="b", shape="radial", at=(0, 0), radius=1, peak=2.0),
    )
    noses = [ChemicalSpec(name=f"nose{i}", field=i) for i in range(3)]
    with pytest.warns(PaddockWarning, match=r"nose2 always reads 0: there is no field 2 .there are: 0 a, 1 b.$"):
        _arena, robot = alone(*noses, fields=fields, lights=(Light(at=(1, 1)),))
    assert [robot.device(f"nose{i}").read() for i in range(3)] == [1.0, 2.0, 0.0]
