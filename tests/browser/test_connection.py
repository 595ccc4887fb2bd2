"""Loss of the server: the page reports it and reconnects."""

from __future__ import annotations

import pytest

from browser.stage import Served, expect, free_port, until

# How much of the arena lies below the banner, 0 … 1.
COVERED = """(() => {
    const [banner, arena] = ["banner", "arena"].map((id) => document.getElementById(id).getBoundingClientRect());
    return (banner.width * banner.height) / (arena.width * arena.height);
})()"""

# Click, unless the page was faster and has connected by itself.
TRY_NOW = """(() => {
    const retry = document.getElementById("banner-retry");
    if (retry.offsetParent) retry.click();
})()"""


@pytest.fixture
def server(chromium):
    with Served("clutter", port=free_port()) as started:
        yield started


def test_page_reconnects_to_restarted_server_and_works(server, visit):
    page = visit(server.url)
    page.choose("red")
    page.until("paddock.sensed !== undefined")
    server.stop()
    expect(page.find("connection")).not_to_have_attribute("data-state", "live")
    expect(page.find("banner")).to_be_visible()
    expect(page.find("banner")).to_contain_text("Connection lost")
    assert page.ask(COVERED) < 0.2
    for control in ("play", "step", "reset", "drive"):
        expect(page.find(control)).to_be_disabled()
    server.start()
    page.ask(TRY_NOW)
    expect(page.find("connection")).to_have_attribute("data-state", "live")
    expect(page.find("banner")).to_be_hidden()
    with server.connect() as arena:
        frames = page.ask("paddock.frames")
        page.until("paddock.frames > frames", frames=frames)
        expect(page.find("monitor-name")).to_have_text("red")
        page.drive("red")
        page.page.keyboard.down("w")
        until(arena, lambda: arena["red"].pose.y > 0.91)
        page.page.keyboard.up("w")
        page.page.keyboard.press("e")
        page.until("paddock.sensed?.tick > 0")
        page.find("play").click()
        page.until("!paddock.session.clock.running")
        page.drag(page.robot_at("red"), page.at(0.5, 0.4))
        page.until("Math.abs(paddock.robots()[0].x - 0.5) < 0.01")
        assert arena["red"].pose.x == pytest.approx(0.5, abs=0.01)
    page.forgive_lost_connections()


def test_orderly_server_stop_is_shown_as_status_not_as_error(server, visit):
    page = visit(server.url)
    server.end_politely()
    banner = page.find("banner")
    expect(banner).to_contain_text("The server stops.")
    expect(banner).to_have_attribute("role", "status")
    expect(page.find("retry")).to_be_hidden()
    assert page.ask(COVERED) < 0.1
    bottom = page.at(0.0, 0.0)[1]  # the arena's lower wall
    box = banner.bounding_box()
    assert box is not None
    assert box["y"] > bottom
    page.until("paddock.session.link.wait > 2000")  # attempts that failed change nothing
    expect(banner).to_contain_text("The server stops.")
    expect(banner).not_to_contain_text("Connection lost")
    expect(page.find("connection")).to_have_text("ended")
    server.start()
    expect(page.find("connection")).to_have_attribute("data-state", "live")
    expect(banner).to_be_hidden()
    server.stop()  # now it is a loss
    expect(banner).to_contain_text("Connection lost")
    page.forgive_lost_connections()


def test_page_reconnects_automatically(server, visit):
    page = visit(server.url)
    server.stop()
    expect(page.find("connection")).not_to_have_attribute("data-state", "live")
    server.start()
    page.until("paddock.state === 'live'")
    tick = page.ask("paddock.session.clock.tick")
    page.until("paddock.session.clock.tick > tick", tick=tick)
    page.forgive_lost_connections()


def test_page_resumes_driving_after_reconnect(server, visit):
    page = visit(server.url)
    page.drive("red")
    server.stop()
    expect(page.find("connection")).not_to_have_attribute("data-state", "live")
    server.start()
    page.until("paddock.state === 'live' && paddock.session.robot('red')?.owner === paddock.session.client")
    expect(page.find("drive")).to_have_attribute("aria-checked", "true")
    with server.connect() as arena:
        page.page.keyboard.down("w")
        until(arena, lambda: arena["red"].pose.y > 0.91)
        page.page.keyboard.up("w")
    page.forgive_lost_connections()
