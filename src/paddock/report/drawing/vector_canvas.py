"""VectorCanvas: a canvas that draws into matplotlib axes, so that pictures can be saved as SVG and PDF."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from paddock.core.geometry import Disc, Point, Shape
from paddock.report.drawing.canvas import FONT_SCALE, Anchor, Canvas, Rect, printable
from paddock.report.drawing.colours import INK, PAPER, SHADOW, Rgba, tint

if TYPE_CHECKING:
    from PIL.Image import Image

DPI = 100  # pixels of the picture per inch of the page
POINTS = 72 / DPI  # in a pixel
SOFT = 0.27  # opacity of shadows


class VectorCanvas(Canvas):
    """A canvas whose shapes stay shapes. Only textures of floors are images."""

    def __init__(self, width: int, height: int, *, paper: str = PAPER) -> None:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure

        self.width, self.height = width, height
        figure = Figure(figsize=(width / DPI, height / DPI), dpi=DPI, facecolor=paper)
        FigureCanvasAgg(figure)
        self.axes = figure.add_axes((0.0, 0.0, 1.0, 1.0))
        self.axes.set(xlim=(0.0, width), ylim=(height, 0.0))
        self.axes.axis("off")
        self.taken: list[Rect] = []
        self.view(0.0, 0.0, 0.0, 0.0, 1.0)
        self._drawn = 0

    @property
    def _next(self) -> int:
        """The place of the next shape in the order of drawing."""
        self._drawn += 1
        return self._drawn

    def _add(self, kind: str, *arguments: Any, color: Rgba | None, **options: Any) -> None:
        import matplotlib.patches

        filled = {"facecolor": "none"} if color is None else {"facecolor": _share(color), "linewidth": 0.0}
        patch = getattr(matplotlib.patches, kind)(*arguments, **{**filled, **options}, zorder=self._next)
        self.axes.add_patch(patch)

    def paste(self, picture: Image, rect: Rect) -> None:
        left, top, right, bottom = rect
        if colors := picture.getcolors(1):  # one for the whole image
            self.block(rect, (*cast(tuple[int, int, int], colors[0][1]), 255))
            return
        self.axes.imshow(np.asarray(picture), extent=(left, right, bottom, top), aspect="auto", zorder=self._next)
        self.axes.set(xlim=(0.0, self.width), ylim=(self.height, 0.0))

    def fill(self, pixels: Iterable[Point], fill: Rgba) -> None:
        self._add("Polygon", list(pixels), closed=True, color=fill)

    def stroke(self, pixels: Sequence[Point], color: Rgba, width: float) -> None:
        rows = np.array(pixels, float).reshape(-1, 2)
        style: Any = {"solid_joinstyle": "round", "solid_capstyle": "butt"}
        self.axes.plot(
            rows[:, 0], rows[:, 1], color=_share(color), linewidth=width * POINTS, zorder=self._next, **style
        )

    def dot(self, pixel: Point, radius: float, fill: Rgba) -> None:
        self._add("Circle", pixel, radius, color=fill)

    def ring(self, pixel: Point, radius: float, color: Rgba, width: float) -> None:
        self._add("Circle", pixel, radius, color=None, edgecolor=_share(color), linewidth=width * POINTS)

    def block(self, rect: Rect, fill: Rgba, *, radius: float = 0.0) -> None:
        left, top, right, bottom = rect
        corners = f"round,pad=0,rounding_size={radius}" if radius else "square,pad=0"
        self._add("FancyBboxPatch", (left, top), right - left, bottom - top, boxstyle=corners, color=fill)

    def shadows(self, shapes: Sequence[Shape], within: Rect, offset: float) -> None:
        """Draw sharp shadows, because vectors know no blur; each lies close to its shape."""
        far, color = 0.5 * offset, tint(SHADOW, SOFT)
        for shape in shapes:
            if isinstance(shape, Disc):
                x, y = self.at((shape.x, shape.y))
                self.dot((x + far, y + far), shape.radius * self.scale, color)
            else:
                self.fill([(x + far, y + far) for x, y in map(self.at, shape)], color)

    def text(
        self, pixel: Point, text: str, size: float, *, color: str = INK, anchor: Anchor = "left", halo: bool = False
    ) -> Rect:
        from matplotlib.patheffects import Normal, Stroke

        width, height = self.measure(text, size)
        left = pixel[0] - width * {"left": 0.0, "middle": 0.5, "right": 1.0}[anchor]
        around: Any = {"path_effects": [Stroke(linewidth=3.0, foreground=(1, 1, 1, 0.8)), Normal()]} if halo else {}
        place: Any = {"ha": {"middle": "center"}.get(anchor, anchor), "va": "center_baseline"}
        shown = printable(text).replace("$", r"\$")
        style: Any = {"fontsize": FONT_SCALE * size * POINTS, "color": color, "zorder": self._next, **place, **around}
        self.axes.text(pixel[0], pixel[1], shown, **style)
        rect = (left, pixel[1] - height / 2, left + width, pixel[1] + height / 2)
        self.taken.append(rect)
        return rect


def _share(color: Rgba) -> tuple[float, ...]:
    """Convert a colour from 0 … 255 to 0 … 1."""
    return tuple(part / 255 for part in color)
