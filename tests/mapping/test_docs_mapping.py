"""What docs/mapping.md shows works as it stands there."""

from __future__ import annotations

from pathlib import Path

import pytest

from paddock.mapping import MAPPING_METHODS
from pages import DOCS, run_examples

PAGE = DOCS / "mapping.md"
TEXT = PAGE.read_text(encoding="utf-8")


@pytest.mark.long
def test_the_examples_run_one_after_the_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    run_examples(PAGE)
    assert (tmp_path / "rooms.pgm").exists()


def test_the_page_names_every_method() -> None:
    assert all(f"`{name}`" in TEXT for name in MAPPING_METHODS.builtin)
