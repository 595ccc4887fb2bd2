"""What docs/localisation.md shows works as it stands there."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from paddock.core.toml import read_toml
from paddock.robots import RobotSpec

PAGE = Path(__file__).parents[2] / "docs" / "localisation.md"
TEXT = PAGE.read_text(encoding="utf-8")


@pytest.mark.heavy
def test_the_examples_run_one_after_the_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    for block in re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL):
        exec(compile(block, str(PAGE), "exec"), names)
    assert (tmp_path / "nees.png").exists()


def test_the_robot_file_is_one() -> None:
    (block,) = re.findall(r"```toml\n(.*?)```", TEXT, re.DOTALL)
    spec = RobotSpec.from_table(read_toml(block))
    assert spec.drive.measured is not None
    assert spec.drive.measured.wheel_separation == 0.0522937
