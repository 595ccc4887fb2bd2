"""Obstacles that are lower than a robot's range sensors."""

from __future__ import annotations

from pathlib import Path

import pytest

from command_line import paddock
from paddock.simulation.worlds import load_world, world_names
from paddock.simulation.worlds.placement import describe_blind_spots, robot_types

FLAT = """
name = "flat"
bounds = [0.0, 0.0, 3.0, 3.0]
[border]
height = 1.0
[[boxes]]
at = [2.3, 2.3]
size = [0.3, 0.3]
height = {height}
[[robots]]
name = "pioneer"
type = "pioneer-p3dx"
at = [1.0, 1.0]
"""


@pytest.mark.parametrize(
    ("command", "height", "warning"),
    [
        ("run", 0.2, "but sonar of pioneer-p3dx is mounted at 0.211 m: no range sensor detects it"),
        ("run", 0.25, ""),  # the sonars detect it
        ("map explore", 0.25, "is 0.25 m high, but laser of pioneer-p3dx is mounted at 0.3 m: it is not in the map"),
        ("map goto", 0.2, "boxes[0] is 0.2 m high, but laser of pioneer-p3dx is mounted at 0.3 m: it is not in the"),
        ("map goto", 0.4, ""),
    ],
)  # fmt: skip
def test_a_run_warns_once_of_obstacles_below_the_range_sensors(
    command: str, height: float, warning: str, tmp_path: Path
) -> None:
    (tmp_path / "flat.toml").write_text(FLAT.format(height=height), encoding="utf-8")
    goal = ["1.2", "1.2"] if command == "map goto" else []
    done = paddock(*command.split(), str(tmp_path / "flat.toml"), *goal, "--headless", "--seconds", "1")
    assert done.stderr.count("is mounted at") == bool(warning)
    assert warning in done.stderr
    assert ("without the obstacles below the sensor" in done.stdout.replace("\n", " ")) is (command == "map explore")


def test_several_low_obstacles_are_counted(tmp_path: Path) -> None:
    text = FLAT.format(height=0.1) + "[[cylinders]]\nat = [0.5, 2.5]\nradius = 0.1\nheight = 0.15\n"
    (tmp_path / "flat.toml").write_text(text, encoding="utf-8")
    world = load_world(tmp_path / "flat.toml")
    (robot,) = robot_types(world)
    assert describe_blind_spots(world, robot).startswith("boxes[0] is 0.1 m high (and 1 more that are too low), but")


@pytest.mark.parametrize("name", world_names())
def test_robots_of_shipped_worlds_detect_all_obstacles(name: str) -> None:
    world = load_world(name)
    assert not [found for spec in robot_types(world) if (found := describe_blind_spots(world, spec))]
