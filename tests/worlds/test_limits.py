"""Worlds with more obstacles than memory are refused by their number, before they are built."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import paddock
from paddock.worlds.spec import Arc, Cylinder, Wall, WorldSpec


def write(folder: Path, world: WorldSpec) -> Path:
    path = folder / "full.toml"
    path.write_text(world.to_toml(), encoding="utf-8")
    return path


def test_a_thousand_large_arcs_are_refused_with_their_number(tmp_path: Path) -> None:
    arcs = tuple(Arc(at=(0, 0), radius=1000.0 + i) for i in range(1000))
    path = write(tmp_path, WorldSpec(name="full", bounds=(-2000, -2000, 2000, 2000), arcs=arcs))
    with pytest.raises(paddock.SpecError) as refused:
        paddock.open(path)
    assert re.fullmatch(
        r"full\.toml: arcs: expected a world of at most 100000 pieces of obstacles, got \d{7}; "
        r"1000 arcs have \d{7} chords: remove some or make them smaller",
        str(refused.value),
    )


def test_a_thousand_cylinders_over_each_other_are_refused(tmp_path: Path) -> None:
    cylinders = tuple(Cylinder(at=(0.001 * i, 0), radius=40.0) for i in range(1000))
    path = write(tmp_path, WorldSpec(name="full", bounds=(-50, -50, 50, 50), cylinders=cylinders))
    with pytest.raises(paddock.SpecError) as refused:
        paddock.open(path)
    assert re.fullmatch(
        r"full\.toml: cylinders: expected obstacles that cover a world at most 500 times over, got 1000 pieces of "
        r"which \d+ cover more: remove some or make them smaller",
        str(refused.value),
    )


def test_many_small_obstacles_and_long_walls_are_a_world() -> None:
    cylinders = tuple(Cylinder(at=(0.25 + 0.5 * (i % 60), 0.25 + 0.5 * (i // 60)), radius=0.05) for i in range(3000))
    walls = tuple(Wall(points=((0, 0.3 * i), (30, 30 - 0.3 * i)), thickness=0) for i in range(100))
    arena = paddock.open(WorldSpec(name="full", bounds=(0, 0, 30, 30), cylinders=cylinders, walls=walls))
    assert len(arena.model.items) == 3104
