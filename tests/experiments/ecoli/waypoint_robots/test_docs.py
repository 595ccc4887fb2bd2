"""The examples of docs/experiments/ecoli/waypoint-robots.md run unchanged."""

from __future__ import annotations

import math
import re
import shutil
import subprocess
from pathlib import Path

import pytest

import paddock
from experiments.ecoli.waypoint_robots.order_fixtures import running
from paddock.experiments.ecoli.waypoint_robots import OrderRobots
from paddock.experiments.ecoli.waypoint_robots.frames import compute_crc, read_checked
from paddock.experiments.ecoli.waypoint_robots.texts import ARGUMENTS, OUR_ARGUMENTS, TEMPLATES, UNKNOWN
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
    page = PAGE.read_text(encoding="utf-8")
    (text,) = re.findall(r"^    (@\S+) ", page, re.MULTILINE)
    (request,) = re.findall(r"`(@0000:\S+)`", page)
    assert read_checked(text) == (7, "O39.;95.")
    assert read_checked(request) == (0, "K5")
    assert f"`{UNKNOWN}, length string is: {len(request)}`" in page
    assert f"`{compute_crc('123456789'):04x}`" in page


def test_page_documents_every_reply() -> None:
    page = PAGE.read_text(encoding="utf-8")
    for kind, template in TEMPLATES.items():
        name = re.split(r"[({:]", template)[0]
        assert not name or f"`{name}" in page, kind


@pytest.mark.heavy
@pytest.mark.skipif(shutil.which("node") is None, reason="Node is not installed")
def test_host_in_another_language_drives_a_robot(tmp_path: Path) -> None:
    pytest.importorskip("pty", reason="no pseudo terminals here")
    (program,) = re.findall(r"^```js\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    (tmp_path / "host.mjs").write_text(program, encoding="utf-8")
    arena = paddock.open("petri-dish")
    with OrderRobots(arena, {"e-puck_2478": True}) as robots, running(arena):
        command = ["node", "host.mjs", robots.devices["e-puck_2478"]]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=60)
        assert math.dist(arena["e-puck_2478"].pose[:2], (0.95, 0.6)) < 0.005
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0].startswith("CHECKED(")
    assert lines[4].startswith("O100.;65. GO_TO_AVOIDING(")
    assert lines[6].startswith("D X:")
    assert lines[7] == "jump REFUSED()"
