"""Import images as worlds: dark pixels are walls, covered by few rectangles."""

from __future__ import annotations

import io
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from paddock.core.argument_checks import all_finite
from paddock.core.errors import SpecError, format_value
from paddock.simulation.worlds.importers.import_result import ImportedWorld, tidy, world_name
from paddock.simulation.worlds.world_spec import WALL_COLOR, Box, Start, WorldSpec

if TYPE_CHECKING:
    from PIL.Image import Image

SCALE = 0.01  # metres per pixel
THRESHOLD = 0.5
MAX_PIXELS = 4_000_000
MAX_BOXES = 20_000
Mask = NDArray[np.bool_]


class Rectangle(NamedTuple):
    """A rectangle of pixels; `right` and `bottom` are exclusive, and rows are counted from the top."""

    left: int
    top: int
    right: int
    bottom: int


def bitmap_world(
    path: str | Path, *, scale: float = SCALE, threshold: float = THRESHOLD, height: float = 0.5
) -> ImportedWorld:
    """Convert an image to a world; its start is the position with the most free space.

    Args:
        scale: metres per pixel.
        threshold: darker pixels are walls; 0 black … 1 white.
        height: height of the walls [m].
    """
    path = Path(path)
    if not (all_finite(scale) and 0 < scale <= 1000):
        raise SpecError(f"expected metres per pixel > 0 and <= 1000, got {format_value(scale)}", path="scale")
    if not (all_finite(threshold) and 0 < threshold < 1):
        raise SpecError(f"expected a brightness between 0 and 1, got {format_value(threshold)}", path="threshold")
    dark = read_brightness(path) < threshold
    if not dark.any():
        raise SpecError(f"no pixel is darker than {threshold:g}: choose a higher threshold", file=path.name)
    if dark.all():
        raise SpecError(f"all pixels are darker than {threshold:g}: choose a lower threshold", file=path.name)
    return trace_world(dark, ~dark, path, scale=scale, height=height)


def trace_world(
    dark: Mask, free: Mask, path: Path, *, scale: float, height: float, corner: tuple[float, float] = (0.0, 0.0)
) -> ImportedWorld:
    """Convert a mask of pixels to a world; its start is the position with the most free space.

    Args:
        dark: mask of walls; rows are counted from the top.
        free: mask of pixels where a robot may start.
        path: source file of the pixels.
        scale: metres per pixel.
        height: height of the walls [m].
        corner: x, y [m] of the lower left corner.
    """
    rows, columns = dark.shape
    x, y = corner
    boxes = []
    for part in rectangles(dark):
        at = x + (part.left + part.right) / 2 * scale, y + (rows - (part.top + part.bottom) / 2) * scale
        size = (part.right - part.left) * scale, (part.bottom - part.top) * scale
        boxes.append(Box(at=tidy(*at), size=tidy(*size), height=height, color=WALL_COLOR))
        if len(boxes) > MAX_BOXES:
            raise SpecError(
                f"the dark pixels need more than {MAX_BOXES} rectangles: smooth or shrink the picture", file=path.name
            )
    row, column = np.unravel_index(np.argmax(_room(free)), dark.shape)
    place = tidy(x + (column + 0.5) * scale, y + (rows - row - 0.5) * scale)
    world = WorldSpec(
        name=world_name(path),
        title=f"Imported from {path.name}",
        bounds=(*tidy(x, y), *tidy(x + columns * scale, y + rows * scale)),
        boxes=tuple(boxes),
        starts=(Start(name="start", at=place),),
    )
    return ImportedWorld(world, "start")


def rectangles(dark: Mask) -> Iterator[Rectangle]:
    """Yield rectangles that cover exactly the dark pixels; they may overlap where bars cross."""
    todo = dark.copy()
    for row, column in np.argwhere(dark).tolist():
        if not todo[row, column]:
            continue
        wide = _grown(dark, row, column)
        top, left, bottom, right = _grown(dark.T, column, row)
        high = Rectangle(left, top, right, bottom)  # the same with rows and columns exchanged
        best = max((wide, high), key=lambda part: int(_pixels(todo, part).sum()))
        _pixels(todo, best)[:] = False
        yield best


def _grown(dark: Mask, row: int, column: int) -> Rectangle:
    """Return the dark run of pixels around a pixel, extended by the rows above and below that are fully dark."""
    left, right = _reach(dark[row], column)
    top, bottom = _reach(np.logical_and.reduce(dark[:, left:right], axis=1), row)
    return Rectangle(left, top, right, bottom)


def _reach(line: Mask, at: int) -> tuple[int, int]:
    """Return the start and end (exclusive) of the dark run around a pixel of a line."""
    before, after = np.flatnonzero(~line[:at]), np.flatnonzero(~line[at:])
    return int(before[-1]) + 1 if before.size else 0, at + int(after[0]) if after.size else len(line)


def _pixels(mask: Mask, part: Rectangle) -> Mask:
    return mask[part.top : part.bottom, part.left : part.right]


def _room(free: Mask) -> NDArray[np.int64]:
    """Return the distance of each pixel from the nearest wall or edge, in steps along rows and columns."""
    room = np.where(np.pad(free, 1), free.size, 0)
    for lines in (room, room[::-1], room.T, room.T[::-1]):
        for before, here in pairwise(lines):
            np.minimum(here, before + 1, out=here)
    return room[1:-1, 1:-1]


def read_brightness(path: Path, *, red_only: bool = False) -> NDArray[np.float64]:
    """Read the brightness of an image, 0 black … 1 white, shape (rows, columns); transparent pixels are white.

    Args:
        path: path of the image.
        red_only: use only the first channel, red.
    """
    from PIL import Image

    picture = _open(path)
    if picture.width * picture.height > MAX_PIXELS:
        raise SpecError(
            f"expected at most {MAX_PIXELS} pixels, got {picture.width} × {picture.height}: make it smaller",
            file=path.name,
        )
    if picture.mode.startswith("I"):  # 16 bits per pixel, which Pillow would clip instead of converting
        return np.asarray(picture, np.float64) / 65535
    layered = picture.convert("RGBA")
    ground = Image.new("RGBA", layered.size, "white")
    whole = Image.alpha_composite(ground, layered)
    return np.asarray(whole.getchannel("R") if red_only else whole.convert("L"), np.float64) / 255


def _open(path: Path) -> Image:
    from PIL import Image, ImageOps

    try:
        picture = Image.open(io.BytesIO(path.read_bytes()))
        if picture.width * picture.height <= MAX_PIXELS:
            picture.load()
            ImageOps.exif_transpose(picture, in_place=True)  # photos of a camera that was held upright
        return picture
    except FileNotFoundError:
        raise SpecError("no such file", file=str(path)) from None
    except OSError as error:
        problem = error.strerror or "it is damaged or not a picture"
    except Exception:  # the exception of Pillow depends on the kind of damage
        problem = "it is damaged"
    raise SpecError(f"cannot be read: {problem}", file=str(path))
