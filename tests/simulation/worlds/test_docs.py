"""The examples of docs/simulation/worlds.md run unchanged."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from PIL import Image

import paddock
from paddock.simulation.worlds import load_world, save_world, world_names
from pages import run_examples

PAGE = Path(__file__).parents[3] / "docs" / "simulation/worlds.md"


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)


@pytest.fixture
def yard(tmp_path: Path) -> Path:
    """Write the files of the example into one folder."""
    for block in blocks("toml"):
        name = block.splitlines()[0].removeprefix("# ")
        (tmp_path / name).write_text(block, encoding="utf-8")
    Image.new("RGB", (400, 400), "#c8b8a0").save(tmp_path / "carpet.png")
    Image.linear_gradient("L").resize((150, 100)).save(tmp_path / "dew.png")
    return tmp_path / "yard.toml"


def test_complete_example_loads_and_runs(yard: Path) -> None:
    world = load_world(yard)
    assert [box.at for box in world.boxes] == [(2.0, 1.8), (1.2, 1.5)]  # the included one first
    with paddock.open(yard) as arena:
        for robot in arena.robots.values():
            robot.enable()
            robot.wheels.set(0.1, 0.1)
        arena.step(10)
        assert set(arena.robots) == {"red", "worn", "cart"}


def test_complete_example_round_trips(yard: Path) -> None:
    save_world(load_world(yard), yard.with_name("copy.toml"))
    assert load_world(yard.with_name("copy.toml")) == load_world(yard)


def test_complete_example_uses_every_key_of_the_format(yard: Path) -> None:
    from paddock.core.spec import hints
    from paddock.simulation.worlds import world_spec as spec

    words = set(re.findall(r"\w+", yard.read_text(encoding="utf-8")))
    parts = (spec.Wall, spec.Box, spec.Cylinder, spec.Arc, spec.Stroke, spec.Floor, spec.Light, spec.Sound)
    for part in (*parts, spec.Field, spec.Start, spec.RobotPlacement, spec.Border, spec.MazeGrid, spec.WorldSpec):
        assert set(hints(part)) <= words, part.__name__


def test_python_examples_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    run_examples(PAGE)
    assert {path.name for path in tmp_path.iterdir()} == {"line-crossing.png", "slalom.toml", "run.png"}


def test_table_lists_every_shipped_world() -> None:
    listed = re.findall(r"^\| `([\w-]+)` \|", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert sorted(listed) == world_names()
