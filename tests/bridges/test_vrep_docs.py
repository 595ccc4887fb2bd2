"""What docs/vrep.md shows works as it stands there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from paddock.links.vrep import OPTIONS

PAGE = Path(__file__).parents[2] / "docs" / "vrep.md"
TEXT = PAGE.read_text(encoding="utf-8")


@pytest.mark.heavy
def test_the_examples_run(capsys: pytest.CaptureFixture[str]) -> None:
    names: dict[str, object] = {"__name__": "page"}
    for block in re.findall(r"^```python\n(.*?)^```", TEXT, re.DOTALL | re.MULTILINE):
        above = TEXT[: TEXT.index(block)].count("\n")  # so that a mistake is reported at its line of the page
        exec(compile("\n" * above + block, str(PAGE), "exec"), names)
    assert capsys.readouterr().out.split()[1] == "5.0"


def test_every_option_of_the_link_is_told() -> None:
    rows = re.findall(r"^\| `(\w+)` \|", TEXT.split("| option of the URL |")[1], re.MULTILINE)
    assert set(rows) == set(OPTIONS)
