"""Tests that the examples of docs/control/navigation.md run and that the page describes every choice."""

from __future__ import annotations

from pathlib import Path

import pytest

from paddock.control.navigation import EXPLORATION, FOLLOWERS, RECOVERIES
from pages import DOCS, run_examples

PAGE = DOCS / "control/navigation.md"
TEXT = PAGE.read_text(encoding="utf-8")


@pytest.mark.heavy
def test_examples_run_in_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    run_examples(PAGE)
    assert (tmp_path / "map.png").exists()


def test_every_choice_is_described() -> None:
    for registry in (FOLLOWERS, EXPLORATION, RECOVERIES):
        assert [name for name in registry.builtin if f"| `{name}` |" not in TEXT] == []
