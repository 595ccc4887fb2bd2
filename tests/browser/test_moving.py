"""A supervisor moves and turns robots on the arena with the mouse or by touch."""

from __future__ import annotations

import math

import pytest

from browser.stage import Finger, Visit, expect, find_tick

HANDLE = 24  # pixels from the body's edge to the handle


def find_handle(page: Visit, heading: float) -> tuple[float, float]:
    """The position of the selected robot's handle on the screen."""
    x, y = page.robot_at("red")
    away = 0.037 * page.ask("paddock.view.scale") + HANDLE
    return x + away * math.cos(heading), y - away * math.sin(heading)


def test_dragged_robot_is_moved(clutter, page):
    _, arena = clutter
    page.drag(page.robot_at("red"), page.at(0.5, 0.4))
    page.until("Math.abs(paddock.robots()[0].x - 0.5) < 0.01")
    assert tuple(arena["red"].pose) == pytest.approx((0.5, 0.4, math.pi / 2), abs=0.01)
    expect(page.find("monitor-name")).to_have_text("red")
    assert find_tick(arena) == 0


def test_handle_turns_robot_in_place(clutter, page):
    _, arena = clutter
    page.choose("red")
    x, y = page.robot_at("red")
    page.drag(find_handle(page, math.pi / 2), (x - 60, y))
    page.until("Math.abs(Math.abs(paddock.robots()[0].heading) - Math.PI) < 0.05")
    pose = arena["red"].pose
    assert (pose.x, pose.y) == pytest.approx((0.75, 0.9), abs=1e-4)
    assert math.cos(pose.heading) == pytest.approx(-1, abs=1e-3)


def test_shift_snaps_headings(clutter, page):
    _, arena = clutter
    page.choose("red")
    x, y = page.robot_at("red")
    page.page.keyboard.down("Shift")
    page.drag(find_handle(page, math.pi / 2), (x + 60, y - 33))  # about 29 degrees
    page.page.keyboard.up("Shift")
    page.until("Math.abs(paddock.robots()[0].heading - Math.PI / 6) < 1e-3")
    assert arena["red"].pose.heading == pytest.approx(math.pi / 6, abs=1e-6)


@pytest.mark.parametrize(("at", "reason"), [((0.45, 0.70), "cannot be moved"), ((0.01, 0.9), "cannot be moved")])
def test_robot_cannot_be_moved_to_occupied_position(clutter, page, at, reason):
    _, arena = clutter
    before = tuple(arena["red"].pose)
    page.drag(page.robot_at("red"), page.at(*at))
    expect(page.find("toast")).to_contain_text(reason)
    assert tuple(arena["red"].pose) == before
    page.pictures(15)
    assert page.ask("paddock.robots()[0].y") == pytest.approx(before[1])


def test_escape_cancels_dragging(clutter, page):
    _, arena = clutter
    before = tuple(arena["red"].pose)
    mouse = page.page.mouse
    mouse.move(*page.robot_at("red"))
    mouse.down()
    mouse.move(*page.at(0.5, 0.4), steps=5)
    page.page.keyboard.press("Escape")
    mouse.up()
    page.pictures(15)
    assert tuple(arena["red"].pose) == before


def test_dragging_floor_moves_only_the_view(clutter, page):
    _, arena = clutter
    before = arena.digest()
    x = page.ask("paddock.view.x")
    page.drag(page.at(0.9, 0.45), page.at(0.7, 0.45))
    page.until("Math.abs(paddock.view.x - before - 0.2) < 0.02", before=x)
    page.find("fit").click()
    page.until("Math.abs(paddock.view.x - before) < 1e-9", before=x)
    assert arena.digest() == before


def test_mouse_wheel_zooms_around_pointer(page):
    spot = page.robot_at("red")
    scale = page.ask("paddock.view.scale")
    page.page.mouse.move(*spot)
    page.page.mouse.wheel(0, -300)
    page.until("paddock.view.scale > 1.3 * scale", scale=scale)
    assert page.robot_at("red") == pytest.approx(spot, abs=1)


def test_follow_keeps_moving_robot_centred(clutter, page):
    _, arena = clutter
    page.choose("red")
    page.page.keyboard.press("f")
    expect(page.find("follow")).to_have_attribute("aria-pressed", "true")
    arena["red"].wheels.set(0.1, 0.1)
    arena.play()
    page.until("paddock.robots()[0].y > 0.95")
    arena.pause()
    page.until("!paddock.session.clock.running && !paddock.session.states.moving")
    page.pictures(3)
    assert page.ask("paddock.view.y") == pytest.approx(arena["red"].pose.y, abs=0.01)
    arena["red"].stop()


def test_touch_drags_only_selected_robot(stage, visit):
    server, arena = stage("line-crossing")
    before = tuple(arena["red"].pose)
    page = visit(server.url, has_touch=True)
    start, end = page.robot_at("red"), page.at(0.6, 0.5)
    finger = Finger(page)
    finger.drag(start, end)  # moves the view
    page.until("!paddock.view.fitted")
    assert tuple(arena["red"].pose) == before
    page.page.keyboard.press("0")
    page.until("paddock.view.fitted")
    finger.tap(start)
    expect(page.find("monitor-name")).to_have_text("red")
    finger.drag(start, end)
    page.until("Math.abs(paddock.robots()[0].x - 0.6) < 0.01")
    assert tuple(arena["red"].pose)[:2] == pytest.approx((0.6, 0.5), abs=0.01)


def test_two_fingers_zoom(clutter, visit):
    server, _ = clutter
    page = visit(server.url, has_touch=True)
    scale = page.ask("paddock.view.scale")
    left, right = page.at(0.6, 0.5), page.at(0.9, 0.5)
    finger = Finger(page)
    finger.down(left, right)
    for i in range(1, 6):
        finger.move((left[0] - 12 * i, left[1]), (right[0] + 12 * i, right[1]))
    finger.up()
    page.until("paddock.view.scale > 1.3 * scale", scale=scale)


def test_preview_of_moved_robot_is_red_where_it_does_not_fit(clutter, page):
    red_ring = """(() => {
        const [px, py] = paddock.view.pixels(x, y).map((part) => Math.round(part * paddock.view.dpr));
        const copy = new OffscreenCanvas(80, 80).getContext("2d", { willReadFrequently: true });
        copy.drawImage(document.getElementById("layer-robots"), px - 40, py - 40, 80, 80, 0, 0, 80, 80);
        const { data } = copy.getImageData(0, 0, 80, 80);
        const [r, g, b] = getComputedStyle(document.documentElement).getPropertyValue("--bad").match(/\\w\\w/g);
        const bad = [r, g, b].map((part) => parseInt(part, 16));
        const isBad = (i) => bad.every((part, k) => Math.abs(data[i + k] - part) < 3) && data[i + 3] > 250;
        return data.some((_, i) => i % 4 === 0 && isBad(i));
    })()"""
    mouse = page.page.mouse
    mouse.move(*page.robot_at("red"))
    mouse.down()
    for (x, y), fits in {(0.6, 1.2): False, (0.6, 0.95): True, (0.03, 0.5): False, (0.75, 0.75): True}.items():
        mouse.move(*page.at(x, y), steps=3)
        page.until(f"{red_ring} === !fits", x=x, y=y, fits=fits)
    page.page.keyboard.press("Escape")
    mouse.up()


def test_robot_is_added_moved_and_removed(clutter, page):
    """It belongs to nobody: a program may drive it, and it stays when the page is closed."""
    server, _ = clutter
    page.find("robot-add").click()
    expect(page.find("add-name")).to_have_value("e-puck-1")
    page.find("add-type").select_option("pioneer-p3dx")
    expect(page.find("add-name")).to_have_value("pioneer-p3dx-1")
    page.find("add-type").select_option("scout")
    page.find("add-name").fill("red")
    page.find("add-yes").click()
    expect(page.find("toast")).to_contain_text("red")  # a name that is in use
    page.find("robot-add").click()
    page.find("add-type").select_option("scout")
    page.find("add-name").fill("new")
    page.find("add-yes").click()
    expect(page.find("monitor-name")).to_have_text("new")
    with server.connect(name="Ada") as ada:
        assert ada["new"].spec.name == "scout"
        ada["new"].wheels.set(0.05, 0.05)
        ada.step(0)
        assert ada.owner("new") == "Ada"
    page.until("paddock.session.robot('new').owner === ''")
    page.drag(page.robot_at("new"), page.at(1.1, 0.85))
    page.until("Math.abs(paddock.robots()[1].x - 1.1) < 0.01")
    page.find("robot-remove").click()
    page.until("paddock.robots().length === 1")
    expect(page.find("monitor")).to_contain_text("No robot selected")
