"""Shapes of Stage's models: blocks and bitmaps, scaled to the model's size."""

from __future__ import annotations

import contextlib
import math
import re
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from paddock.bridges.player.importer.stage_text import StageEntity
from paddock.core.geometry import Point, Pose, compose
from paddock.simulation.worlds.importers.bitmap import MAX_BOXES, read_brightness, rectangles

SIZE = (0.1, 0.1, 0.1)  # [m] default size of a model
DARK = 0.5  # threshold of the first channel, as in Stage
GREY = re.compile(r"gr[ae]y(\d+)")


class StageUnits(NamedTuple):
    """Units of the numbers in a world."""

    metres: float = 1.0
    radians: float = math.radians(1.0)

    def pose(self, entity: StageEntity, key: str = "pose") -> Pose:
        """Return a pose from `[x y z heading]`; Stage 2 had no z. All values after x may be missing."""
        values = entity.numbers(key, ())
        heading = values[3] if len(values) > 3 else values[2] if len(values) == 3 else 0.0
        x, y = (*values, 0.0, 0.0)[:2]
        return Pose(x * self.metres, y * self.metres, heading * self.radians)

    def size(self, entity: StageEntity) -> tuple[float, float, float]:
        """Return length, width and height [m]."""
        given = [number * self.metres for number in entity.numbers("size", (), least=2)]
        x, y, z = (*given, *SIZE[len(given) :])[:3]
        if min(x, y) <= 0:
            raise entity.problem("expected lengths > 0", "size")
        return x, y, z


def list_blocks(entity: StageEntity) -> list[list[Point]]:
    """Return the unscaled polygons of a model: `block ( … )`, or in Stage 2 `block[0].point[0] …`."""
    found = [_list_points(child, "") for child in entity.children if child.base == "block"]
    return found + [_list_points(entity, f"block[{k}].") for k in range(int(entity.number("blocks", 0)))]


def _list_points(entity: StageEntity, prefix: str) -> list[Point]:
    count = int(entity.number(f"{prefix}points", 0))
    if not 3 <= count <= 1000:
        raise entity.problem(f"expected 3 to 1000 points of a block, got {count}", f"{prefix}points")
    points = []
    for k in range(count):
        key = f"{prefix}point[{k}]"
        if key not in entity.properties:
            raise entity.problem(f"{key} is missing")
        x, y, *_ = entity.numbers(key, (), least=2)
        points.append((x, y))
    return points


def fit(polygons: Sequence[Sequence[Point]], length: float, width: float) -> list[list[Point]]:
    """Scale polygons so that their common bounding box has the given size and is centred on the origin."""
    xs, ys = zip(*[point for polygon in polygons for point in polygon], strict=True)
    wide, high = (max(xs) - min(xs)) or 1.0, (max(ys) - min(ys)) or 1.0
    middle = (max(xs) + min(xs)) / 2, (max(ys) + min(ys)) / 2
    return [[((x - middle[0]) * length / wide, (y - middle[1]) * width / high) for x, y in p] for p in polygons]


def trace_bitmap(entity: StageEntity, folder: Path) -> list[list[Point]]:
    """Return the dark parts of a model's image as rectangles, in pixels; y points up."""
    name = entity.text("bitmap", "")
    if not (folder / name).is_file():
        raise entity.problem(f"there is no picture {name!r} in the world's folder", "bitmap")
    dark = read_brightness(folder / name, red_only=True) < DARK
    if not dark.any():
        raise entity.problem(f"{name!r} has no dark pixel", "bitmap")
    parts = list(islice(rectangles(dark), MAX_BOXES + 1))
    if len(parts) > MAX_BOXES:
        raise entity.problem(f"{name!r} needs more than {MAX_BOXES} rectangles: make it smaller", "bitmap")
    return [[(p.left, -p.bottom), (p.right, -p.bottom), (p.right, -p.top), (p.left, -p.top)] for p in parts]


def place(polygon: Sequence[Point], pose: Pose) -> list[Point]:
    """Transform a polygon from a model's frame to the world frame."""
    return [compose(pose, Pose(x, y, 0.0))[:2] for x, y in polygon]


def convex_hull(points: Sequence[Point]) -> list[Point]:
    """Return the corners of the convex hull of points, counter-clockwise."""
    hull: list[Point] = []
    for direction in (sorted(set(points)), sorted(set(points), reverse=True)):
        start = len(hull)
        for x, y in direction:
            while len(hull) >= start + 2 and _turns_right(hull[-2], hull[-1], (x, y)):
                hull.pop()
            hull.append((x, y))
        hull.pop()
    return hull


def _turns_right(a: Point, b: Point, c: Point) -> bool:
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]) <= 1e-12


def find_color(entity: StageEntity) -> str | None:
    """Return a model's colour; None if it has none or an unknown one."""
    from PIL import ImageColor

    if "color_rgba" in entity.properties:
        values = entity.numbers("color_rgba", (), least=3)
        return "#{:02x}{:02x}{:02x}".format(*(round(255 * min(1.0, max(0.0, value))) for value in values[:3]))
    name = entity.text("color", "").replace("_", "").replace(" ", "").lower()
    if grey := GREY.fullmatch(name):
        return "#" + 3 * f"{min(255, round(2.55 * int(grey[1]))):02x}"
    for known in (name, name.rstrip("1234")):  # X11 has four shades of many colours
        with contextlib.suppress(ValueError):
            return "#{:02x}{:02x}{:02x}".format(*ImageColor.getrgb(known)[:3])
    return None
