"""The examples of docs/simulation/mazes.md run unchanged."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from paddock.cli.world import make_maze
from paddock.simulation.worlds.importers import import_world
from paddock.simulation.worlds.mazes import KINDS

PAGE = (Path(__file__).parents[3] / "docs" / "simulation/mazes.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)


@pytest.mark.parametrize("block", blocks("python"))
def test_python_examples_run(block: str) -> None:
    exec(compile(block, "mazes.md", "exec"), {})


def test_floor_plan_of_the_page_can_be_imported(tmp_path: Path) -> None:
    (plan,) = blocks("rossum")
    (tmp_path / "hall.txt").write_text(plan, encoding="utf-8")
    world, start, left_out, _ = import_world(tmp_path / "hall.txt")
    assert (world.title, start, len(left_out)) == ("A hall", "home", 2)
    assert (len(world.walls), len(world.boxes), len(world.lights), len(world.starts)) == (3, 1, 1, 4)


def test_error_message_matches_the_page(tmp_path: Path) -> None:
    (plan,) = blocks("rossum")
    (tmp_path / "hall.txt").write_text(plan.replace("0, 60, 98, 60, 0.75", "0, 60"), encoding="utf-8")
    with pytest.raises(Exception, match="hall") as refused:
        import_world(tmp_path / "hall.txt")
    assert f"`{refused.value}`" in PAGE


def test_tables_list_every_kind_and_option() -> None:
    assert re.findall(r"^\| `(\w+)` \| [^|]+ \| [^|]+ \|$", PAGE, re.MULTILINE) == list(KINDS)
    named = set(re.findall(r"`--?(\w+)", PAGE))
    assert set(make_maze.__annotations__) - {"out", "return"} <= named
