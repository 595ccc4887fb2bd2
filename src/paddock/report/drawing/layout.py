"""The layout of a picture of a world: positions of title, plot, axes, legend and scale bar."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from paddock.core.geometry import Point, Pose
from paddock.report.drawing.canvas import Canvas, Rect, fill_rows, round_length
from paddock.report.drawing.colours import GOAL, TRAIL_START, WHITE, darken, tint
from paddock.report.drawing.symbols import draw_lamp, draw_sound, draw_start
from paddock.simulation.robots.robot_spec import RobotSpec
from paddock.simulation.worlds.solids import Solid
from paddock.simulation.worlds.world_spec import WorldSpec

TALLEST = 1.4  # maximum height, relative to the width
Trail = Sequence[Sequence[Point]]
"""The pieces of a path [m], with gaps between them."""


class LegendEntry(NamedTuple):
    """A symbol and its meaning."""

    symbol: str
    color: str
    text: str


def draw_symbol(canvas: Canvas, entry: LegendEntry, left: Point, z: float) -> None:
    """Draw the symbol of an entry, 18 pixels wide, to the right of a pixel."""
    (x, y), color = left, entry.color
    at = (x + 9 * z, y)
    if entry.symbol == "cone":
        tip = [(x, y), (x + 18 * z, y - 6 * z), (x + 18 * z, y + 6 * z)]
        canvas.stroke([tip[1], tip[0], tip[2], tip[1]], tint(color, 0.8), 1.4 * z)
    elif entry.symbol == "cut":  # a beam that goes on as dots
        canvas.stroke([(x, y), (x + 8 * z, y)], tint(color), 1.4 * z)
        for dot in (11, 14, 17):
            canvas.dot((x + dot * z, y), 0.8 * z, tint(color))
    elif entry.symbol == "field":
        canvas.block((x + 2 * z, y - 6 * z, x + 16 * z, y + 6 * z), tint(color, 0.55), radius=3 * z)
    elif entry.symbol == "lamp":
        draw_lamp(canvas, at, color, 4.5 * z)
    elif entry.symbol == "sound":
        draw_sound(canvas, at, 4 * z)
    elif entry.symbol == "goal":
        draw_goal(canvas, at, 8 * z)
    elif entry.symbol == "trail start":
        draw_trail_start(canvas, at, z)
    elif entry.symbol == "robot":
        canvas.dot(at, 8 * z, tint(darken(color, 0.45)))
        canvas.dot(at, 6.6 * z, tint(color))
        draw_arrow(canvas, at, 0.0, 6 * z, WHITE)
    elif entry.symbol == "direction":
        canvas.stroke([(x, y), (x + 18 * z, y)], tint(color, 0.5), 2.0 * z)
        draw_arrow(canvas, (x + 14 * z, y), 0.0, 7.5 * z, color)
    elif entry.symbol == "estimate":
        for start in (x, x + 7 * z, x + 14 * z):
            canvas.stroke([(start, y), (start + 4 * z, y)], tint(color, 0.75), 1.6 * z)
    else:
        place = canvas.x + (at[0] - canvas.left) / canvas.scale, canvas.y + (canvas.bottom - at[1]) / canvas.scale
        draw_start(canvas, Pose(*place, 0.0), 7 * z)


def draw_trail_start(canvas: Canvas, pixel: Point, z: float) -> None:
    """Mark the start of a path with a ring with a white rim and a white centre, which differs from any robot."""
    for radius, color in ((7.5, WHITE), (6.0, TRAIL_START), (3.0, WHITE)):
        canvas.dot(pixel, radius * z, tint(color))


def draw_goal(canvas: Canvas, pixel: Point, size: float) -> None:
    """Draw a flag centred on the pixel, `size` pixels to each side."""
    x, y = pixel
    pole = x - 0.45 * size
    flag = [(pole, y - size), (pole + 1.4 * size, y - 0.5 * size), (pole, y)]
    canvas.fill(flag, tint(GOAL))
    canvas.stroke([(pole, y - size), (pole, y + size)], tint(darken(GOAL)), 0.22 * size)


def draw_arrow(canvas: Canvas, tip: Point, angle: float, length: float, color: str) -> None:
    """Draw an arrow head. The angle is clockwise from the right, as in pixel coordinates."""
    for size, fill in ((length + 2.4, WHITE), (length, color)):
        corners = [(0.6 * size, 0.0), (-0.6 * size, 0.55 * size), (-0.25 * size, 0.0), (-0.6 * size, -0.55 * size)]
        c, s = math.cos(angle), math.sin(angle)
        pixels = [(tip[0] + c * x - s * y, tip[1] + s * x + c * y) for x, y in corners]
        canvas.fill(pixels, tint(fill))


class PictureLayout:
    """A canvas for a world, `size` pixels wide, and the positions of its parts."""

    def __init__(
        self, spec: WorldSpec, size: int, legend: Sequence[LegendEntry] = (), canvas: type[Canvas] = Canvas
    ) -> None:
        self.spec, self.zoom = spec, size / 1000
        x0, y0, x1, y1 = spec.bounds
        z = self.zoom
        self.step = round_length(max(x1 - x0, y1 - y0) / 5)
        labels = [Canvas.measure(text, 14 * z)[0] for _, text in self.ticks(y0, y1)]
        self.title_height, side, axis = 78 * z, max(62 * z, max(labels, default=0.0) + 26 * z), 46 * z
        right = 30 * z
        scale = min((size - side - right) / (x1 - x0), TALLEST * size / (y1 - y0))
        wide, high = (x1 - x0) * scale, (y1 - y0) * scale
        left = side + (size - side - right - wide) / 2
        self.legend = fill_rows(legend, lambda entry: entry.text, size - side - right - 200 * z, z)
        bottom = self.title_height + high
        self.canvas = canvas(size, round(bottom + axis + max(1, len(self.legend)) * 24 * z + 20 * z))
        self.canvas.view(x0, y0, left, bottom, scale)
        self.plot: Rect = (left, self.title_height, left + wide, bottom)
        self.below = bottom + axis

    @property
    def wall(self) -> float:
        """Thickness of the drawn border [pixels]."""
        border = 0.0 if self.spec.open else self.spec.border.thickness
        return min(max(border * self.canvas.scale, 4 * self.zoom), 10 * self.zoom) if border else 0.0

    def ticks(self, low: float, high: float) -> list[tuple[float, str]]:
        """Return round values along an axis and their labels; the last label has the unit."""
        first, last = math.ceil(low / self.step - 1e-9), math.floor(high / self.step + 1e-9)
        places = [(i, round(i * self.step, 6)) for i in range(first, last + 1)]
        return [(i * self.step, f"{place:g}{' m' if i == last else ''}") for i, place in places]


@dataclass(frozen=True, kw_only=True)
class WorldPicture:
    """The contents of a picture for its layers, and its canvas."""

    layout: PictureLayout
    spec: WorldSpec
    types: Sequence[RobotSpec]  # of the robots, as `poses` and `colors`
    poses: Sequence[Pose]
    colors: Sequence[str]
    pieces: Sequence[Solid]  # walls and obstacles
    about: str = ""
    rays: bool = True
    names: bool = True
    directions: bool = False  # arrows along the trails
    trails: Mapping[str, Trail] = field(default_factory=dict)  # by robot
    estimates: Mapping[str, Trail] = field(default_factory=dict)  # estimated paths, by robot

    @property
    def canvas(self) -> Canvas:
        """Canvas to draw on."""
        return self.layout.canvas

    @property
    def zoom(self) -> float:
        """Size of the picture, relative to a width of 1000 pixels."""
        return self.layout.zoom
