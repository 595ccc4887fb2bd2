"""What the page about environments shows works as it stands there."""

from __future__ import annotations

from pathlib import Path

import pytest

from pages import run_examples

PAGE = Path(__file__).parents[2] / "docs" / "gym.md"


def test_the_page_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    run_examples(PAGE)
    assert (tmp_path / "avoid.npz").is_file()
