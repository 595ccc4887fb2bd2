"""The examples of docs/bridges/player.md run unchanged."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from paddock.bridges.player.link import OPTIONS
from paddock.bridges.player.wire import PlayerInterface
from pages import run_examples

PAGE = Path(__file__).parents[3] / "docs" / "bridges/player.md"
TEXT = PAGE.read_text(encoding="utf-8")


@pytest.mark.heavy
def test_examples_run(capsys: pytest.CaptureFixture[str]) -> None:
    run_examples(PAGE)
    assert capsys.readouterr().out.split()[1] == "5.0"


def test_every_link_option_and_interface_is_documented() -> None:
    rows = re.findall(r"^\| `(\w+)` \|", TEXT.split("| option of the URL |")[1], re.MULTILINE)
    assert set(rows) == set(OPTIONS)
    table = TEXT.split("| interface |")[1].split("\n\n")[0]
    cells = " ".join(line.split("|")[1] for line in table.splitlines()[1:])
    told = set(re.findall(r"`(\w+)`", cells))
    assert told == {interface.name.lower() for interface in PlayerInterface if interface != PlayerInterface.PLAYER}
