"""Manual driving: keys and a stick move the robot, and their release stops it."""

from __future__ import annotations

import pytest

from browser.stage import Finger, expect, find_owner, until


def stands_still(arena, robot="red"):
    return lambda: tuple(arena[robot].wheels.speeds) == (0.0, 0.0)


def test_key_drives_robot_while_pressed(clutter, page):
    _, arena = clutter
    page.drive("red")
    assert find_owner(arena, "red") == page.ask("paddock.session.client")
    arena.play()
    page.page.keyboard.down("ArrowUp")
    until(arena, lambda: arena["red"].pose.y > 0.91)
    page.page.keyboard.up("ArrowUp")
    until(arena, stands_still(arena))
    assert arena["red"].pose.x == pytest.approx(0.75, abs=0.01)
    page.page.keyboard.down("a")
    until(arena, lambda: arena["red"].pose.heading > 1.7)
    page.page.keyboard.up("a")
    until(arena, stands_still(arena))


def test_robot_stops_when_page_is_closed(clutter, visit):
    server, arena = clutter
    page = visit(server.url)
    page.drive("red")
    arena.play()
    page.page.keyboard.down("w")
    until(arena, lambda: arena["red"].pose.y > 0.91)
    page.page.close()
    until(arena, stands_still(arena))
    until(arena, lambda: arena.owner("red") == "")


def test_robot_stops_when_window_loses_focus(clutter, page):
    _, arena = clutter
    page.drive("red")
    arena.play()
    page.page.keyboard.down("w")
    until(arena, lambda: arena["red"].pose.y > 0.91)
    page.ask("window.dispatchEvent(new Event('blur'))")
    until(arena, stands_still(arena))
    page.page.keyboard.up("w")


def test_keys_do_not_drive_before_driving_is_enabled(clutter, page):
    _, arena = clutter
    page.page.mouse.click(*page.robot_at("red"))
    expect(page.find("drive")).to_have_attribute("aria-checked", "false")
    view = page.ask("paddock.view.y")
    arena.play()
    page.page.keyboard.press("ArrowUp")
    page.until("paddock.view.y !== view", view=view)  # they move the view
    until(arena, lambda: arena.tick > 20)
    assert tuple(arena["red"].pose) == pytest.approx((0.75, 0.9, 1.5708), abs=1e-4)
    assert find_owner(arena, "red") == ""


def test_disabling_drive_releases_robot(clutter, page):
    _, arena = clutter
    page.drive("red")
    expect(page.find("monitor")).to_contain_text("driven by you")
    page.page.keyboard.press("e")
    expect(page.find("drive")).to_have_attribute("aria-checked", "false")
    arena["red"].wheels.set(0.05, 0.05)  # free for others again
    page.until("paddock.session.robot('red').owner === 'truth'")
    expect(page.find("monitor")).to_contain_text("driven by truth")


def test_supervisor_takes_robot_over_from_program(clutter, page):
    server, arena = clutter
    with server.connect(name="Ada") as ada:
        ada["red"].wheels.set(0.05, 0.05)
        page.choose("red")
        expect(page.find("drive")).to_have_text("Take over")
        page.find("drive").click()
        expect(page.find("drive")).to_have_attribute("aria-checked", "true")
        assert find_owner(arena, "red") == page.ask("paddock.session.client")
        arena.play()
        until(arena, stands_still(arena))


def test_stick_drives_by_touch(clutter, visit):
    server, arena = clutter
    page = visit(server.url, size=(390, 844), has_touch=True, is_mobile=True)
    page.choose("red")
    page.find("drive").tap()
    stick = page.find("stick")
    expect(stick).to_be_visible()
    stick.scroll_into_view_if_needed()
    box = stick.bounding_box()
    assert box is not None
    middle = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    arena.play()
    finger = Finger(page)
    finger.down(middle)
    finger.move((middle[0], box["y"] + 4))
    until(arena, lambda: arena["red"].pose.y > 0.91)
    finger.up()
    until(arena, stands_still(arena))
    assert arena["red"].pose.x == pytest.approx(0.75, abs=0.01)


def test_stick_turns_robot(clutter, page):
    _, arena = clutter
    page.drive("red")
    box = page.find("stick").bounding_box()
    assert box is not None
    arena.play()
    mouse = page.page.mouse
    mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    mouse.down()
    mouse.move(box["x"] + 4, box["y"] + box["height"] / 2, steps=3)
    until(arena, lambda: arena["red"].pose.heading > 1.7)
    mouse.up()
    until(arena, stands_still(arena))


def test_driving_while_the_clock_is_paused_says_why_nothing_moves(clutter, page):
    _, arena = clutter
    page.drive("red")
    expect(page.find("toast")).to_have_text("The clock is paused, so red does not move: press play (space).")
    page.find("toast").click()
    page.page.keyboard.press("w")
    expect(page.find("toast")).to_contain_text("The clock is paused")
    page.find("toast").click()
    arena.play()
    page.until("paddock.session.clock.running")
    page.page.keyboard.press("w")
    expect(page.find("toast")).to_have_count(0)
