"""Robots that take orders, on the page of their world."""

from __future__ import annotations

import re
import threading
from typing import Any

import pytest

import paddock
from browser.stage import Served, expect

pytest.importorskip("serial", reason="pip install pyserial")
RED = "e-puck_2478"


def test_page_shows_current_order_and_counts_of_robots(visit: Any) -> None:
    with Served("petri-dish", "--bridge", "orders=all") as server:
        page = visit(server.url)
        row = page.page.locator(f"[data-testid=order-row][data-robot='{RED}']")
        expect(page.find("order-row")).to_have_count(3)
        expect(row.locator(".note")).to_have_text("no host")
        device = server.line(rf"^{RED}: takes orders at (\S+) ")
        with paddock.connect(f"orders://{device}") as robot, server.connect() as arena:
            expect(row.locator(".note")).to_have_text("waits")
            expect(row.locator(".points")).to_have_text("0")
            drive = threading.Thread(target=robot.go_to, args=(0.0005, 0.3005), kwargs={"avoiding": False})
            drive.start()
            expect(row.locator(".note")).to_have_text("G0.05;30.05")
            for part in (".name", ".note"):
                assert row.locator(part).evaluate("shown => shown.scrollWidth <= shown.clientWidth"), part
            arena.set_speed(50.0)
            drive.join()
            expect(row.locator(".note")).to_have_text("waits")
            expect(row.locator(".points")).to_have_text("2")  # it was asked where it is, and it drove
            expect(row).to_have_attribute("title", re.compile(rf"{RED} · checked mode · 3\.\d s moving · 0 obstacles"))
        row.click()
        page.until("paddock.selected === robot", robot=RED)
