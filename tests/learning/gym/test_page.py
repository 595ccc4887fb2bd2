"""Tests that the examples of the documentation page about environments run."""

from __future__ import annotations

from pathlib import Path

import pytest

from pages import run_examples

PAGE = Path(__file__).parents[3] / "docs" / "learning/gym.md"


def test_page_examples_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    run_examples(PAGE)
    assert (tmp_path / "avoid.npz").is_file()
