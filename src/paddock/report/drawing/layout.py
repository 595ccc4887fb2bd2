"""The layout of a picture of a world: positions of title, plot, axes, legend and scale bar."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from paddock.core.geometry import Point, Pose
from paddock.report.drawing.canvas import Canvas, Rect, fill_rows, round_length
from paddock.report.drawing.legend import LegendEntry
from paddock.simulation.robots.robot_spec import RobotSpec
from paddock.simulation.worlds.solids import Solid
from paddock.simulation.worlds.world_spec import WorldSpec

TALLEST = 1.4  # maximum height, relative to the width
Trail = Sequence[Sequence[Point]]
"""The pieces of a path [m], with gaps between them."""


class PictureLayout:
    """A canvas for a world, `size` pixels wide, and the positions of its parts."""

    def __init__(self, spec: WorldSpec, size: int, legend: Sequence[LegendEntry] = ()) -> None:
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
        self.canvas = Canvas(size, round(bottom + axis + max(1, len(self.legend)) * 24 * z + 20 * z))
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
