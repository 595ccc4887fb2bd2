"""Render the floor to one image: a colour, an image and strokes, drawn once when the world is built."""

from __future__ import annotations

import io
import math
from typing import TYPE_CHECKING

import numpy as np

from paddock.core.errors import SpecError
from paddock.core.geometry import Point, smooth
from paddock.core.spec import rgb
from paddock.simulation.engine.model import GRID_ENTRIES, GRID_SCALE, GRID_X, GRID_Y, Bytes, Floats
from paddock.simulation.worlds.world_spec import Field, Stroke, WorldSpec

if TYPE_CHECKING:
    from PIL.Image import Image

MAX_PIXELS = 40_000_000
MAX_BYTES = 100_000_000  # maximum size of an image file
FINER = 3  # oversampling factor of strokes for antialiasing, unless the floor is very large


def draw_floor(world: WorldSpec) -> tuple[Bytes, Floats]:
    """Return the floor image (rows, columns, 3), and its row of the Model's grids."""
    x0, y0, x1, y1 = world.bounds
    floor = world.floor
    if floor.image is None and not floor.strokes:
        plain = np.array(rgb(floor.color), np.uint8).reshape(1, 1, 3)
        return plain, _grid_row(x0, y1, 1e-6)
    from PIL import Image

    scale = floor.pixels_per_metre
    width, height = max(1, round((x1 - x0) * scale)), max(1, round((y1 - y0) * scale))
    if width * height > MAX_PIXELS:
        fitting = min(math.sqrt(MAX_PIXELS / ((x1 - x0) * (y1 - y0))), MAX_PIXELS / max(x1 - x0, y1 - y0))
        raise SpecError(
            f"expected pixels per metre <= {_round_down(fitting):g} for a floor of {x1 - x0:g} m x {y1 - y0:g} m, "
            f"got {scale:g}; if the floor should be smaller: bounds are in metres",
            path="floor.pixels_per_metre",
            file=world.file,
        )
    canvas = Image.new("RGB", (width, height), rgb(floor.color))
    if floor.image is not None:
        picture = open_image(world, floor.image, "floor.image").convert("RGB")
        left, bottom = floor.image_at or (x0, y0)
        canvas.paste(picture, (round((left - x0) * scale), height - round((bottom - y0) * scale) - picture.height))
    if floor.strokes:
        finer = FINER if width * height * FINER**2 <= MAX_PIXELS else 1
        fine = canvas.resize((width * finer, height * finer), Image.Resampling.NEAREST)
        for stroke in floor.strokes:
            _draw_stroke(fine, stroke, x0, y1, scale * finer)
        canvas = fine.reduce(finer)
    return np.asarray(canvas, np.uint8).copy(), _grid_row(x0, y1, scale)


def _round_down(value: float) -> float:
    """Round a number down to two significant digits."""
    digit = 10.0 ** (math.floor(math.log10(value)) - 1)
    return math.floor(value / digit) * digit


def _grid_row(left: float, top: float, scale: float) -> Floats:
    row = np.zeros(GRID_ENTRIES)
    row[[GRID_X, GRID_Y, GRID_SCALE]] = left, top, scale
    return row


def curve(stroke: Stroke) -> list[Point]:
    """Return the points of a stroke; a smooth stroke is sampled along its curve."""
    return smooth(stroke.points, closed=stroke.closed) if stroke.smooth else list(stroke.points)


def _draw_stroke(image: Image, stroke: Stroke, left: float, top: float, scale: float) -> None:
    from PIL import ImageDraw

    draw = ImageDraw.Draw(image)
    points = [((x - left) * scale, (top - y) * scale) for x, y in curve(stroke)]
    color = rgb(stroke.color)
    if stroke.filled:
        draw.polygon(points, fill=color)
    if stroke.closed:
        points.append(points[0])
    width = max(1, round(stroke.width * scale))
    draw.line(points, fill=color, width=width)
    r = max(0.0, width / 2 - 1)  # a pixel less, so that the discs do not protrude from the line
    for x, y in points:  # round joints and ends
        draw.ellipse((x - r, y - r, x + r, y + r), fill=color)


def field_picture(world: WorldSpec, field: Field, path: str) -> Floats:
    """Return the brightness 0 … 1 of an image field, shape (rows, columns)."""
    assert field.image is not None
    picture = open_image(world, field.image, path).convert("L")
    return np.asarray(picture, np.float64) / 255.0


def open_image(world: WorldSpec, name: str, path: str) -> Image:
    """Open an image file that a world names."""
    from PIL import Image, ImageOps, UnidentifiedImageError

    place = world.resolve_path(name)
    try:
        if place.exists() and not (place.is_file() and place.stat().st_size <= MAX_BYTES):
            raise UnidentifiedImageError
        picture = Image.open(io.BytesIO(place.read_bytes()))  # Pillow leaves the files of damaged images open
        picture.load()
        ImageOps.exif_transpose(picture, in_place=True)  # photos of a camera that was held upright
        return picture
    except FileNotFoundError:
        where = place.parent.name or "this folder"
        problem = f"no picture {name!r} in {where}: expected a PNG or JPEG file, named relative to the world's file"
    except (UnidentifiedImageError, IsADirectoryError, PermissionError, ValueError):
        problem = f"{name!r} is not a picture: expected a PNG or JPEG file"
    except (Image.DecompressionBombError, Image.DecompressionBombWarning):
        problem = f"{name!r} has too many pixels: expected at most {Image.MAX_IMAGE_PIXELS}"
    except Exception:  # the exception of Pillow depends on the kind of damage
        problem = f"{name!r} is damaged: expected a complete PNG or JPEG file"
    raise SpecError(problem, path=path, file=world.file)
