"""The drawing of the arena: colours of the world, sensor views that end at walls, trails since the start of the run."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from browser.stage import Served, Visit, expect, until
from paddock.core.spec import rgb
from paddock.report.drawing.colours import palette

WORLD = """
name = "colours"
bounds = [0.0, 0.0, 1.0, 1.0]
[[boxes]]
at = [0.25, 0.75]
size = [0.2, 0.2]
color = "#d1495b"
[[boxes]]
at = [0.75, 0.75]
size = [0.2, 0.2]
color = "gold"
[[boxes]]
at = [0.25, 0.25]
size = [0.2, 0.2]
color = "Navy"
[[robots]]
name = "green"
type = "e-puck"
at = [0.75, 0.25]
color = "seagreen"
"""


# Five times five pixels of a layer around a point of the world [m], from a copy: layers are not made to be read.
PIXELS = """(() => {
    const [px, py] = paddock.view.pixels(x, y).map((part) => Math.round(part * paddock.view.dpr));
    const copy = new OffscreenCanvas(5, 5).getContext("2d", { willReadFrequently: true });
    copy.drawImage(document.getElementById(`layer-${layer}`), px - 2, py - 2, 5, 5, 0, 0, 5, 5);
    return [...copy.getImageData(0, 0, 5, 5).data];
})()"""
HAS_TRAIL = PIXELS.replace("`layer-${layer}`", "'layer-trails'") + ".some((part, i) => i % 4 === 3 && part > 0)"


def pixel(page: Visit, layer: str, x: float, y: float) -> list[int]:
    """Red, green, blue and opacity of a layer at a point of the world [m]."""
    pixels = page.page.evaluate("({ layer, x, y }) => " + PIXELS, {"layer": layer, "x": x, "y": y})
    return pixels[48:52]


def test_names_of_robots_leave_the_names_of_starts_readable(shared_stage):
    page, arena = shared_stage("sumo-ring")
    start = arena.world.starts[0]
    assert start.at == arena["red"].pose[:2]
    above = start.at[1] + 25 / page.ask("paddock.view.scale")  # the upper half of the start's name
    page.page.keyboard.press("y")  # without rays
    page.until(PIXELS + ".every((part, i) => i % 4 < 3 || part === 0)", layer="robots", x=start.at[0], y=above)
    page.page.keyboard.press("y")


def test_named_colours_are_drawn(visit, tmp_path: Path):
    file = tmp_path / "colours.toml"
    file.write_text(WORLD)
    with Served(str(file)) as server:
        page = visit(server.url)
        page.choose("green")
        page.page.keyboard.press("Escape")
        for scheme in ("light", "dark"):
            page.page.emulate_media(color_scheme=scheme)
            page.until("document.documentElement.dataset.theme === scheme", scheme=scheme)
            page.pictures(3)
            boxes = {(0.25, 0.75): "#d1495b", (0.75, 0.75): "gold", (0.25, 0.25): "navy"}
            for (x, y), color in boxes.items():
                assert pixel(page, "ground", x, y)[:3] == pytest.approx(rgb(color), abs=40), color
            behind = pixel(page, "robots", 0.75 - 0.028, 0.25)  # behind the wheels, off the arrow
            assert behind[:3] == pytest.approx(rgb("seagreen"), abs=40)


def test_camera_view_ends_at_obstacles(clutter, page):
    """The cylinder at (0.75, 0.25) hides what is behind it, but not what is beside it."""
    _, arena = clutter
    arena["red"].set_pose(0.75, 0.5, -math.pi / 2)
    page.choose("red")
    page.until("paddock.sensed !== undefined")
    page.until("Math.abs(paddock.robots()[0].y - 0.5) < 1e-3")
    page.pictures(3)
    assert pixel(page, "robots", 0.75, 0.33)[3] > 0, "in front of the cylinder"
    assert pixel(page, "robots", 0.75, 0.15)[3] == 0, "behind the cylinder"
    assert pixel(page, "robots", 0.86, 0.2)[3] > 0, "beside it"


def test_trails_and_charts_start_with_run_not_with_page(clutter, visit):
    server, arena = clutter
    red = arena["red"]
    red.set_pose(0.75, 0.5, math.pi / 2)
    arena.reset()
    start = red.pose
    arena.play()
    arena.set_speed(None)
    red.wheels.set(0.05, 0.05)
    until(arena, lambda: abs(red.pose.y - start.y) > 0.15)
    red.stop()
    arena.pause()
    page = visit(server.url)
    page.choose("red")
    half_way = (start.x, (start.y + red.pose.y) / 2)
    page.until(HAS_TRAIL, x=half_way[0], y=half_way[1])
    page.until("paddock.charts().some(({ start, end }) => start < 0.1 && end > 1)")
    arena.reset()
    page.until("!(" + HAS_TRAIL + ")", x=half_way[0], y=half_way[1])


LAG = """async () => {
    const { RobotStates } = await import("/robot_states.js");
    const states = new RobotStates();
    states.adopt([{ name: "red", kind: "e-puck" }], { "e-puck": { drive: { max_speed: 1 } } });
    const errors = [];
    for (const [tick, now] of [[0, 0], [10, 100], [20, 200], [60, 210], [70, 310]]) {
        const pose = new Float32Array(5);
        pose[0] = 0.01 * tick;
        states.receive(new Uint8Array(pose.buffer), null, tick, 0.02, now);
        for (const later of [0, 5, 60, 200]) {
            if (later) states.interpolateTo(now + later);
            errors.push(Math.abs(states.x[0] - 0.01 * states.shownTick));
        }
    }
    return Math.max(...errors);
}"""


def test_loaded_trail_ends_at_drawn_robot(page):
    """Drawn poses lag behind the latest frame, so a trail up to that frame would lead there and back."""
    assert page.page.evaluate(LAG) < 1e-6


def test_teleport_leaves_gap_in_trail(clutter, visit):
    server, arena = clutter
    red = arena["red"]
    arena.advance(5)
    red.set_pose(0.35, 0.9, 0.0)
    arena.advance(5)
    between = {"x": 0.55, "y": 0.9}
    page = visit(server.url)
    page.until("Math.abs(paddock.robots()[0].x - 0.35) < 1e-3")
    page.pictures(5)
    assert page.page.evaluate("({x, y}) => " + HAS_TRAIL, between) is False


def test_unknown_sensor_kind_is_shown_as_its_spec_declares(clutter, visit):
    server, _ = clutter
    page = visit(server.url)
    page.page.evaluate("""() => {
        const { session } = paddock;
        const appearance = { unit: "N", labels: ["left", "right"], color: "#12ab34", gauge: "bars", rays: "beams",
            low: 0, high: 5, aims: true, digits: 1, hint: "force at the tip", channels: 2, opening: 0.1, range: 0.05 };
        const mounts = [[0.03, 0.02, 0.01, 30], [0.03, -0.02, 0.01, -30]];
        const whiskers = { kind: "whisker", name: "whiskers", mounts, appearance };
        const kinds = session.kinds.map(({ devices, ...kind }) => ({ ...kind, sensors: [whiskers] }));
        session.on_robots({ kinds, robots: session.robots });
        session.select("");
        session.select("red");
        session.emit("sensed", "red", { tick: 1, readings: { whiskers: [1.5, 5] }, pictures: {}, pans: {} });
    }""")
    card = page.find("device-whiskers")
    expect(card).to_contain_text("whisker")
    expect(card.locator(".about")).to_have_text("N · force at the tip")
    expect(page.find("bar-whiskers-0")).to_contain_text("left")
    expect(page.find("bar-whiskers-0").locator(".bar-value")).to_have_text("1.5")
    expect(page.find("bar-whiskers-1").locator(".bar-value")).to_have_text("5.0")
    fill = page.find("bar-whiskers-1").locator(".bar-fill")
    expect(fill).to_have_css("background-color", "rgb(18, 171, 52)")


def test_page_uses_same_colours_as_pictures(clutter, page):
    _, arena = clutter
    pictures = palette()
    for name, color in page.ask("paddock.palette").items():
        assert color == pictures[name], name
    shown = page.ask("paddock.session.kinds[0].sensors.map(({ appearance }) => appearance.color)")
    assert shown == [sensor.appearance.color for sensor in arena["red"].spec.sensors]  # what pictures are drawn in


def test_names_of_robots_in_a_queue_do_not_overlap(visit, tmp_path: Path):
    names = [f"student-number-{i}" for i in range(8)]
    queue = "".join(
        f'[[robots]]\nname = "{name}"\ntype = "e-puck"\nat = [{0.2 + 0.075 * i}, 0.5]\n' for i, name in enumerate(names)
    )
    file = tmp_path / "queue.toml"
    file.write_text(f'name = "queue"\nbounds = [0.0, 0.0, 2.0, 2.0]\n{queue}')
    with Served(str(file)) as server:
        page = visit(server.url)
        page.ask(
            """(() => {
                const proto = CanvasRenderingContext2D.prototype;
                const { fillText } = proto;
                window.drawn = new Map();
                proto.fillText = function (text, x, y) {
                    const half = this.measureText(text).width / 2;
                    if (paddock.session.robot(text)) drawn.set(text, [x - half, y - 6, x + half, y + 6]);
                    return fillText.call(this, text, x, y);
                };
            })()"""
        )
        page.choose("student-number-3")
        page.until("drawn.size === 8")
        page.ask("drawn.clear()")
        page.page.keyboard.press("j")
        page.until("drawn.size === 8")
        boxes = list(page.ask("[...drawn.values()]"))
        for i, (left, top, right, bottom) in enumerate(boxes):
            for x0, y0, x1, y1 in boxes[:i]:
                assert right <= x0 or left >= x1 or bottom <= y0 or top >= y1


def test_things_are_drawn_where_robots_have_pushed_them(shared_stage):
    page, arena = shared_stage("box-pushing")
    box = next(thing for thing in arena.world.things if thing.name == "box")
    assert box.at[:2] == (0.75, 0.55)
    is_box = PIXELS + ".slice(48, 51).join() === color"
    color = ",".join(map(str, rgb(box.color)))
    page.until(is_box, layer="robots", x=0.75, y=0.55, color=color)
    arena["red"].wheels.set(0.1, 0.1)
    arena.advance(300)
    page.until(is_box, layer="robots", x=1.0, y=0.55, color=color)
    assert pixel(page, "robots", 0.75, 0.5)[3] == 0
