"""The examples of docs/bridges/ros2.md run unchanged."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from paddock.bridges.ros2.bridge import SETTINGS, WORDS
from paddock.bridges.ros2.rosbridge import ANY_ORIGIN
from paddock.bridges.ros2.simulation_control import list_services
from pages import run_examples

PAGE = Path(__file__).parents[3] / "docs" / "bridges/ros2.md"
TEXT = PAGE.read_text(encoding="utf-8")


@pytest.mark.heavy
def test_examples_run(capsys: pytest.CaptureFixture[str]) -> None:
    run_examples(PAGE)
    assert capsys.readouterr().out.splitlines() == ["0.5", "geometry_msgs/Vector3 linear RIHS01_9c45bf16"]


def test_every_setting_and_service_is_documented() -> None:
    table = TEXT.split("| setting, after a comma |")[1].split("\n\n")[0]
    assert set(re.findall(r"^\| `([\w-]+)` \|", table, re.MULTILINE)) == {*SETTINGS, *WORDS, ANY_ORIGIN}

    class NoHub:
        arena = time = None

    names = {service.name for service in list_services(NoHub())}
    assert names == set(re.findall(r"`(/\w+)`", TEXT.split("## The simulation")[1].split("## ")[0]))
