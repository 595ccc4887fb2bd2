"""The examples of docs/experiments/ecoli/waypoint-robots.md run unchanged."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from paddock.experiments.ecoli.waypoint_robots.frames import read_checked
from paddock.experiments.ecoli.waypoint_robots.texts import ARGUMENTS, OUR_ARGUMENTS
from pages import run_examples

PAGE = Path(__file__).parents[4] / "docs" / "experiments/ecoli/waypoint-robots.md"


@pytest.mark.heavy
def test_python_examples_run(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("serial", reason="pip install pyserial")
    pytest.importorskip("pty", reason="no pseudo terminals here")
    run_examples(PAGE)
    told = capsys.readouterr().out
    assert "e-puck_2478 checked 2 of 2" in told
    assert "e-puck_2481 legacy 2 of 2" in told


def test_page_documents_every_order() -> None:
    told = "".join(re.findall(r"`(\w)[\w;]*`", PAGE.read_text(encoding="utf-8")))
    assert set(told) >= set(ARGUMENTS) | set(OUR_ARGUMENTS)


def test_example_frame_of_the_page_is_valid() -> None:
    (text,) = re.findall(r"^    (@\S+) ", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert read_checked(text) == (7, "O39.;95.")
