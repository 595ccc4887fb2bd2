"""Tests of pictures of worlds and robots."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from paddock.core.errors import PaddockError
from paddock.core.geometry import Point
from paddock.core.spec import rgb
from paddock.report.drawing.canvas import Canvas, printable, round_length
from paddock.report.drawing.draw_world import draw_robot, draw_world, save_drawing, world_legend
from paddock.report.drawing.layers import clip_path
from paddock.report.drawing.layout import PictureLayout
from paddock.simulation.robots import load_robot, robot_names
from paddock.simulation.worlds import WorldSpec, load_world, world_names
from paddock.simulation.worlds.world_spec import Bounds, Cylinder, Field, Light, RobotPlacement, Sound, Start


def plan(world: WorldSpec, size: int) -> PictureLayout:
    return PictureLayout(world, size, world_legend(world, []))


def pixel(picture: Image.Image, world: WorldSpec, at: Point) -> tuple[int, ...]:
    """Return the colour at a position [m] of a picture without beams."""
    x, y = plan(world, picture.width).canvas.at(at)
    found = picture.getpixel((round(x), round(y)))
    assert isinstance(found, tuple)
    return found


def close(a: tuple[int, ...], b: tuple[int, ...], most: int = 12) -> bool:
    return max(abs(x - y) for x, y in zip(a, b, strict=True)) <= most


Rectangle = tuple[float, float, float, float]


@pytest.fixture
def written(monkeypatch: pytest.MonkeyPatch) -> list[Rectangle]:
    """Return the boxes of the texts that a test draws."""
    rectangles: list[Rectangle] = []
    write = Canvas.text

    def record(self: Canvas, *args: Any, **options: Any) -> Rectangle:
        rectangles.append(write(self, *args, **options))
        return rectangles[-1]

    monkeypatch.setattr(Canvas, "text", record)
    return rectangles


def check_texts(picture: Image.Image, written: list[Rectangle]) -> None:
    for i, a in enumerate(written):
        assert min(a) >= 0
        assert a[2] <= picture.width
        assert a[3] <= picture.height
        for b in written[:i]:
            assert a[2] <= b[0] or a[0] >= b[2] or a[3] <= b[1] or a[1] >= b[3]


@pytest.mark.parametrize(
    ("robot", "size", "note"),
    [
        ("scout", 4.0, "beams are drawn up to 1.2 m"),
        ("pioneer-p3dx", 8.0, "beams are drawn up to 1.5 m"),
        ("khepera", 4.0, ""),
    ],
)
def test_the_legend_tells_if_beams_are_shorter_than_their_range(robot: str, size: float, note: str) -> None:
    world = WorldSpec(name="w", bounds=(0, 0, size, size), robots=(RobotPlacement(name="r", type=robot, at=(2, 2)),))
    draw_world(world)
    texts = [entry.text for entry in world_legend(world, [load_robot(robot)]) if entry.symbol == "cut"]
    assert texts == ([note] if note else [])


def test_fields_without_a_colour_can_be_told_apart_in_the_picture_and_the_legend() -> None:
    fields = [Field(name=name, shape="radial", at=(x, 1), radius=0.8) for name, x in (("sugar", 1), ("salt", 3))]
    own = Field(name="acid", shape="radial", at=(5, 1), radius=0.8, color="#123456")
    world = WorldSpec(name="w", bounds=(0, 0, 6, 2), fields=(fields[0], own, fields[1]))
    colors = [entry.color for entry in world_legend(world, []) if entry.symbol == "field"]
    assert colors[0] == "#39a275"
    assert colors[1] == "#123456"
    assert colors[2] not in colors[:2]
    picture = draw_world(world)
    assert not close(pixel(picture, world, (1, 1)), pixel(picture, world, (3, 1)), most=25)


@pytest.mark.parametrize("name", world_names())
def test_every_world_is_drawn_without_overlapping_texts(name: str, written: list[Rectangle]) -> None:
    world = load_world(name)
    picture = draw_world(world)
    x0, y0, x1, y1 = world.bounds
    assert picture.mode == "RGB"
    assert picture.width == 1000
    assert 0.9 * (y1 - y0) / (x1 - x0) < picture.height / picture.width < 1.7
    check_texts(picture, written)


@pytest.mark.parametrize("name", robot_names())
def test_every_robot_is_drawn_without_overlapping_texts(name: str, written: list[Rectangle]) -> None:
    picture = draw_robot(load_robot(name))
    assert picture.height > 0.6 * picture.width
    colors = picture.getcolors(picture.width * picture.height)
    assert colors is not None
    assert len(colors) > 50
    check_texts(picture, written)


def test_obstacles_walls_and_border_are_drawn_in_their_colours() -> None:
    world = load_world("clutter")
    picture = draw_world(world, rays=False, size=800)
    seen = [(one.at, one.color) for one in world.cylinders] + [(one.at, one.color) for one in world.boxes]
    for at, color in seen:
        assert close(pixel(picture, world, at), rgb(color))
    assert close(pixel(picture, world, (0.75, -0.008)), rgb(world.border.color))
    assert close(pixel(picture, world, (0.5, 0.5)), rgb(world.floor.color))
    rooms = load_world("yellow-rooms")
    assert close(pixel(draw_world(rooms, rays=False), rooms, (4.0, 4.0)), rgb("#d9b23d"))


def test_floor_and_fields_are_drawn() -> None:
    world = load_world("line-crossing")
    assert max(pixel(draw_world(world, rays=False), world, (0.8, 0.25))) < 60
    dish = load_world("petri-dish")
    picture = draw_world(dish, rays=False)
    red, green, _ = pixel(picture, dish, (1.0, 0.45))
    assert green - red > 20  # food in the middle
    assert close(pixel(picture, dish, (0.01, 0.01)), rgb(dish.floor.color))


def test_robots_are_drawn_at_their_poses_with_trails() -> None:
    world = load_world("clutter")
    red = rgb("#d1495b")
    there = draw_world(world, poses=[(0.25, 0.55, 0.0)], trails={"red": [(0.75, 0.9), (0.7, 0.5)]}, rays=False)
    assert close(pixel(there, world, (0.25 - 0.028, 0.55)), red)
    assert not close(pixel(there, world, (0.75 - 0.02, 0.9)), red)
    trail = pixel(there, world, (0.725, 0.7))
    assert trail[0] - trail[1] > 60


def test_beams_end_at_walls() -> None:
    world = load_world("maze")
    with_beams, without = draw_world(world), draw_world(world, rays=False)
    place = plan(world, 1000).canvas.at
    for at, changed in (((0.30, 0.125), True), ((0.60, 0.125), False)):  # a wall stands between them, at 0.5
        x, y = place(at)
        box = (round(x) - 3, round(y) - 3, round(x) + 4, round(y) + 4)
        same = with_beams.crop(box).tobytes() == without.crop(box).tobytes()
        assert same is not changed


def test_extreme_worlds_are_drawn() -> None:
    long = WorldSpec(name="long", bounds=(-500.0, 0.0, 500.0, 1.0), open=True)
    assert draw_world(long, size=300).width == 300
    tall = WorldSpec(name="tall", bounds=(0.0, 0.0, 0.1, 5.0), title="A very long title that does not fit " * 4)
    assert draw_world(tall, size=300).height < 600
    places = [(0.1 + 0.15 * (i % 12), 0.1 + 0.15 * (i // 12)) for i in range(60)]
    crowd = WorldSpec(
        name="crowd",
        bounds=(0.0, 0.0, 2.0, 2.0),
        robots=tuple(RobotPlacement(name=f"r{i}", type="e-puck", at=at) for i, at in enumerate(places)),
        lights=(Light(at=(1.0, 1.95)),),
        sounds=(Sound(at=(1.5, 1.95)),),
        starts=(Start(name="gate", at=(0.5, 1.8)),),
    )
    assert draw_world(crowd).width == 1000


def test_names_of_adjacent_robots_are_drawn() -> None:
    world = load_world("empty")
    close_by = tuple(RobotPlacement(name=f"robot-{i}", type="e-puck", at=(0.9 + 0.08 * i, 1.0)) for i in range(6))
    crowded = replace(world, robots=close_by, cylinders=(Cylinder(at=(1.0, 1.2), radius=0.05),))
    assert draw_world(crowded).width == 1000


def test_text_is_reduced_to_letters_of_the_font() -> None:
    assert printable("2 × 1 m – Politècnica → 90°") == "2 × 1 m – Politècnica → 90°"
    assert printable("世") == "?"


@pytest.mark.parametrize(("most", "length"), [(1.0, 1.0), (0.99, 0.5), (37.0, 20.0), (0.03, 0.02), (5.0, 5.0)])
def test_scale_bar_has_a_round_length(most: float, length: float) -> None:
    assert round_length(most) == pytest.approx(length)


@pytest.mark.parametrize("floor", ["#101010", "#f4f4f2"])
def test_start_poses_contrast_with_dark_and_light_floors(floor: str) -> None:
    world = WorldSpec.from_table({
        "name": "flat", "bounds": [0, 0, 1, 1], "floor": {"color": floor}, "starts": [{"name": "a", "at": [0.5, 0.5]}],
    })  # fmt: skip
    picture = draw_world(world, size=500).convert("L")
    x, y = plan(world, 500).canvas.at((0.5, 0.5))
    around = picture.crop((round(x) - 8, round(y) - 8, round(x) + 8, round(y) + 8))
    darkest, brightest = around.getextrema()
    assert brightest - darkest > 90  # type: ignore[operator]


@pytest.mark.parametrize("size", [0, -5, 10, 100.5, "300", 20_000])
def test_invalid_picture_size_is_refused(size: Any) -> None:
    message = "size: expected a whole number of pixels from 20 to 8000, got"
    with pytest.raises(PaddockError, match=message):
        draw_world(load_world("empty"), size=size)
    with pytest.raises(PaddockError, match=message):
        draw_robot(load_robot("scout"), size=size)


@pytest.mark.parametrize("bounds", [(0, 0, 1e6, 2), (0, 0, 1000, 0.2), (0, 0, 1e-6, 1000)])
def test_world_that_is_almost_a_line_is_drawn(bounds: Bounds) -> None:
    field = Field(name="food", shape="radial", at=(0, 0), radius=1)
    assert draw_world(WorldSpec(name="line", bounds=bounds, fields=(field,)), size=300).width == 300


@pytest.mark.parametrize("poses", [[], [(1, 2)], [(math.nan, 0, 0)], [(0, 0, 0), (1, 1, 1)]])
def test_poses_must_be_finite_and_one_per_robot(poses: Any) -> None:
    world = WorldSpec(name="w", bounds=(0, 0, 2, 2), robots=(RobotPlacement(name="r", type="e-puck", at=(1, 1)),))
    with pytest.raises(PaddockError, match=r"poses: expected finite x, y \[m\] and heading \[rad\] of each robot"):
        draw_world(world, poses=poses)


def test_paths_far_outside_the_world_are_clipped() -> None:
    world = WorldSpec(
        name="w", bounds=(0, 0, 2, 2), open=True, robots=(RobotPlacement(name="r", type="e-puck", at=(1, 1)),)
    )
    far, near = ([(1.0, 1.0), (end, 1.0)] for end in (1e12, 2.0))
    assert draw_world(world, estimates={"r": far}, size=300) == draw_world(world, estimates={"r": near}, size=300)
    draw_world(world, trails={"r": far}, directions=True, size=300)
    with pytest.raises(
        PaddockError, match=r"expected points of a path with x and y \[m\], got an array of shape \(2, 1\)"
    ):
        draw_world(world, trails={"r": [(1.0,), (2.0,)]})


@given(st.lists(st.tuples(st.floats(-3, 3), st.floats(-3, 3)), min_size=2, max_size=6))
def test_clipped_path_is_the_part_inside(path: list[Point]) -> None:
    pieces = list(clip_path(path, (-1.0, -1.0, 1.0, 1.0)))
    assert all(abs(x) <= 1 + 1e-9 and abs(y) <= 1 + 1e-9 for piece in pieces for x, y in piece)
    if all(abs(x) <= 1 and abs(y) <= 1 for x, y in path):
        assert pieces == [path]
    steps = (np.linspace(a, b, 2001) for a, b in pairwise(path))
    inside = sum(
        math.dist(a, b) * np.mean(np.abs(step).max(axis=1) <= 1)
        for (a, b), step in zip(pairwise(path), steps, strict=True)
    )
    assert sum(math.dist(a, b) for piece in pieces for a, b in pairwise(piece)) == pytest.approx(inside, abs=0.05)


@pytest.mark.parametrize("radius", [100.0, 1e4, 9e5])
def test_only_the_visible_part_of_a_huge_cylinder_is_drawn(radius: float) -> None:
    huge = Cylinder(at=(1.0 + radius, 1.0), radius=radius, color="#aa2200")
    world = WorldSpec(name="w", bounds=(0, 0, 2, 2), cylinders=(huge,))
    picture = draw_world(world, size=400)
    assert [pixel(picture, world, (x, y)) == rgb("#aa2200") for y in (0.3, 1.7) for x in (0.6, 1.3)] == [
        False,
        True,
    ] * 2
    covered = replace(world, cylinders=(replace(huge, at=(0.0, 0.0)),))
    assert pixel(draw_world(covered, size=400), covered, (1.0, 0.9)) == rgb("#aa2200")


def test_pictures_are_written_as_vectors_with_texts_and_equal_bytes(tmp_path: Path) -> None:
    for spec in (load_world("clutter"), load_robot("e-puck")):
        svg, again, pdf = tmp_path / "a.svg", tmp_path / "b.svg", tmp_path / "a.pdf"
        for path in (svg, again, pdf):
            save_drawing(spec, path)
        assert svg.read_bytes() == again.read_bytes()
        assert pdf.read_bytes().startswith(b"%PDF")
        drawing = svg.read_text()
        assert spec.title in drawing  # matplotlib writes texts as outlines, with a comment
        assert "<image" not in drawing
        assert len(re.findall("<path", drawing)) > 30


def test_floors_with_lines_are_images_in_vector_pictures(tmp_path: Path) -> None:
    save_drawing(load_world("line-crossing"), tmp_path / "line.svg", rays=False)
    assert "<image" in (tmp_path / "line.svg").read_text()
