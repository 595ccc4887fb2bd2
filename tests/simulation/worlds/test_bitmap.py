"""Worlds from images: exactly the dark pixels are solid, covered by few rectangles."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from PIL import Image, ImageDraw

import paddock
from paddock.core.errors import PaddockError
from paddock.report.drawing.draw_world import draw_world, world_legend
from paddock.report.drawing.layout import PictureLayout
from paddock.simulation.worlds import Floor, WorldSpec, load_world, save_world
from paddock.simulation.worlds.floor import draw_floor
from paddock.simulation.worlds.importers import import_world
from paddock.simulation.worlds.importers.bitmap import rectangles

Mask = NDArray[np.bool_]


@pytest.fixture
def sketch(tmp_path: Path) -> Path:
    """Write an image of two rooms with a door between them and a round table."""
    picture = Image.new("L", (80, 60), 255)
    draw = ImageDraw.Draw(picture)
    draw.rectangle((0, 0, 79, 59), outline=0, width=2)
    draw.rectangle((38, 0, 40, 35), fill=60)
    draw.rectangle((20, 33, 40, 35), fill=60)
    draw.ellipse((55, 35, 67, 47), fill=100)
    draw.point((10, 50), fill=200)  # dust
    path = tmp_path / "sketch.png"
    picture.save(path)
    return path


def solid_pixels(world: WorldSpec, scale: float) -> Mask:
    """Return the solid pixels of a world's boxes."""
    _, _, width, height = world.bounds
    x, y = np.meshgrid(np.arange(scale / 2, width, scale), np.arange(height - scale / 2, 0, -scale))
    solid = np.zeros(x.shape, bool)
    for box in world.boxes:
        solid |= (abs(x - box.at[0]) < box.size[0] / 2) & (abs(y - box.at[1]) < box.size[1] / 2)
    return solid


def test_exactly_the_dark_pixels_are_solid(sketch: Path) -> None:
    world = import_world(sketch, scale=0.02).world
    with Image.open(sketch) as picture:
        dark = np.asarray(picture) < 127.5
    assert world.bounds == (0.0, 0.0, 1.6, 1.2)
    assert (solid_pixels(world, 0.02) == dark).all()
    assert len(world.boxes) < 25


@pytest.mark.parametrize(("threshold", "dust"), [(0.5, False), (0.9, True), (0.3, False)])
def test_threshold_defines_dark_pixels(sketch: Path, threshold: float, dust: bool) -> None:
    solid = solid_pixels(import_world(sketch, threshold=threshold).world, 0.01)
    assert solid[50, 10] == dust
    assert solid[40, 60] == (threshold > 0.4)  # the table
    assert solid[0, 0]


def test_drawn_world_matches_the_image(sketch: Path) -> None:
    world = import_world(sketch, robot=None).world
    with Image.open(sketch) as picture:
        dark = np.asarray(picture) < 127.5
    drawn = draw_world(world, size=1000)
    canvas = PictureLayout(world, 1000, world_legend(world, [])).canvas
    for row in range(2, 58, 3):
        for column in range(2, 78, 3):
            if dark[row - 1 : row + 2, column - 1 : column + 2].std():
                continue  # at an edge, where there are outlines and shadows
            x, y = canvas.at(((column + 0.5) / 100, (59.5 - row) / 100))
            color = drawn.getpixel((round(x), round(y)))
            assert isinstance(color, tuple)
            assert (sum(color) < 500) == dark[row, column]


@given(st.lists(st.lists(st.booleans(), min_size=7, max_size=7), min_size=1, max_size=9).map(np.array))
def test_rectangles_cover_exactly_the_dark_pixels(dark: Mask) -> None:
    covered = np.zeros_like(dark)
    for part in rectangles(dark):
        assert dark[part.top : part.bottom, part.left : part.right].all()
        assert part.right > part.left
        assert part.bottom > part.top
        covered[part.top : part.bottom, part.left : part.right] = True
    assert (covered == dark).all()


def test_crossing_bars_are_two_rectangles() -> None:
    dark = np.zeros((20, 30), bool)
    dark[8:10] = dark[:, 12:15] = True
    assert sorted(rectangles(dark)) == [(0, 8, 30, 10), (12, 0, 15, 20)]


def test_robot_starts_at_the_widest_place_and_drives(sketch: Path, tmp_path: Path) -> None:
    world = import_world(sketch, scale=0.02, robot="e-puck", heading_deg=45.0).world
    save_world(world, tmp_path / "sketch.toml")
    assert load_world(tmp_path / "sketch.toml") == world
    with paddock.open(tmp_path / "sketch.toml") as arena:
        robot = arena["robot"]
        assert np.hypot(robot.pose.x - 0.38, robot.pose.y - 0.83) < 0.05  # in the middle of the upper left room
        robot.wheels.set(0.1, 0.1)
        arena.step(50)
        assert not robot.contacts


@pytest.mark.parametrize("ending", ["pgm", "bmp", "gif"])
def test_other_formats_give_the_same_world(sketch: Path, ending: str) -> None:
    other = sketch.with_suffix(f".{ending}")
    with Image.open(sketch) as picture:
        picture.save(other)
    assert import_world(other).world.boxes == import_world(sketch).world.boxes


def test_16_bit_and_transparent_images_are_read(tmp_path: Path) -> None:
    deep = np.full((10, 10), 60000, np.uint16)
    deep[4, 2:7] = 300
    Image.fromarray(deep).save(tmp_path / "deep.png")
    clear = np.zeros((10, 10, 4), np.uint8)
    clear[4, 2:7, 3] = 255
    Image.fromarray(clear).save(tmp_path / "clear.png")
    for name in ("deep.png", "clear.png"):
        (box,) = import_world(tmp_path / name, scale=1.0).world.boxes
        assert (box.at, box.size) == ((4.5, 5.5), (5.0, 1.0))


def test_unusable_image_is_refused(tmp_path: Path, sketch: Path) -> None:
    Image.new("L", (9, 9), 255).save(tmp_path / "white.png")
    Image.new("L", (9, 9), 0).save(tmp_path / "black.png")
    Image.new("1", (2001, 2000)).save(tmp_path / "huge.png")
    (tmp_path / "torn.png").write_bytes(sketch.read_bytes()[:60])
    (tmp_path / "text.png").write_text("no picture")
    for name, message in {
        "white.png": "white.png: no pixel is darker than 0.5: choose a higher threshold",
        "black.png": "black.png: all pixels are darker than 0.5: choose a lower threshold",
        "huge.png": "huge.png: expected at most 4000000 pixels, got 2001 × 2000: make it smaller",
        "torn.png": f"{tmp_path / 'torn.png'}: cannot be read: it is damaged or not a picture",
        "text.png": f"{tmp_path / 'text.png'}: cannot be read: it is damaged or not a picture",
        "none.png": f"{tmp_path / 'none.png'}: no such file",
    }.items():
        with pytest.raises(paddock.SpecError) as refused:
            import_world(tmp_path / name)
        assert str(refused.value) == message
    with pytest.raises(paddock.SpecError, match=r"^scale: expected metres per pixel > 0 and <= 1000, got 0$"):
        import_world(sketch, scale=0.0)
    with pytest.raises(paddock.SpecError, match=r"^threshold: expected a brightness between 0 and 1, got 128$"):
        import_world(sketch, threshold=128)
    with pytest.raises(paddock.SpecError, match=r"^sketch.png: even where there is most room, the scout does not fit"):
        import_world(sketch, scale=0.001)


@pytest.mark.parametrize("name", ["scale", "threshold"])
def test_non_numeric_setting_is_refused(tmp_path: Path, name: str) -> None:
    Image.new("L", (4, 4), 0).save(tmp_path / "a.png")
    with pytest.raises(PaddockError, match=f"{name}: expected .*, got 'x'"):
        import_world(tmp_path / "a.png", **{name: "x"})  # type: ignore[arg-type]


def test_photo_orientation_is_applied(tmp_path: Path) -> None:
    photo, turned = Image.new("RGB", (40, 20), "white"), Image.Exif()
    photo.paste("black", (0, 0, 40, 4))
    turned[0x0112] = 6  # the right edge of the stored picture is at the bottom
    photo.save(tmp_path / "photo.jpg", exif=turned)
    world = import_world(tmp_path / "photo.jpg", robot=None).world
    assert world.bounds == (0.0, 0.0, 0.2, 0.4)
    assert all(box.at[0] > 0.1 for box in world.boxes)  # what was above is on the right
    floor = WorldSpec(
        name="w", bounds=(0, 0, 2, 4), folder=str(tmp_path), floor=Floor(image="photo.jpg", pixels_per_metre=10)
    )
    assert draw_floor(floor)[0][:, :, 0].mean(axis=0).argmin() > 10
