"""Tests that the examples of docs/report/reports.md run."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "report/reports.md"


def test_examples_run_and_write_their_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for block in re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL):
        exec(compile(block, str(PAGE), "exec"), {})
    names = {path.name for path in (tmp_path / "runs" / "line-track-001").iterdir()}
    assert names == {"run.log", "trace.csv", "summary.json", "path.png", "wheels.png", "report.html"}
    assert {"battery.png", "battery.svg"} <= {path.name for path in tmp_path.iterdir()}
