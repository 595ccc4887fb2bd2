"""Specs: conversion by annotation, and lossless round trips through TOML."""

from __future__ import annotations

import dataclasses
import math
import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

import paddock
from core.spec_strategies import robots, specs, worlds
from paddock.core.spec import Number, convert, expectation, is_color, rgb
from paddock.simulation.robots import load_robot
from paddock.simulation.sensors.sensor_registry import SENSORS
from paddock.simulation.sensors.sonar import SonarSpec
from paddock.simulation.worlds import load_world, save_world, world_names
from paddock.simulation.worlds.world_spec import Box, Cylinder, Floor, RobotPlacement, Start, Wall

ROOM = {"name": "room", "bounds": [0, 0, 2, 2]}


@given(worlds())
@settings(max_examples=60)
def test_world_round_trips_through_toml(world: paddock.WorldSpec) -> None:
    assert paddock.WorldSpec.from_toml(world.to_toml()) == world


@given(robots())
@settings(max_examples=60)
def test_robot_round_trips_through_toml(robot: paddock.RobotSpec) -> None:
    assert paddock.RobotSpec.from_toml(robot.to_toml()) == robot


@pytest.mark.parametrize("kind", SENSORS.builtin)
@given(data=st.data())
@settings(max_examples=15)
def test_every_sensor_kind_round_trips(kind: str, data: st.DataObject) -> None:
    sensor = data.draw(specs(SENSORS[kind]))
    table = sensor.to_table()
    assert table.pop("kind") == kind
    assert type(sensor).from_table(table) == sensor


@given(worlds())
@settings(max_examples=15)
def test_specs_are_hashable(world: paddock.WorldSpec) -> None:
    assert {world: 1}[paddock.WorldSpec.from_toml(world.to_toml())] == 1


def test_default_values_are_not_written() -> None:
    assert Cylinder(at=(1, 2), radius=0.1, height=0.1).to_table() == {"at": [1.0, 2.0], "radius": 0.1}


def test_every_shipped_world_round_trips() -> None:
    for name in world_names():
        world = load_world(name)
        assert paddock.WorldSpec.from_toml(world.to_toml()) == world


def test_saved_world_finds_its_robot_file_from_another_folder(tmp_path: Path) -> None:
    home, away = tmp_path / "home", tmp_path / "away"
    home.mkdir()
    away.mkdir()
    (home / "mine.toml").write_text(load_robot("e-puck").to_toml(), encoding="utf-8")
    text = 'name = "w"\nbounds = [0, 0, 1, 1]\n[[robots]]\nname = "a"\ntype = "mine.toml"\nat = [0.5, 0.5]\n'
    (home / "world.toml").write_text(text, encoding="utf-8")
    world = load_world(home / "world.toml")
    save_world(world, home / "same.toml")
    assert load_world(home / "same.toml") == world
    save_world(world, away / "other.toml")
    assert list(paddock.open(away / "other.toml").robots) == ["a"]


def test_toml_and_python_build_the_same_world() -> None:
    text = """
    name = "room"
    bounds = [0, 0, 2, 2]
    boxes = [{ at = [1, 1], size = [0.2, 0.1] }]
    [[starts]]
    name = "door"
    at = [0.5, 0.5]
    [[robots]]
    name = "red"
    type = "e-puck"
    start = "door"
    """
    assert paddock.WorldSpec.from_toml(text) == paddock.WorldSpec(
        name="room",
        bounds=(0, 0, 2, 2),
        boxes=(Box(at=(1, 1), size=(0.2, 0.1)),),
        starts=(Start(name="door", at=(0.5, 0.5)),),
        robots=(RobotPlacement(name="red", type="e-puck", start="door"),),
    )


def test_integers_become_floats_and_lists_become_tuples() -> None:
    cylinder = Cylinder(at=[1, 2], radius=1)  # type: ignore[arg-type]
    assert cylinder.at == (1.0, 2.0)
    assert all(isinstance(value, float) for value in (*cylinder.at, cylinder.radius))


def test_spec_is_immutable() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        Cylinder(at=(0, 0), radius=1).radius = 2.0  # type: ignore[misc]


def test_replaced_copy_is_validated() -> None:
    with pytest.raises(paddock.SpecError, match="radius: expected metres > 0"):
        dataclasses.replace(Cylinder(at=(0, 0), radius=1), radius=-1)


def test_with_robots_changes_only_the_robots() -> None:
    world = paddock.WorldSpec(name="room", bounds=(0, 0, 2, 2), walls=(Wall(points=((0, 1), (1, 1))),))
    other = world.with_robots(RobotPlacement(name="red", type="e-puck", at=(0.5, 0.5)))
    assert [robot.name for robot in other.robots] == ["red"]
    assert other.with_robots() == world


def test_folder_of_a_world_is_not_part_of_its_value(tmp_path: Path) -> None:
    (tmp_path / "room.toml").write_text('name = "room"\nbounds = [0, 0, 2, 2]\n', encoding="utf-8")
    world = load_world(tmp_path / "room.toml")
    assert world == paddock.WorldSpec.from_table(ROOM)
    assert "folder" not in world.to_table()
    assert world.resolve_path("rug.png") == tmp_path / "rug.png"


def test_a_sensor_is_found_by_name() -> None:
    sonar = SonarSpec(name="front", range=1, cone_deg=20)
    robot = dataclasses.replace(load_robot("e-puck"), sensors=(sonar,))
    assert robot.sensor("front") == sonar


def test_unknown_sensor_error_suggests_an_existing_one() -> None:
    with pytest.raises(paddock.UnknownName, match="did you mean 'ground'"):
        load_robot("e-puck").sensor("grond")


def test_included_objects_come_first(tmp_path: Path) -> None:
    (tmp_path / "part.toml").write_text("[[boxes]]\nat = [1, 1]\nsize = [0.1, 0.1]\n", encoding="utf-8")
    text = 'include = ["part.toml"]\nname = "room"\nbounds = [0, 0, 3, 3]\n[[boxes]]\nat = [2, 2]\nsize = [1, 1]\n'
    (tmp_path / "room.toml").write_text(text, encoding="utf-8")
    assert [box.at for box in load_world(tmp_path / "room.toml").boxes] == [(1.0, 1.0), (2.0, 2.0)]


def test_own_keys_override_included_ones(tmp_path: Path) -> None:
    (tmp_path / "base.toml").write_text('name = "base"\nbounds = [0, 0, 1, 1]\ndt = 0.1\n', encoding="utf-8")
    (tmp_path / "room.toml").write_text('include = ["base.toml"]\nname = "room"\nbounds = [0, 0, 3, 3]\n')
    world = load_world(tmp_path / "room.toml")
    assert (world.name, world.bounds, world.dt) == ("room", (0, 0, 3, 3), 0.1)


def test_included_file_resolves_paths_relative_to_itself(tmp_path: Path) -> None:
    parts = tmp_path / "parts"
    parts.mkdir()
    (parts / "mine.toml").write_text(load_robot("e-puck").to_toml(), encoding="utf-8")
    (parts / "team.toml").write_text('[[robots]]\nname = "a"\ntype = "mine.toml"\nat = [0.5, 0.5]\n')
    (tmp_path / "room.toml").write_text('include = ["parts/team.toml"]\nname = "room"\nbounds = [0, 0, 1, 1]\n')
    assert list(paddock.open(tmp_path / "room.toml").robots) == ["a"]


def test_shared_include_is_merged_once(tmp_path: Path) -> None:
    (tmp_path / "box.toml").write_text("[[boxes]]\nat = [1, 1]\nsize = [0.1, 0.1]\n")
    for name in ("left", "right"):
        (tmp_path / f"{name}.toml").write_text('include = ["box.toml"]\n')
    (tmp_path / "room.toml").write_text('include = ["left.toml", "right.toml"]\nname = "room"\nbounds = [0, 0, 3, 3]\n')
    assert len(load_world(tmp_path / "room.toml").boxes) == 1


def test_included_table_is_merged_by_key(tmp_path: Path) -> None:
    stroke = "[[floor.strokes]]\npoints = [[0, 0], [1, 1]]\n"
    (tmp_path / "part.toml").write_text('[floor]\ncolor = "red"\npixels_per_metre = 50\n' + stroke)
    text = 'include = ["part.toml"]\nname = "room"\nbounds = [0, 0, 3, 3]\n[floor]\ncolor = "blue"\n'
    (tmp_path / "room.toml").write_text(text + stroke)
    floor = load_world(tmp_path / "room.toml").floor
    assert (floor.color, floor.pixels_per_metre, len(floor.strokes)) == ("blue", 50, 2)


def test_saved_world_rewrites_paths_of_includes(tmp_path: Path) -> None:
    parts = tmp_path / "parts"
    parts.mkdir()
    Image.new("L", (10, 10)).save(parts / "rug.png")
    (parts / "floor.toml").write_text('[floor]\nimage = "rug.png"\n')
    (tmp_path / "room.toml").write_text('include = ["parts/floor.toml"]\nname = "room"\nbounds = [0, 0, 1, 1]\n')
    world = load_world(tmp_path / "room.toml")
    assert world.floor.image == "parts/rug.png"
    save_world(world, parts / "copy.toml")
    assert load_world(parts / "copy.toml").floor.image == "rug.png"
    paddock.open(parts / "copy.toml")


def test_toml_string_cannot_include_files() -> None:
    with pytest.raises(paddock.SpecError, match="include: expected no includes here"):
        paddock.WorldSpec.from_toml('name = "room"\nbounds = [0, 0, 1, 1]\ninclude = ["part.toml"]')


@pytest.mark.parametrize(
    ("color", "parts"),
    [
        ("#3366cc", (0x33, 0x66, 0xCC)),
        ("orange", (255, 165, 0)),
        ("#abc", (0xAA, 0xBB, 0xCC)),
        ("White", (255, 255, 255)),
    ],
)
def test_colours_are_names_or_hexadecimal(color: str, parts: tuple[int, int, int]) -> None:
    assert is_color(color)
    assert rgb(color) == parts


@pytest.mark.parametrize("color", ["", "reddish", "#12345", "#gggggg", "3366cc", "#+1+1+1", "rgb(300, 0, 0)"])
def test_other_strings_are_not_colours(color: str) -> None:
    assert not is_color(color)


@pytest.mark.parametrize(
    ("rule", "text"),
    [
        (Number(), "a number"),
        (Number("metres", above=0), "metres > 0"),
        (Number(low=0, high=1), "a number >= 0 and <= 1"),
        (Number("degrees"), "degrees"),
        (Number("metres", above=0, limit=100), "metres > 0"),
    ],
)
def test_number_rule_describes_its_range(rule: Number, text: str) -> None:
    assert str(rule) == text


@pytest.mark.parametrize(
    ("hint", "text"),
    [
        (float, "a number"),
        (int, "a whole number"),
        (bool, "true or false"),
        (str, "a string in quotes"),
        (tuple[int, ...], "a list, each a whole number"),
        (str | None, "a string in quotes"),
    ],
)
def test_annotations_are_described_in_words(hint: Any, text: str) -> None:
    assert expectation(hint) == text


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_float_conversion_is_bit_identical(value: float) -> None:
    assert convert(value, float, "x") == value
    assert convert(tomllib.loads(f"x = {value}")["x"], float, "x") == value


def test_default_spec_is_an_empty_file() -> None:
    assert Floor().to_toml() == ""


@pytest.mark.parametrize("value", [math.nan, math.inf, True, "1", None, [1]])
def test_non_finite_or_non_numeric_value_is_refused(value: Any) -> None:
    with pytest.raises(paddock.SpecError, match=r"^x: expected a .*number, got"):
        convert(value, float, "x")


@pytest.mark.parametrize(
    ("rule", "value", "text"),
    [
        (Number("metres", above=0, limit=100), -1, "metres > 0"),
        (Number("metres", above=0, limit=100), 101, "metres > 0 and <= 100"),
        (Number("metres", above=0, minimum=0.01, limit=100), 101, "metres > 0 and <= 100"),
        (Number("metres", above=0, minimum=0.01, limit=100), 1e-9, "metres >= 0.01 and <= 100"),
        (Number("metres", low=0, minimum=0.01, limit=100), 1e-9, "metres >= 0.01 and <= 100 or 0"),
        (Number("metres", limit=100), -101, "metres >= -100 and <= 100"),
        (Number("metres", above=0, limit=100), math.inf, "finite metres > 0"),
        (Number(low=0), math.nan, "a finite number >= 0"),
        (Number(low=0, high=1), math.inf, "a number >= 0 and <= 1"),
    ],
)
def test_number_rule_mentions_its_limit_only_when_exceeded(rule: Number, value: float, text: str) -> None:
    assert not rule.admits(value)
    assert rule.explain(value) == text
