"""What docs/navigation.md shows works as it stands there, and names all that there is to choose from."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from paddock.navigation import EXPLORATION, FOLLOWERS, RECOVERIES

PAGE = Path(__file__).parents[2] / "docs" / "navigation.md"
TEXT = PAGE.read_text(encoding="utf-8")


@pytest.mark.heavy
def test_the_examples_run_one_after_the_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    for block in re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL):
        exec(compile(block, str(PAGE), "exec"), names)
    assert (tmp_path / "map.png").exists()


def test_every_choice_is_described() -> None:
    for registry in (FOLLOWERS, EXPLORATION, RECOVERIES):
        assert [name for name in registry.builtin if f"| `{name}` |" not in TEXT] == []
