"""Tests that the examples of docs/perception/localisation.md run."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from paddock.core.toml import read_toml
from paddock.simulation.robots import RobotSpec
from pages import DOCS, run_examples

PAGE = DOCS / "perception/localisation.md"
TEXT = PAGE.read_text(encoding="utf-8")


@pytest.mark.heavy
def test_examples_run_in_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    run_examples(PAGE)
    assert (tmp_path / "nees.png").exists()


def test_robot_file_of_the_page_is_valid() -> None:
    (block,) = re.findall(r"```toml\n(.*?)```", TEXT, re.DOTALL)
    spec = RobotSpec.from_table(read_toml(block))
    assert spec.drive.measured is not None
    assert spec.drive.measured.wheel_separation == 0.0522937
