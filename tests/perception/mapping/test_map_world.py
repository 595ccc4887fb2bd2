"""Tests of conversion between ROS map_server maps and worlds."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import paddock
from command_line import paddock as command
from paddock.core.errors import SpecError
from paddock.perception.mapping import FREE, OCCUPIED, UNKNOWN, draw_map, import_map, load_map, save_map
from paddock.simulation.worlds import load_world
from paddock.simulation.worlds.world_spec import WorldSpec

ROOM = WorldSpec.from_table(
    {
        "name": "room",
        "bounds": [1.0, -2.0, 4.0, 0.0],
        "open": True,
        "walls": [{"points": [[2.02, -2.0], [2.02, -0.5]], "thickness": 0.01}],
        "boxes": [{"at": [3.0, -1.0], "size": [0.4, 0.2]}],
        "cylinders": [{"at": [1.5, -1.5], "radius": 0.2}],
    }
)


def test_map_shows_exactly_the_obstacles_of_a_world() -> None:
    grid = draw_map(ROOM, resolution=0.05)
    states, frame = grid.states(), grid.frame

    def state(x: float, y: float) -> int:
        return int(states[frame.cell(x, y)])

    assert (state(3.0, -1.0), state(3.19, -1.09), state(3.22, -1.0)) == (OCCUPIED, OCCUPIED, FREE)
    assert (state(1.5, -1.5), state(1.62, -1.5), state(1.5, -1.22)) == (OCCUPIED, OCCUPIED, FREE)
    assert all(state(2.02, y) == OCCUPIED for y in np.arange(-1.9, -0.6, 0.05))  # thin, but without a gap
    assert (state(2.0, -0.3), state(0.9, -1.0), state(4.1, 0.0)) == (FREE, UNKNOWN, UNKNOWN)
    assert (states == OCCUPIED).sum() * 0.05**2 == pytest.approx(0.4 * 0.2 + 3.1416 * 0.2**2 + 1.5 * 0.05, abs=0.03)


def test_world_survives_conversion_to_map_and_back(tmp_path: Path) -> None:
    grid = draw_map(load_world("yellow-rooms"))
    path = save_map(grid, tmp_path / "rooms.yaml")
    world = import_map(path, robot="pioneer-p3dx").world
    assert [robot.type for robot in world.robots] == ["pioneer-p3dx"]
    again = draw_map(world)
    cells = again.frame.cells(grid.frame.centres(np.argwhere(grid.states() == OCCUPIED)))
    assert (again.states()[tuple(cells.T)] == OCCUPIED).all()
    with paddock.open(world) as arena:
        arena["robot"].drive(0.2, 0.0)
        arena.step(50)
        assert not arena["robot"].contacts


def test_maps_without_walls_or_floor_are_refused(tmp_path: Path) -> None:
    for shade, problem in ((254, "no cell is occupied"), (0, "no cell is free"), (205, "no cell is occupied")):
        Image.new("L", (8, 8), shade).save(tmp_path / "map.pgm")
        (tmp_path / "map.yaml").write_text("image: map.pgm\nresolution: 0.1\norigin: [0, 0, 0]\n")
        with pytest.raises(SpecError, match=problem):
            import_map(tmp_path / "map.yaml")
    with pytest.raises(SpecError, match="resolution: expected metres > 0"):
        draw_map(ROOM, resolution=0.0)


def test_commands_write_and_read_maps(tmp_path: Path) -> None:
    def run(*arguments: str) -> str:
        done = command(*arguments, folder=tmp_path)
        return done.stdout if done.returncode == 0 else " ".join(done.stderr.split())

    assert "cells" in run("world", "export", "yellow-rooms", "-o", "map.yaml")
    assert load_map(tmp_path / "map.yaml").frame.resolution == 0.05
    assert "a robot" in run("world", "import", "map.yaml", "--robot", "pioneer-p3dx", "-o", "rooms.toml")
    assert load_world(tmp_path / "rooms.toml").robots[0].type == "pioneer-p3dx"
    assert "ending in .yaml" in run("world", "export", "empty", "-o", "map.png")
    assert "already exists" in run("world", "export", "empty", "-o", "map.yaml")
    assert "has its own" in run("world", "import", "map.yaml", "--scale", "0.1", "-o", "other.toml")
