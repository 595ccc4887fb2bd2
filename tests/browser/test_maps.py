"""The page shows the map of a robot's program, updates and hides it, and sends goals."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from browser.stage import Served, Visit, expect
from browser.test_drawing import PIXELS

CONTROLLER = """
import numpy as np

from paddock.perception.mapping import GridFrame, MapView

FRAME = GridFrame(0.0, 0.0, 0.1, 20, 20)  # the whole world


class Controller:
    task = "waits"
    refusal = ""

    def __init__(self, robot):
        self.version, self.name = 0, robot.name
        self.goal = np.empty((0, 2))

    def act(self, observation):
        self.version = int(observation.time)
        return 0.0, 0.0

    def set_goal(self, x, y):
        self.refusal = f"({x:.1f}, {y:.1f}) is in an obstacle" if x < 1.0 else ""
        if not self.refusal:
            self.goal, self.task = np.array([[x, y]]), f"{self.name} drives"
        return not self.refusal

    @property
    def map_view(self):
        cells = np.full(FRAME.shape, 255, np.uint8)
        cells[: 2 + self.version] = 0  # from below, a row a second
        cells[0] = 100
        frontiers = np.array([[1.7, 0.3]])
        return MapView(frame=FRAME, cells=cells, frontiers=frontiers, goal=self.goal, version=self.version)
"""
SHADE = PIXELS.replace("`layer-${layer}`", "'layer-map'") + "[51]"  # opacity of the middle


@pytest.fixture
def page(visit: Any, tmp_path: Path) -> Iterator[Visit]:
    file = tmp_path / "cartographer.py"
    file.write_text(CONTROLLER)
    with Served("empty", "-c", str(file)) as server:
        page: Visit = visit(server.url)
        page.until("paddock.map?.grid")
        yield page


def test_map_is_drawn_updated_and_hidden(page: Visit) -> None:
    page.until(f"{SHADE} > 200", x=1.25, y=0.05)  # ink: occupied
    page.until(f"{SHADE} < 90", x=1.25, y=0.15)  # little: free
    page.until(f"{SHADE} > 95 && {SHADE} < 200", x=1.25, y=1.95)  # a veil: unknown
    page.until("paddock.map.grid.version >= since + 2", since=page.ask("paddock.map.grid.version"))  # it grows
    expect(page.find("map-legend")).to_be_visible()
    expect(page.find("map-task")).to_have_text("waits")
    page.find("map-map").click()
    expect(page.find("map-map")).to_have_attribute("aria-pressed", "false")
    page.until(f"{SHADE} === 0", x=1.25, y=0.05)
    page.page.keyboard.press("m")
    page.until(f"{SHADE} > 200", x=1.25, y=0.05)


def test_hidden_map_parts_stay_hidden_after_reload(page: Visit) -> None:
    drawn = PIXELS.replace("`layer-${layer}`", "'layer-robots'") + ".some((part, i) => i % 4 === 3 && part > 0)"
    page.until(drawn, x=1.7, y=0.3)
    page.find("map-frontiers").click()
    page.until(f"!({drawn})", x=1.7, y=0.3)
    page.open(page.page.url)
    page.until("paddock.map?.grid")
    expect(page.find("map-frontiers")).to_have_attribute("aria-pressed", "false")
    page.until(f"!({drawn})", x=1.7, y=0.3)


def test_flag_is_only_there_for_robots_whose_program_takes_goals(page: Visit) -> None:
    expect(page.find("goal")).to_be_visible()
    page.page.evaluate("paddock.session.ask('spawn', { robot: 'other', kind: 'e-puck' })")
    page.choose("other")
    expect(page.find("goal")).to_be_hidden()
    page.page.keyboard.press("g")
    expect(page.find("toast")).to_contain_text("other takes no goals")
    page.choose("red")
    expect(page.find("goal")).to_be_visible()


def test_click_sends_goal_and_refusal_is_shown_with_reason(page: Visit) -> None:
    page.find("goal").click()
    expect(page.find("goal")).to_have_attribute("aria-pressed", "true")
    page.page.mouse.click(*page.at(1.6, 0.8))
    page.until("Math.hypot(paddock.map.goal[0] - 1.6, paddock.map.goal[1] - 0.8) < 0.02")
    expect(page.find("goal")).to_have_attribute("aria-pressed", "false")  # for one click
    expect(page.find("map-task")).to_have_text("red drives")
    page.page.keyboard.press("g")
    page.page.mouse.click(*page.at(0.4, 0.8))
    expect(page.find("toasts")).to_contain_text("red: (0.4, 0.8) is in an obstacle")
    assert page.ask("paddock.selected") == "red"  # a click with the tool chooses nothing
    page.page.keyboard.press("g")
    page.page.keyboard.press("Escape")
    expect(page.find("goal")).to_have_attribute("aria-pressed", "false")
    assert page.ask("paddock.selected") == "red"
