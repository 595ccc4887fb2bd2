"""The examples of docs/bridges/usarsim.md run unchanged."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from paddock.bridges.usarsim.link.url import OPTIONS
from pages import run_examples

PAGE = Path(__file__).parents[3] / "docs" / "bridges/usarsim.md"
TEXT = PAGE.read_text(encoding="utf-8")


@pytest.mark.heavy
def test_examples_run(capsys: pytest.CaptureFixture[str]) -> None:
    run_examples(PAGE)
    said = capsys.readouterr().out
    assert "NFO {Gametype BotDeathMatch} {Level yellow-rooms}" in said
    assert "SEN {Time 0.0200} {Type Sonar} {Name F1 Range" in said


def test_every_link_option_is_documented() -> None:
    rows = re.findall(r"^\| (`[a-z`, ]+`) \|", TEXT.split("| option |")[1].split("\n\n")[0], re.MULTILINE)
    assert set(re.findall(r"`(\w+)`", " ".join(rows))) == set(OPTIONS)
