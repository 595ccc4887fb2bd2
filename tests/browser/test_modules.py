"""The page shows the states of the modules that drive a robot, and sends goals to their planner."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from browser.stage import Served, Visit, expect
from network.nodes.rooms import MAPPING, configure
from paddock.network.nodes import ModuleThreads


def test_modules_are_listed_and_accept_goals(visit: Any, tmp_path: Path) -> None:
    options = {"planner": {"controller": "navigate"}, "mapper": {"method": "scan-to-map"}}
    configure(tmp_path)  # writes the world
    with Served(str(tmp_path / "hall.toml")) as server:
        spec = configure(tmp_path, *MAPPING, options=options, seconds=300.0, url=server.url)
        with ModuleThreads(spec):
            page: Visit = visit(server.url)
            rows = page.find("module-row")
            expect(rows).to_have_count(len(MAPPING))
            for name in MAPPING:
                expect(rows.and_(page.page.locator(f"[data-module={name}]"))).to_have_attribute("data-state", "running")
            page.until("paddock.map?.grid")
            page.find("goal").click()
            page.page.mouse.click(*page.at(2.5, 2.0))
            page.until("Math.hypot(paddock.map.goal[0] - 2.5, paddock.map.goal[1] - 2.0) < 0.1")
        expect(rows).to_have_count(0)
