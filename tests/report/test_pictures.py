"""The pictures of a run show its data, and their texts can be read."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from itertools import pairwise

import numpy as np
import pytest
from PIL import Image

from paddock.core.geometry import Point, Pose
from paddock.core.spec import rgb
from paddock.draw.canvas import Canvas
from paddock.draw.world import Plan, draw_world
from paddock.report import RunLog, charts, plots
from paddock.report.axes import Axes, line_color, log_ticks, ticks
from paddock.report.charts import Level, Series, bars, histogram, line_chart, parts, range_of, thinned
from paddock.report.dots import Dots, dot_chart
from paddock.report.log import Span
from paddock.report.paths import arrows, dashed, draw_paths, sparse
from paddock.report.plots import LEFT, MEAN, WRONG, draw_error, draw_histogram, draw_wheels, pictures
from paddock.worlds import load_world
from report.runs import square


def like(picture: Image.Image, at: Point, color: str, most: int = 60) -> bool:
    """Whether a pixel or one beside it has nearly a colour."""
    wanted = rgb(color)
    near = [(round(at[0]) + dx, round(at[1]) + dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1)]
    found = [picture.getpixel(p) for p in near if 0 <= p[0] < picture.width and 0 <= p[1] < picture.height]
    return any(isinstance(f, tuple) and max(abs(a - b) for a, b in zip(f, wanted, strict=True)) <= most for f in found)


@pytest.fixture
def axes(monkeypatch: pytest.MonkeyPatch) -> list[Axes]:
    """The axes of all charts drawn in a test."""
    made: list[Axes] = []

    def recorded(*args: object, **options: object) -> Axes:
        made.append(Axes(*args, **options))  # type: ignore[arg-type]
        return made[-1]

    monkeypatch.setattr(charts, "Axes", recorded)
    return made


@pytest.mark.parametrize("size", [500, 1000, 1600])
def test_pictures_have_the_size_that_was_asked_for(size: int) -> None:
    found = pictures([square()], "A square", size=size)
    assert list(found) == ["path", "wheels", "error", "histogram"]
    for figure in found.values():
        assert figure.picture.width == size
        assert 0.3 * size < figure.picture.height < 1.5 * size


def test_the_path_shows_start_trail_and_end() -> None:
    log = RunLog(load_world("empty"), "red", 1.0)
    for i in range(11):
        log.note(i, Pose(0.5 + 0.1 * i, 0.5, 0.0), believed=Pose(0.5 + 0.1 * i, 0.7, 0.0))
    picture = draw_paths([log], title="Straight on")
    at = Plan(log.world, 1000, []).canvas.at
    assert like(picture, at((0.5, 0.5)), "#2f9e6e")
    assert like(picture, at((1.5 - 0.02, 0.5)), "#d1495b")  # the robot at the end
    row = [picture.getpixel((round(at((0.6 + 0.001 * i, 0.7))[0]), round(at((0, 0.7))[1]))) for i in range(700)]
    dark = [isinstance(p, tuple) and max(p) < 150 for p in row]
    assert 0.3 < sum(dark) / len(dark) < 0.9  # dashed
    trail = [picture.getpixel((round(at((0.6 + 0.01 * i, 0.5))[0]), round(at((0, 0.5))[1]))) for i in range(80)]
    assert all(isinstance(p, tuple) and p[0] - p[1] > 30 for p in trail)


@pytest.fixture
def texts(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """All texts of the pictures drawn in a test."""
    written: list[str] = []
    write = Canvas.text

    def recorded(self: Canvas, pixel: Point, text: str, *args: object, **options: object) -> object:
        written.append(text)
        return write(self, pixel, text, *args, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(Canvas, "text", recorded)
    return written


def test_the_key_calls_sensors_as_programs_do_and_names_the_goal(texts: list[str]) -> None:
    draw_world(load_world("maze"))
    assert {"range, turret", "exit", "start pose"} <= set(texts)
    assert "proximity" not in texts


def test_a_drive_is_explained_by_its_start_its_end_and_what_is_said_of_it(texts: list[str]) -> None:
    world = replace(load_world("empty"), bounds=(0.0, 0.0, 2.75825, 1.79305))
    draw_world(world, trails={"red": [(0.2, 0.2), (1.0, 1.0)]}, about="seed 3 · 12.5 s")
    assert {"start", "end"} <= set(texts)
    assert f"{world.name} · 2.76 × 1.79 m · seed 3 · 12.5 s" in texts
    texts.clear()
    draw_world(world, trails={"red": [(0.2, 0.2)]})
    assert not {"start", "end"} & set(texts)


def test_the_start_is_seen_though_the_robot_has_come_back_to_it() -> None:
    log = RunLog(load_world("empty"), "red", 1.0)
    for i in range(41):
        angle = 2 * math.pi * i / 40
        log.note(i, Pose(1.0 + 0.2 * math.sin(angle), 1.2 - 0.2 * math.cos(angle), angle))
    picture = draw_paths([log])
    canvas = Plan(log.world, 1000, []).canvas
    x, y = canvas.at((1.0, 1.0))
    assert any(like(picture, (x, y + 0.037 * canvas.scale + away), "#2f9e6e", most=30) for away in range(3, 8))


def test_robots_and_their_names_stay_above_the_marks() -> None:
    log = RunLog(load_world("empty"), "red", 1.0)
    for i in range(400):  # the belief goes to and fro across the robot and its name
        log.note(i, Pose(1.0, 1.0, 0.0), believed=Pose(0.9 + 0.2 * (i % 2), 0.9 + 0.0007 * i, 0.0))
    still = RunLog(log.world, "red", 1.0)
    still.note(0, Pose(1.0, 1.0, 0.0))
    x, y = (round(part) for part in Plan(log.world, 1000, []).canvas.at((1.0, 1.0)))
    box = (x - 10, y - 10, x + 10, y + 10)
    assert draw_paths([log]).crop(box).tobytes() == draw_paths([still]).crop(box).tobytes()


def test_wheel_speeds_are_drawn_where_they_belong(axes: list[Axes]) -> None:
    log = RunLog(load_world("empty"), "red", 1.0)
    for i in range(101):
        log.note(i, Pose(1.0, 1.0, 0.0), wheels=(0.1 if i < 50 else 0.3, -0.2), task="slow" if i < 50 else "fast")
    picture = draw_wheels(log)
    at = axes[0].at
    for x, y, color in ((25, 0.1, LEFT), (75, 0.3, LEFT), (25, -0.2, plots.RIGHT), (75, -0.2, plots.RIGHT)):
        assert like(picture, at(x, y), color)
    assert not like(picture, at(75, 0.1), LEFT)
    shades = [picture.getpixel((round(at(x, 0.05)[0]), round(at(x, 0.05)[1]))) for x in (23, 73)]
    assert shades[0] != shades[1]


def test_a_spike_of_one_note_in_a_hundred_thousand_is_seen(axes: list[Axes]) -> None:
    x = np.arange(100_000.0)
    y = np.zeros(100_000)
    y[41_234], y[70_001] = 1.0, -1.0
    picture = line_chart("Spikes", [Series("y", WRONG, x, y)], x_name="time [s]", y_name="y")
    assert like(picture, axes[0].at(41_234, 0.6), WRONG, most=110)
    assert like(picture, axes[0].at(70_001, -0.6), WRONG, most=110)
    assert not like(picture, axes[0].at(50_000, 0.6), WRONG, most=110)


def test_thinning_keeps_first_lowest_highest_and_last() -> None:
    x = np.linspace(0.0, 1.0, 50_000)
    y = np.random.default_rng(1).normal(size=50_000)
    points = thinned(x, y, (0.0, 1.0), 100)
    assert len(points) <= 4 * 101
    heights = [height for _, height in points]
    assert (max(heights), min(heights)) == (y.max(), y.min())
    assert (heights[0], heights[-1]) == (y[0], y[-1])
    assert thinned(x[:5], y[:5], (0.0, 1.0), 100) == list(zip(x[:5].tolist(), y[:5].tolist(), strict=True))


def test_a_line_is_broken_where_values_are_missing_for_long(axes: list[Axes]) -> None:
    log = RunLog(load_world("empty"), "red", 1.0)
    for i in range(301):
        known = i % 3 == 0 and not 100 < i < 200
        log.note(i, Pose(1.0, 1.0, 0.0), error=0.1 if known else None)
    assert [len(x) for x, _ in parts(log.times, log.errors)] == [34, 34]
    picture = draw_error(log)
    assert like(picture, axes[0].at(50, 10.0), WRONG)
    assert not like(picture, axes[0].at(150, 10.0), WRONG)


def test_the_histogram_shows_shares_mean_and_target(axes: list[Axes]) -> None:
    log = RunLog(load_world("empty"), "red", 1.0, measured="wall distance", target=0.23)
    for i in range(100):
        log.note(i, Pose(1.0, 1.0, 0.0), error=0.05 if i < 75 else -0.03)
    picture = draw_histogram(log)
    at = axes[0].at
    mean = 23 + 0.75 * 5 - 0.25 * 3
    assert like(picture, at(mean, 60), plots.MEAN)
    assert any(like(picture, at(23, share), plots.TARGET) for share in range(40, 60))
    edges, shares, outside = bars(log.errors * 100 + 23, [mean, 23.0])
    assert (round(shares.max()), round(shares.sum()), outside) == (75, 100, 0)
    middle = edges[int(np.argmax(shares))] + (edges[1] - edges[0]) / 2
    assert edges[int(np.argmax(shares))] <= 28.000001 <= edges[int(np.argmax(shares)) + 1] + 1e-6
    assert like(picture, at(middle, 60), LEFT, most=90)


def test_far_values_do_not_flatten_a_histogram() -> None:
    values = np.append(np.random.default_rng(2).normal(0, 0.01, 5000), [7.0, -9.0])
    edges, shares, outside = bars(values)
    assert outside == 2
    assert edges[-1] - edges[0] < 0.2
    assert shares.sum() == pytest.approx(100)


@pytest.mark.parametrize(
    ("low", "high", "labels"),
    [
        (0.0, 60.0, ["0", "10", "20", "30", "40", "50", "60"]),
        (-0.11, 0.21, ["-0.10", "-0.05", "0.00", "0.05", "0.10", "0.15", "0.20"]),
        (0.0, 1.0, ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]),
        (1e8, 2e8, ["1e+08", "1.2e+08", "1.4e+08", "1.6e+08", "1.8e+08", "2e+08"]),
    ],
)
def test_ticks_are_round(low: float, high: float, labels: list[str]) -> None:
    assert [text for _, text in ticks(low, high, most=9)] == labels


@pytest.mark.parametrize(
    ("low", "high", "labels"),
    [
        (1.0, 200.0, ["1", "2", "5", "10", "20", "50", "100", "200"]),
        (0.03, 0.6, ["0.05", "0.1", "0.2", "0.5"]),
        (0.004, 300.0, ["0.01", "0.1", "1", "10", "100"]),
    ],
)
def test_ticks_of_an_axis_of_ratios_are_round(low: float, high: float, labels: list[str]) -> None:
    assert [text for _, text in log_ticks(low, high)] == labels


def test_equal_ratios_are_equally_far_apart_on_an_axis_of_ratios(axes: list[Axes]) -> None:
    line = Series("y", WRONG, np.arange(1.0, 101.0), np.ones(100), mark=(10.0, 1.0))
    picture = line_chart("Ratios", [line], x_name="x", y_name="y", log_x=True, mark="here")
    places = [axes[0].at(x, 1.0)[0] for x in (1.0, 10.0, 100.0)]
    assert places[1] - places[0] == pytest.approx(places[2] - places[1])
    assert like(picture, (places[1], axes[0].at(1.0, 1.0)[1] - 4), WRONG)


def test_the_first_ten_lines_of_a_chart_and_ten_more_have_colours_of_their_own() -> None:
    assert len({line_color(i) for i in range(20)}) == 20


def test_ranges_are_never_empty() -> None:
    assert range_of([np.array([])]) == pytest.approx((-0.06, 1.06))
    assert range_of([np.full(3, 2.0)]) == pytest.approx((1.8, 2.2))
    assert range_of([np.zeros(3)]) == (-1.0, 1.0)
    assert range_of([np.array([math.nan, 3.0, math.inf, 1.0])], margin=0.0) == (1.0, 3.0)


def test_arrows_lie_equally_far_apart_and_point_ahead() -> None:
    found = list(arrows([(0.0, 0.0), (100.0, 0.0), (100.0, 100.0)], 50.0))
    assert [tip for tip, _ in found] == [(25.0, 0.0), (75.0, 0.0), (100.0, 25.0), (100.0, 75.0)]
    assert [angle for _, angle in found] == [0.0, 0.0, math.pi / 2, math.pi / 2]


def test_dashes_cover_their_share_of_a_path() -> None:
    path = [(0.0, 0.0), (7.0, 0.0), (7.0, 3.0), (40.0, 3.0)]
    pieces = list(dashed(path, 6.0, 4.0))
    drawn = sum(math.dist(a, b) for piece in pieces for a, b in pairwise(piece))
    assert drawn == pytest.approx(6 * 4 + 3)  # of 43 pixels: four dashes and gaps, and half a dash
    assert list(dashed([], 6.0, 4.0)) == []


def test_standing_still_needs_two_points_at_most() -> None:
    poses = np.array([[1.0, 1.0, 0.1 * i] for i in range(1000)] + [[1.0005, 1.0, 0.0]])
    assert list(sparse(poses, 0.01)) == [(1.0, 1.0), (1.0005, 1.0)]


def hard_log() -> RunLog:
    """Long names, many short tasks, huge numbers."""
    log = RunLog(load_world("line-crossing"), "blue", 1.0, measured="a quantity with quite a long name " * 5, unit="")
    for i in range(400):
        task = f"task number {i // 4 % 40} with a long name" if i < 200 else "a longer one" * (i // 100)
        log.note(1e5 + 1e4 * i, Pose(0.8, 0.2, 0), wheels=(i * 1e5, 1e-9), task=task, error=1e9 * math.sin(i))
    return log


def test_texts_never_overlap_and_are_never_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    written: list[tuple[float, float, float, float]] = []
    write = Canvas.text

    def recorded(self: Canvas, *args: object, **options: object) -> tuple[float, float, float, float]:
        rect = write(self, *args, **options)  # type: ignore[arg-type]
        written.append(rect)
        return rect

    monkeypatch.setattr(Canvas, "text", recorded)
    one = Series(
        "one with a name that is far too long for any key " * 3, LEFT, np.arange(3.0), np.array([1.0, 5.0, 2.0])
    )
    many = [Level(f"level {i}", WRONG, float(i)) for i in range(20)]
    spans = [Span(f"span {i}", 0.1 * i, 0.1 * i + 0.1) for i in range(20)]
    draws: list[Callable[[], Image.Image]] = [
        partial(draw, log, size=size)
        for draw in (draw_wheels, draw_error, draw_histogram)
        for log in (square(), hard_log())
        for size in (400, 1000)
    ]
    draws += [
        partial(line_chart, "A very long title " * 12, [one], x_name="time [s]", y_name="y", levels=many, spans=spans),
        partial(histogram, "Nothing", np.array([]), x_name="nothing", color=LEFT),
        partial(histogram, "One", np.array([1e-7]), x_name="x [m]", color=LEFT, about="a long text " * 30),
    ]
    near = [Dots("a", LEFT, [0.1, 3.0, math.nan]), Dots("b", WRONG, [0.101, 2.9, 5.0]), Dots("c", MEAN, [0.102, 90, 0])]
    names = ["one", "a name that is far too long for its place " * 3, "three"]
    for size in (400, 1000):
        draws.append(partial(dot_chart, "Dots", names, near, x_name="time [ms]", about="a long text " * 9, size=size))
    for draw in draws:
        written.clear()
        picture = draw()
        for i, a in enumerate(written):
            assert min(a) >= 0
            assert a[2] <= picture.width
            assert a[3] <= picture.height
            for b in written[:i]:
                assert a[2] <= b[0] or a[0] >= b[2] or a[3] <= b[1] or a[1] >= b[3]
