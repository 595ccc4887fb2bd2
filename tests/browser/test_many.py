"""Hundreds of robots are drawn; the frame rate is measured by `paddock bench page-200 page-1000`."""

from __future__ import annotations

from dataclasses import replace

import pytest

from browser.stage import Served, expect
from paddock.cli.bench.local import swarm_world
from paddock.simulation.worlds import save_world
from paddock.testing import PaddockProcess


@pytest.mark.parametrize("count", [200, pytest.param(1000, marks=[pytest.mark.long, pytest.mark.soak])])
def test_many_driving_robots_are_drawn_and_move(chromium, visit, tmp_path, count):
    save_world(replace(swarm_world(count), dt=0.02), tmp_path / "swarm.toml")
    with PaddockProcess("run", str(tmp_path / "swarm.toml"), "--seconds", "1e6") as run:
        page = visit(run.url)
        expect(page.find("about")).to_contain_text(f"{count} robots")
        before = page.ask("paddock.robots().map(({ x, y }) => [x, y])")
        assert len(before) == count
        frames, tick = page.ask("[paddock.frames, paddock.session.clock.tick]")
        page.until("paddock.frames > frames + 5 && paddock.session.clock.tick > tick + 10", frames=frames, tick=tick)
        after = page.ask("paddock.robots().map(({ x, y }) => [x, y])")
        assert sum(one != other for one, other in zip(before, after, strict=True)) > 0.9 * count
        assert page.ask("paddock.fps()") > 0
        x, y = page.ask(f"paddock.pixels('robot{count // 2}')")
        assert 0 < x < 1280
        assert 0 < y < 800
        page.find("robot-search").fill(f"robot{count - 1}")
        page.choose(f"robot{count - 1}")  # far down in the list
        expect(page.find("monitor-name")).to_have_text(f"robot{count - 1}")
        page.until("document.querySelector('[data-testid=bar-proximity-0]')?.dataset.value !== undefined")


def test_robot_list_creates_only_visible_rows(chromium, visit, tmp_path):
    save_world(swarm_world(300), tmp_path / "swarm.toml")
    with Served(str(tmp_path / "swarm.toml")) as server:
        page = visit(server.url)
        assert page.find("robot-item").count() < 60
        page.page.keyboard.press("j")
        page.page.keyboard.press("k")  # round to the last one
        expect(page.find("monitor-name")).to_have_text("robot299")
        expect(page.page.locator("[role=option][aria-selected=true]")).to_be_in_viewport()
