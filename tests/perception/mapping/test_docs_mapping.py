"""Tests that the examples of docs/perception/mapping.md run."""

from __future__ import annotations

from pathlib import Path

import pytest

from paddock.perception.mapping import MAPPING_METHODS
from pages import DOCS, run_examples

PAGE = DOCS / "perception/mapping.md"
TEXT = PAGE.read_text(encoding="utf-8")


@pytest.mark.long
def test_docs_examples_run_in_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    run_examples(PAGE)
    assert (tmp_path / "rooms.pgm").exists()


def test_docs_page_names_every_method() -> None:
    assert all(f"`{name}`" in TEXT for name in MAPPING_METHODS.builtin)
