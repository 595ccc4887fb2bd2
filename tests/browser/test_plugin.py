"""A sensor kind of another package has a gauge on the page that shows its reading."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from browser.stage import Served, expect

pytestmark = pytest.mark.long

PLUGIN = Path(__file__).parents[2] / "examples" / "plugin"
COMPILE = "import paddock; paddock.open('mouse-hole')['mouse'].enable()"  # before anybody waits for it
ENTRY_POINTS = """
[paddock.sensors]
whisker = paddock_whiskers.whisker:WhiskerSpec
[paddock.robots]
mouse = paddock_whiskers:MOUSE
[paddock.worlds]
mouse-hole = paddock_whiskers:MOUSE_HOLE
"""


def test_sensor_of_another_package_has_gauge(visit, tmp_path, monkeypatch):
    about = tmp_path / "paddock_whiskers-0.1.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: paddock-whiskers\nVersion: 0.1\n")
    (about / "entry_points.txt").write_text(ENTRY_POINTS)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(tmp_path), str(PLUGIN / "src"), *sys.path]))
    subprocess.run([sys.executable, "-c", COMPILE], check=True, capture_output=True)
    with Served("mouse-hole") as server, server.connect() as arena:
        page = visit(server.url)
        page.choose("mouse")
        expect(page.find("device-whiskers")).to_be_visible()
        arena["mouse"].set_pose(0.45, 0.0, 0.0)
        page.until("Number(document.querySelector('[data-testid=bar-whiskers-0]')?.dataset.value) > 0.02")
