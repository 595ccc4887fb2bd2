"""Tests of pictures of paths."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from PIL import Image

from paddock.arena.episodes import Event, Trace
from paddock.arena.episodes.recorder import TraceRecorder
from paddock.core.errors import PaddockError
from paddock.core.geometry import Point, Pose
from paddock.core.spec import rgb
from paddock.report.drawing.canvas import Canvas
from paddock.report.drawing.draw_world import draw_paths, draw_world
from paddock.report.drawing.layers import cut_dashes, join_short_steps, place_arrows, split_trail
from paddock.report.drawing.layout import PictureLayout
from paddock.report.run_charts import run_pictures
from paddock.simulation.worlds import load_world
from report.runs import square

EMPTY = load_world("empty")


def test_drawing_without_matplotlib_names_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(PaddockError, match=r"drawing needs the package matplotlib: pip install matplotlib"):
        Canvas.measure("a", 321)  # a size whose font is not loaded yet


def like(picture: Image.Image, at: Point, color: str, most: int = 60) -> bool:
    """Return whether a pixel or a neighbour has nearly the colour."""
    wanted = rgb(color)
    near = [(round(at[0]) + dx, round(at[1]) + dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1)]
    found = [picture.getpixel(p) for p in near if 0 <= p[0] < picture.width and 0 <= p[1] < picture.height]
    return any(isinstance(f, tuple) and max(abs(a - b) for a, b in zip(f, wanted, strict=True)) <= most for f in found)


def test_path_shows_start_trail_and_end() -> None:
    recorder = TraceRecorder("red", 1.0)
    for i in range(11):
        recorder.add(i, Pose(0.5 + 0.1 * i, 0.5, 0.0), estimated=Pose(0.5 + 0.1 * i, 0.7, 0.0))
    picture = draw_paths([recorder.trace()], EMPTY, title="Straight on")
    at = PictureLayout(EMPTY, 1000).canvas.at
    x, y = at((0.5, 0.5))
    assert like(picture, (x, y - 4.5), "#2f9e6e")  # a ring
    assert like(picture, at((1.5 - 0.02, 0.5)), "#d1495b")  # the robot at the end
    row = [picture.getpixel((round(at((0.6 + 0.001 * i, 0.7))[0]), round(at((0, 0.7))[1]))) for i in range(700)]
    dark = [isinstance(p, tuple) and max(p) < 150 for p in row]
    assert 0.3 < sum(dark) / len(dark) < 0.9  # dashed
    trail = [picture.getpixel((round(at((0.6 + 0.01 * i, 0.5))[0]), round(at((0, 0.5))[1]))) for i in range(80)]
    assert all(isinstance(p, tuple) and p[0] - p[1] > 30 for p in trail)


@pytest.fixture
def texts(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return all texts of the pictures drawn in a test."""
    written: list[str] = []
    write = Canvas.text

    def recorded(self: Canvas, pixel: Point, text: str, *args: object, **options: object) -> object:
        written.append(text)
        return write(self, pixel, text, *args, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(Canvas, "text", recorded)
    return written


def test_key_uses_device_names_and_names_the_goal(texts: list[str]) -> None:
    draw_world(load_world("maze"))
    assert {"range, turret", "exit", "start pose"} <= set(texts)
    assert "proximity" not in texts


def test_picture_labels_start_end_and_description(texts: list[str]) -> None:
    world = replace(load_world("empty"), bounds=(0.0, 0.0, 2.75825, 1.79305))
    draw_world(world, trails={"red": [(0.2, 0.2), (1.0, 1.0)]}, about="seed 3 · 12.5 s")
    assert {"start", "end"} <= set(texts)
    assert f"{world.name} · 2.76 × 1.79 m · seed 3 · 12.5 s" in texts
    texts.clear()
    draw_world(world, trails={"red": [(0.2, 0.2)]})
    assert not {"start", "end"} & set(texts)


def test_start_stays_visible_when_robot_returns_to_it() -> None:
    recorder = TraceRecorder("red", 1.0)
    for i in range(41):
        angle = 2 * math.pi * i / 40
        recorder.add(i, Pose(1.0 + 0.2 * math.sin(angle), 1.2 - 0.2 * math.cos(angle), angle))
    picture = draw_paths([recorder.trace()], EMPTY)
    canvas = PictureLayout(EMPTY, 1000).canvas
    x, y = canvas.at((1.0, 1.0))
    assert any(like(picture, (x, y + 0.037 * canvas.scale + away), "#2f9e6e", most=30) for away in range(3, 8))


def test_robots_and_names_are_drawn_above_marks() -> None:
    recorder = TraceRecorder("red", 1.0)
    for i in range(400):  # the belief goes to and fro across the robot and its name
        recorder.add(i, Pose(1.0, 1.0, 0.0), estimated=Pose(0.9 + 0.2 * (i % 2), 0.9 + 0.0007 * i, 0.0))
    still = TraceRecorder("red", 1.0)
    still.add(0, Pose(1.0, 1.0, 0.0))
    x, y = (round(part) for part in PictureLayout(EMPTY, 1000).canvas.at((1.0, 1.0)))
    box = (x - 10, y - 10, x + 10, y + 10)
    assert (
        draw_paths([recorder.trace()], EMPTY).crop(box).tobytes()
        == draw_paths([still.trace()], EMPTY).crop(box).tobytes()
    )


def test_arrows_are_equally_spaced_and_point_ahead() -> None:
    found = list(place_arrows([(0.0, 0.0), (100.0, 0.0), (100.0, 100.0)], 50.0))
    assert [tip for tip, _ in found] == [(25.0, 0.0), (75.0, 0.0), (100.0, 25.0), (100.0, 75.0)]
    assert [angle for _, angle in found] == [0.0, 0.0, math.pi / 2, math.pi / 2]


def test_dashes_cover_their_share_of_a_path() -> None:
    path = [(0.0, 0.0), (7.0, 0.0), (7.0, 3.0), (40.0, 3.0)]
    pieces = list(cut_dashes(path, 6.0, 4.0))
    drawn = sum(math.dist(a, b) for piece in pieces for a, b in pairwise(piece))
    assert drawn == pytest.approx(6 * 4 + 3)  # of 43 pixels: four dashes and gaps, and half a dash
    assert list(cut_dashes([], 6.0, 4.0)) == []


def test_stationary_robot_gives_at_most_two_points() -> None:
    poses = np.array([[1.0, 1.0, 0.1 * i] for i in range(1000)] + [[1.0005, 1.0, 0.0]])
    assert list(join_short_steps(poses[:, :2].tolist(), 0.01)) == [(1.0, 1.0), (1.0005, 1.0)]


def test_run_has_a_path_picture_and_charts_per_robot() -> None:
    assert [figure.name for figure in run_pictures([square()], EMPTY, "A square")] == [
        "path",
        "wheels",
        "error",
        "histogram",
    ]
    two = [square("red"), square("blue")]
    names = [figure.name for figure in run_pictures(two, load_world("line-crossing"), "Two")]
    assert names[:3] == ["path", "wheels-red", "error-red"]
    assert names[-1] == "histogram-blue"


def test_trail_is_split_at_nan() -> None:
    points = [(0.0, 0.0), (1.0, 0.0), (math.nan, math.nan), (5.0, 5.0), (6.0, 5.0), (7.0, math.nan)]
    assert split_trail(points) == [[(0.0, 0.0), (1.0, 0.0)], [(5.0, 5.0), (6.0, 5.0)]]
    assert split_trail([]) == []
    assert split_trail([(math.nan, math.nan)]) == []


def teleported() -> Trace:
    """Return the trace of a robot that drives, is teleported and drives on."""
    recorder = TraceRecorder("red", 1.0)
    for i in range(6):
        recorder.add(i, Pose(0.4 + 0.05 * i, 0.4, 0.0))
    recorder.events.append(Event(time=5.5, kind="teleport", robot="red"))
    for i in range(6, 12):
        recorder.add(i, Pose(1.2 + 0.05 * i, 1.6, 0.0), jumped=i == 6)
    return recorder.trace()


def test_teleported_robot_leaves_no_line() -> None:
    picture, at = draw_paths([teleported()], EMPTY), PictureLayout(EMPTY, 1000).canvas.at
    for place in ((0.5, 0.4), (1.6, 1.6)):
        assert like(picture, at(place), "#d1495b", most=90)
    middle = [(0.65 + share * 0.85, 0.4 + share * 1.2) for share in (0.2, 0.35, 0.5, 0.65, 0.8)]
    plain = draw_world(replace(EMPTY, robots=()), rays=False)
    for place in middle:
        x, y = (round(part) for part in at(place))
        box = (x - 4, y - 4, x + 4, y + 4)
        assert picture.crop(box).tobytes() == plain.crop(box).tobytes()


def test_layers_can_be_selected() -> None:
    from paddock.report.drawing.layers import floor_layer, robot_layer

    bare = draw_world(EMPTY, layers=[floor_layer])
    robots = draw_world(EMPTY, layers=[floor_layer, robot_layer])
    assert bare.size == robots.size
    assert bare.tobytes() != robots.tobytes()
    assert draw_world(EMPTY).tobytes() == draw_world(EMPTY).tobytes()
