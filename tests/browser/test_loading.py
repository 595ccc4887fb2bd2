"""The page loads completely, from its server only, and under its own security policy."""

from __future__ import annotations

from urllib.parse import urlsplit
from urllib.request import urlopen

import pytest

from browser.stage import expect


def test_page_shows_world_and_robots(stage, visit):
    server, arena = stage("line-crossing")
    page = visit(server.url)
    expect(page.find("title")).to_have_text("Two e-pucks meet on a line")
    expect(page.page).to_have_title("Two e-pucks meet on a line · Paddock")
    expect(page.find("about")).to_contain_text("line-crossing · 1.6 × 1.2 m · 2 robots")
    expect(page.find("robot-item")).to_have_text(list(arena.robots))
    shown = {robot["name"]: robot for robot in page.ask("paddock.robots()")}
    for name, robot in arena.robots.items():
        assert (shown[name]["x"], shown[name]["y"]) == pytest.approx((robot.pose.x, robot.pose.y), abs=1e-6)
    assert page.ask("paddock.session.scene.bounds") == list(arena.world.bounds)


def test_robots_are_drawn_at_their_poses(page):
    x, y = page.ask("paddock.pixels('red')")
    robot, nothing = page.ask(  # the robots' layer is transparent where nothing is
        f"""(() => {{
            const layer = document.getElementById("layer-robots");
            const {{ clientWidth: width, clientHeight: height }} = layer;
            const context = new OffscreenCanvas(width, height).getContext("2d", {{ willReadFrequently: true }});
            context.drawImage(layer, 0, 0, width, height);
            const color = (x, y) => [...context.getImageData(x, y, 1, 1).data];
            return [color({x} - 8, {y}), color(5, 5)];
        }})()"""
    )
    assert robot[3] == 255
    assert robot[0] > robot[2]  # it is red
    assert nothing == [0, 0, 0, 0]


def test_page_requests_only_its_server(clutter, page):
    server, _ = clutter
    page.choose("red")
    page.until("document.querySelector('[data-testid=picture-camera]')?.dataset.pictures > 0")
    page.page.keyboard.press("?")
    expect(page.find("help-dialog")).to_be_visible()
    hosts = {urlsplit(url).netloc for url in page.requests}
    assert hosts == {urlsplit(server.url).netloc}
    assert any(url.startswith("ws://") for url in page.requests)


def test_security_policy_is_enforced(clutter, page):
    server, _ = clutter
    with urlopen(server.url) as answer:
        policy = answer.headers["Content-Security-Policy"]
    assert "default-src 'self'" in policy
    assert "unsafe" not in policy
    refused = page.ask(
        """new Promise((done) => {
            const tell = (event) => done(event.violatedDirective);
            document.addEventListener("securitypolicyviolation", tell, { once: true });
            const script = document.createElement("script");
            script.textContent = "window.foreign = true";
            document.head.append(script);
        })"""
    )
    assert refused.startswith("script-src")
    assert page.ask("window.foreign") is None
    page.errors.clear()  # that was on purpose
    page.ask("violations.splice(0)")


def test_spawned_robot_is_listed_until_it_leaves(clutter, page):
    server, _ = clutter
    with server.connect(name="Ada") as guest:
        guest.spawn("bug", "e-puck", color="#2f9e6e")
        expect(page.find("robot-item")).to_have_text(["red", "bugAda"])
    expect(page.find("robot-item").filter(visible=True)).to_have_text(["red"])


def test_selection_is_cleared_when_robot_leaves(clutter, page):
    server, _ = clutter
    with server.connect(name="Ada") as guest:
        guest.spawn("bug", "e-puck", color="#2f9e6e")
        page.choose("bug")
        expect(page.find("monitor-name")).to_have_text("bug")
    expect(page.find("robot-item").filter(visible=True)).to_have_text(["red"])
    expect(page.find("monitor")).to_contain_text("No robot selected")
