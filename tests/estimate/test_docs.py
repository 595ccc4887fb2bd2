"""What docs/localisation.md shows works as it stands there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from paddock.core.toml import read_toml
from paddock.robots import RobotSpec
from pages import DOCS, run_examples

PAGE = DOCS / "localisation.md"
TEXT = PAGE.read_text(encoding="utf-8")


@pytest.mark.heavy
def test_the_examples_run_one_after_the_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    run_examples(PAGE)
    assert (tmp_path / "nees.png").exists()


def test_the_robot_file_is_one() -> None:
    (block,) = re.findall(r"```toml\n(.*?)```", TEXT, re.DOTALL)
    spec = RobotSpec.from_table(read_toml(block))
    assert spec.drive.measured is not None
    assert spec.drive.measured.wheel_separation == 0.0522937
