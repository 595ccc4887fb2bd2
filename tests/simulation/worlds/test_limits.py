"""Worlds with too many obstacles for the memory are refused before they are built."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

import paddock
from paddock.core.errors import PaddockError
from paddock.simulation.robots import load_robot
from paddock.simulation.worlds import load_world, make_room, make_track
from paddock.simulation.worlds.build import build
from paddock.simulation.worlds.importers import import_world
from paddock.simulation.worlds.world_spec import Arc, Cylinder, Wall, WorldSpec


def write(folder: Path, world: WorldSpec) -> Path:
    path = folder / "full.toml"
    path.write_text(world.to_toml(), encoding="utf-8")
    return path


def test_thousand_large_arcs_are_refused_with_their_count(tmp_path: Path) -> None:
    arcs = tuple(Arc(at=(0, 0), radius=1000.0 + i) for i in range(1000))
    path = write(tmp_path, WorldSpec(name="full", bounds=(-2000, -2000, 2000, 2000), arcs=arcs))
    with pytest.raises(paddock.SpecError) as refused:
        paddock.open(path)
    assert re.fullmatch(
        r"full\.toml: arcs: expected a world of at most 100000 pieces of obstacles, got \d{7}; "
        r"1000 arcs have \d{7} chords: remove some or make them smaller",
        str(refused.value),
    )


def test_thousand_overlapping_cylinders_are_refused(tmp_path: Path) -> None:
    cylinders = tuple(Cylinder(at=(0.001 * i, 0), radius=40.0) for i in range(1000))
    path = write(tmp_path, WorldSpec(name="full", bounds=(-50, -50, 50, 50), cylinders=cylinders))
    with pytest.raises(paddock.SpecError) as refused:
        paddock.open(path)
    assert re.fullmatch(
        r"full\.toml: cylinders: expected obstacles that cover a world at most 500 times over, got 1000 pieces of "
        r"which \d+ cover more: remove some or make them smaller",
        str(refused.value),
    )


def test_many_small_obstacles_and_long_walls_are_accepted() -> None:
    cylinders = tuple(Cylinder(at=(0.25 + 0.5 * (i % 60), 0.25 + 0.5 * (i // 60)), radius=0.05) for i in range(3000))
    walls = tuple(Wall(points=((0, 0.3 * i), (30, 30 - 0.3 * i)), thickness=0) for i in range(100))
    arena = paddock.open(WorldSpec(name="full", bounds=(0, 0, 30, 30), cylinders=cylinders, walls=walls))
    assert len(arena.model.items) == 3104


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda robot: make_room(-1, robot, side=30, pieces=(1, 2)), "number: expected a whole number >= 0, got -1"),
        (lambda robot: make_room(1.5, robot, side=30, pieces=(1, 2)), "number: expected a whole number, got 1.5"),
        (lambda robot: make_room(1, robot, side=3, pieces=(1, 2)), "side: expected at least 12.4 radii of the robot"),
        (lambda robot: make_room(1, robot, side=30, pieces=(2, 1)), "pieces: expected [fewest, most] with 0 <= fewest"),
        (lambda robot: make_room(1, robot, side=13, pieces=(0, 0), door=12), "side: expected at least 14 radii"),
        (lambda robot: make_room(1, robot.name, side=30, pieces=(1, 2)), "robot: expected a RobotSpec, as `load_"),
        (
            lambda robot: make_track(1, robot.name, width=0.02),
            "robot: expected a RobotSpec, as `load_",
        ),
        (lambda robot: make_track(-1, robot, width=0.02), "number: expected a whole number >= 0, got -1"),
    ],
)
def test_invalid_rooms_and_tracks_are_refused(wrong: Any, message: str) -> None:
    with pytest.raises(PaddockError) as error:
        wrong(load_robot("e-puck"))
    assert message in str(error.value)


@pytest.mark.parametrize("load", [load_world, load_robot, import_world])
def test_name_with_a_null_character_is_refused(load: Any) -> None:
    with pytest.raises(PaddockError, match=r"expected the name of a file, got 'a\\x00b.toml'"):
        load("a\0b.toml")


def test_missing_name_is_refused() -> None:
    with pytest.raises(PaddockError, match="no world called 'None'"):
        load_world(None)  # type: ignore[arg-type]


def test_arc_that_extends_too_far_is_reported() -> None:
    world = WorldSpec(name="w", bounds=(0, 0, 2, 2), arcs=(Arc(at=(1e6, 1.0), radius=1e6 - 1),))
    with pytest.raises(PaddockError, match=r"arcs\[0\]: expected an arc within 1e\+06 m of \[0, 0\]"):
        build(world)


@pytest.mark.parametrize("side", [5e-324, 1e-300, 1e-9])
def test_world_without_area_is_refused(side: float) -> None:
    with pytest.raises(PaddockError, match="bounds: expected sides of at least 1e-06 m"):
        WorldSpec(name="w", bounds=(0, 0, side, 1))
