"""The page about sweeps: its examples run, and its file equals the example that it names."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from pages import DOCS, run_examples

PAGE = DOCS / "experiments/sweeps.md"


@pytest.mark.heavy
def test_the_python_examples_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert run_examples(PAGE)["done"].runs == 20
    assert (tmp_path / "runs" / "speeds" / "report.html").exists()


def test_file_of_page_equals_example_file() -> None:
    (shown,) = re.findall(r"^```toml\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    example = DOCS.parent / "examples" / "sweeps" / "avoid.toml"
    assert tomllib.loads(shown) == tomllib.loads(example.read_text(encoding="utf-8"))
