"""Tests that the examples of docs/control/avoidance.md run."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from paddock.control.behaviours.avoidance import AVOIDANCE
from paddock.experiments.scenarios import load_scenario, run_scenario
from pages import run_examples

PAGE = Path(__file__).parents[4] / "docs" / "control/avoidance.md"
TEXT = PAGE.read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", TEXT, re.DOTALL | re.MULTILINE)


@pytest.mark.heavy
def test_python_blocks_run_in_order() -> None:
    assert run_examples(PAGE)["verdict"].cause == "light"


@pytest.mark.heavy
def test_scenario_reaches_its_goal(tmp_path: Path) -> None:
    (block,) = blocks("toml")
    (tmp_path / "around.toml").write_text(block, encoding="utf-8")
    assert run_scenario(load_scenario(tmp_path / "around.toml"), seed=0).complete


def test_page_lists_every_avoidance_and_its_pictures_exist() -> None:
    assert [name for name in AVOIDANCE.builtin if f"| `{name}` |" not in TEXT] == []
    assert [name for name in re.findall(r"\]\((pictures/[\w.-]+)\)", TEXT) if not (PAGE.parent / name).is_file()] == []
