"""The page of real robots (emulators in a running simulation): they can be driven but not teleported."""

from __future__ import annotations

from typing import Any

import pytest

from bridges.common.drivers import drive_on_lawn
from browser.stage import Served, Visit, expect
from paddock.testing import wait_for

pytest.importorskip("serial", reason="pip install pyserial")
pytest.importorskip("pty", reason="no pseudo terminals here")


def test_real_robots_are_driven_and_stop_when_page_is_closed(visit: Any) -> None:
    with drive_on_lawn() as (lawn, urls), Served("--robot", urls["serial"], "--robot", urls["wifi"]) as server:
        wheels = lawn["serial"].wheels
        page: Visit = visit(server.url)
        page.drive("e-puck")
        expect(page.find("pose")).to_contain_text("pose by odometry")
        for control in ("speed", "seed"):
            expect(page.find(control)).to_be_disabled()
        assert page.ask("paddock.session.whyNotSimulate") == "These robots are real."
        page.page.keyboard.down("ArrowUp")
        wait_for(lambda: min(wheels.speeds) > 0.05)
        page.until("paddock.session.states.x[0] > 0")
        page.page.keyboard.up("ArrowUp")
        wait_for(lambda: wheels.speeds == (0, 0))
        page.page.keyboard.down("ArrowDown")
        wait_for(lambda: max(wheels.speeds) < -0.05)
        page.page.close()
        wait_for(lambda: wheels.speeds == (0, 0))
