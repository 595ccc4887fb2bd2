"""The monitor shows the readings of the selected robot as a program reads them."""

from __future__ import annotations

import math

import numpy as np
import pytest

from browser.stage import Visit, expect, find_tick
from paddock.network.client.remote import RemoteArena

BESIDE_WALL = (0.06, 0.94, math.pi)  # in `clutter`, with its nose 23 mm from the western wall


FRONT = "document.querySelector('[data-testid=bar-proximity-0]').dataset.value"
# Every bar of a device has its value, but for the digits that are not shown.
ALL_SHOWN = """values.every((value, i) =>
    Math.abs(document.querySelector(`[data-testid=bar-${device}-${i}]`).dataset.value - value) <= slack)"""


def sensed_now(page: Visit, arena: RemoteArena) -> None:
    """Wait until the monitor shows the readings of the server's current tick."""
    page.until("paddock.sensed?.tick === tick", tick=find_tick(arena))


def test_click_on_robot_selects_it(shared_stage):
    page, _ = shared_stage("line-crossing")
    expect(page.find("monitor")).to_contain_text("No robot selected")
    page.page.mouse.click(*page.robot_at("blue"))
    expect(page.find("monitor-name")).to_have_text("blue")
    page.page.mouse.click(*page.robot_at("red"))
    expect(page.find("monitor-name")).to_have_text("red")
    page.page.mouse.click(*page.at(0.8, 0.6))  # an empty place
    expect(page.find("monitor")).to_contain_text("No robot selected")


def test_robots_are_selected_in_list_and_by_keys(shared_stage):
    page, _ = shared_stage("line-crossing")
    page.choose("blue")
    expect(page.find("monitor-name")).to_have_text("blue")
    expect(page.page.locator("[role=option][aria-selected=true]")).to_have_text("blue")
    page.page.keyboard.press("j")
    expect(page.find("monitor-name")).to_have_text("red")
    page.page.keyboard.press("k")
    expect(page.find("monitor-name")).to_have_text("blue")
    page.page.keyboard.press("Escape")
    expect(page.find("monitor")).to_contain_text("No robot selected")


def test_bars_show_sensor_readings(clutter, page):
    """Near a wall and in the open, every bar shows the value that `sense` returns in Python."""
    _, arena = clutter
    red = arena["red"]
    red.enable()
    page.choose("red")
    nearest = []
    for pose in (BESIDE_WALL, (0.75, 0.9, 0.3)):
        red.set_pose(*pose)
        for _ in range(4):  # more than the period of the page's subscription
            page.find("step").click()
        sensed_now(page, arena)
        seen = red.sense()
        nearest.append(min(seen.proximity))
        for device, slack in {"proximity": 0.001, "ground": 0.01, "light": 0.01, "encoders": 0.001}.items():
            values = [float(value) for value in np.ravel(getattr(seen, device))]
            page.until(ALL_SHOWN, device=device, values=values, slack=slack)
        expect(page.find("bar-proximity-0").locator(".bar-value")).to_have_text(f"{100 * seen.proximity[0]:.1f}")
    assert nearest[0] < 0.04 < nearest[1]


def test_taller_bar_means_nearer_wall(clutter, page):
    _, arena = clutter
    page.choose("red")
    height = "document.querySelector('[data-testid=bar-proximity-0] .bar-fill').getBoundingClientRect().height"
    page.until(FRONT + " > 0.06")
    far = page.ask(height)
    arena["red"].set_pose(*BESIDE_WALL)
    for _ in range(4):
        page.find("step").click()
    page.until(FRONT + " < 0.05")
    assert page.ask(height) > far + 10


def test_readings_are_updated_after_teleport_on_paused_clock(clutter, page):
    _, arena = clutter
    page.choose("red")
    page.until(FRONT + " > 0.06")
    arena["red"].set_pose(*BESIDE_WALL)
    page.until(FRONT + " < 0.05")


def test_readings_are_updated_after_reset_on_paused_clock(clutter, page):
    _, arena = clutter
    arena["red"].set_pose(*BESIDE_WALL)
    page.choose("red")
    page.until(FRONT + " < 0.05")
    arena.reset()
    page.until(FRONT + " > 0.06")


def test_true_pose_and_wheel_speeds_are_shown(clutter, page):
    _, arena = clutter
    red = arena["red"]
    page.choose("red")
    red.wheels.set(0.08, -0.04)
    for _ in range(3):
        page.find("step").click()
    page.until("paddock.session.clock.tick === 3")
    assert tuple(red.wheels.speeds) == pytest.approx((0.08, -0.04), abs=1e-3)
    page.until(ALL_SHOWN, device="wheels", values=list(red.wheels.speeds), slack=1e-3)
    page.until(ALL_SHOWN, device="pose", values=list(red.pose), slack=1e-5)
    red.stop()


def test_leds_set_by_program_are_shown(clutter, page):
    _, arena = clutter
    page.choose("red")
    arena["red"].leds.set("led3", 1.0)
    arena["red"].stop()
    expect(page.find("led-led3")).to_have_class("led on")
    expect(page.find("led-led4")).to_have_class("led")
    arena["red"].leds.set("led3", 0.0)
    expect(page.find("led-led3")).to_have_class("led")


def test_leds_of_e_puck2_are_shown_in_their_colours(shared_stage):
    """It has 18 LEDs, four positions of which have red, green and blue."""
    page, arena = shared_stage("empty")
    puck = arena.spawn("puck", "e-puck2", at=(0.5, 0.5))
    page.choose("puck")
    background = "getComputedStyle(document.querySelector(`[data-testid=led-${name}]`)).backgroundColor"
    for name, color in {
        "led0": "rgb(255, 59, 48)",
        "led3_blue": "rgb(76, 141, 255)",
        "led5_green": "rgb(48, 209, 88)",
        "body": "rgb(55, 214, 122)",
        "front": "rgb(255, 233, 176)",
    }.items():
        puck.leds.set(name)
        expect(page.find(f"led-{name}")).to_have_class("led on")
        page.until(f"{background} === color", name=name, color=color)
    for name in set(puck.leds.names) - {"led0", "led3_blue", "led5_green", "body", "front"}:
        expect(page.find(f"led-{name}")).to_have_class("led")


def test_leds_at_one_position_are_mixed(shared_stage):
    """Red and green of `led1` give yellow at the right front of the robot."""
    page, arena = shared_stage("empty")
    puck = arena.spawn("puck", "e-puck2", at=(0.5, 0.5))
    page.choose("puck")
    puck.leds.set("led1_red")
    puck.leds.set("led1_green")
    expect(page.find("led-led1_green")).to_have_class("led on")
    away = 0.82 * puck.spec.body.radius / math.sqrt(2)
    page.page.mouse.move(*page.robot_at("puck"))
    for _ in range(3):
        page.page.mouse.wheel(0, -400)  # so near that an LED is more than a pixel
    page.until("paddock.view.scale > 1000")
    x, y = page.at(0.5 + away, 0.5 - away)
    page.until(
        """(() => {
            const canvas = document.elementFromPoint(x, y);
            const box = canvas.getBoundingClientRect();
            const [u, v] = [x - box.x, y - box.y].map((side) => Math.floor(side * devicePixelRatio));
            const pixel = Object.assign(document.createElement("canvas"), { width: 1, height: 1 });
            const context = pixel.getContext("2d", { willReadFrequently: true }); // Chromium warns of others
            context.drawImage(canvas, u, v, 1, 1, 0, 0, 1, 1);
            const [r, g, b] = context.getImageData(0, 0, 1, 1).data;
            return r > 220 && g > 180 && b < 140;
        })()""",
        x=x,
        y=y,
    )


def test_camera_picture_matches_reading_of_program(clutter, page):
    _, arena = clutter
    red = arena["red"]
    red.camera.enable()
    page.choose("red")
    picture = page.find("picture-camera")
    page.until("document.querySelector('[data-testid=picture-camera]')?.dataset.pictures > 0")
    expect(picture).to_be_visible()
    truth = red.camera.read().astype(float)
    shown = page.ask(
        """(() => {
            const canvas = document.querySelector("[data-testid=picture-camera]");
            const { data, width, height } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
            return { width, height, data: [...data] };
        })()"""
    )
    pixels = np.array(shown["data"], float).reshape(shown["height"], shown["width"], 4)[:, :, :3]
    assert pixels.shape == truth.shape
    assert truth.std() > 5  # there is something to see
    assert np.abs(pixels - truth).mean() < 6  # but for what JPEG loses


def test_sensors_of_shipped_robots_are_shown(shared_stage):
    page, arena = shared_stage("empty")
    arena.spawn("scout", "scout", at=(0.4, 0.4))
    arena.spawn("pioneer", "pioneer-p3dx", at=(1.5, 1.5))
    arena.play()
    for name in ("scout", "pioneer"):
        page.choose(name)
        for device in arena[name].devices:
            card = page.find(f"device-{device}")
            expect(card).to_be_attached()
            expect(card).not_to_have_class("waiting")
            page.until("!document.querySelector(`[data-testid=device-${device}]`).matches('.waiting')", device=device)
    arena.pause()


def test_closing_monitor_ends_subscription(page):
    page.page.keyboard.press("y")  # no rays, so that nothing but the monitor wants readings
    page.choose("red")
    page.until("paddock.sensed !== undefined")
    page.page.get_by_label("Close the monitor").click()
    expect(page.find("monitor")).to_contain_text("No robot selected")
    page.until("paddock.sensed === undefined")
    page.page.keyboard.press("y")


def test_each_wheel_has_a_colour_in_legend_bar_and_chart(clutter, page):
    _, arena = clutter
    page.choose("red")
    arena["red"].wheels.set(0.1, -0.1)
    for _ in range(4):
        page.find("step").click()
    page.until("document.querySelector('[data-testid=bar-wheels-1]').dataset.value < -0.05")
    color = "getComputedStyle(document.querySelector(`[data-testid=bar-wheels-${i}] ${part}`)).backgroundColor"
    keys, bars = (
        [page.page.evaluate(f"({{ i, part }}) => {color}", {"i": i, "part": part}) for i in range(2)]
        for part in (".line-key", ".level-fill")
    )
    assert keys == bars
    assert keys[0] != keys[1]
    in_chart = """(() => {
        const chart = document.querySelector("[data-testid=wheels] .chart");
        const copy = new OffscreenCanvas(chart.width, chart.height).getContext("2d", { willReadFrequently: true });
        copy.drawImage(chart, 0, 0);
        const { data } = copy.getImageData(0, 0, chart.width, chart.height);
        const near = ([r, g, b]) => data.some((part, i) => i % 4 === 0 && data[i + 3] > 200
            && Math.abs(part - r) < 12 && Math.abs(data[i + 1] - g) < 12 && Math.abs(data[i + 2] - b) < 12);
        return keys.map((key) => key.match(/\\d+/g).map(Number)).every(near);
    })()"""
    page.until(in_chart, keys=keys)
    arena["red"].stop()


def test_pointing_at_a_line_of_a_chart_shows_its_label_and_value(clutter, visit):
    """Of the eight lines of the proximity sensors, that of a bar under the pointer stands out, too."""
    server, arena = clutter
    page = visit(server.url)
    arena["red"].set_pose(*BESIDE_WALL)
    page.choose("red")
    for _ in range(6):
        page.find("step").click()
    page.until(FRONT + " < 0.05 && paddock.session.clock.tick >= 6")
    assert page.page.locator("[data-testid=device-proximity] .line-key").count() == 8
    page.ask(
        """(() => {
            const proto = CanvasRenderingContext2D.prototype;
            const { fillText, stroke } = proto;
            [window.written, window.faint] = [[], 0];
            proto.fillText = function (text, ...where) {
                written.push(text);
                return fillText.call(this, text, ...where);
            };
            proto.stroke = function (...path) {
                if (this.canvas.matches("[data-testid=device-proximity] .chart") && this.globalAlpha < 0.5) faint += 1;
                return stroke.call(this, ...path);
            };
        })()"""
    )
    page.find("bar-proximity-0").hover()
    page.until("faint >= 7")
    chart = page.find("device-proximity").locator(".chart")
    chart.scroll_into_view_if_needed()
    chart.hover(position={"x": 200, "y": 8})  # at the top: the nearest reading
    page.until("written.some((text) => /^[07] · \\d\\.\\d+ cm · \\d\\.\\d s$/.test(text))")
