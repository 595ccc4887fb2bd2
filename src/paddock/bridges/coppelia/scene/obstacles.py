"""Obstacles of a world as objects of a scene: every straight piece of a wall is an object with a frame of its own."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from paddock.bridges.coppelia.scene.frames import Frame, floor_frame
from paddock.core.geometry import Disc, Pose, Shape, compute_bounds, place_shape
from paddock.simulation.worlds import WorldSpec
from paddock.simulation.worlds.solids import Solid, solids

NAMES = {"border": "border", "walls": "wall", "arcs": "wall", "boxes": "Cuboid", "cylinders": "Cylinder"}


class Obstacle(NamedTuple):
    """An obstacle of a scene."""

    alias: str
    frame: Frame  # at its centre; the x axis is parallel to its first side
    pieces: tuple[Shape, ...]  # in the world frame
    height: float  # [m]


def list_obstacles(world: WorldSpec) -> Iterator[Obstacle]:
    """Iterate over the obstacles. The chords of an arc form one object; the segments of other walls are separate."""
    groups: dict[str, list[Solid]] = defaultdict(list)
    for number, solid in enumerate(solids(world)):
        groups[solid.path if solid.path.startswith("arcs") else f"{number}"].append(solid)
    for group in groups.values():
        pieces, height = tuple(solid.shape for solid in group), group[0].height
        yield Obstacle(NAMES[group[0].path.partition("[")[0]], _find_frame(pieces, height), pieces, height)


def _find_frame(pieces: Sequence[Shape], height: float) -> Frame:
    first, heading = pieces[0], 0.0
    if len(pieces) == 1 and not isinstance(first, Disc):
        (ax, ay), (bx, by), *_ = first
        heading = math.atan2(by - ay, bx - ax)
    x0, y0, x1, y1 = box_around(pieces, Pose(0.0, 0.0, heading))
    x, y, c, s = (x0 + x1) / 2, (y0 + y1) / 2, math.cos(heading), math.sin(heading)
    return floor_frame(Pose(c * x - s * y, s * x + c * y, heading), height / 2)


def box_around(pieces: Sequence[Shape], pose: Pose) -> tuple[float, float, float, float]:
    """Return minimum x, y and maximum x, y of shapes in the frame of a pose [m]."""
    x, y, heading = pose
    boxes = [compute_bounds(place_shape(place_shape(shape, -x, -y, 0.0), 0.0, 0.0, -heading)) for shape in pieces]
    lows, highs = [box[:2] for box in boxes], [box[2:] for box in boxes]
    return (
        min(low[0] for low in lows),
        min(low[1] for low in lows),
        max(high[0] for high in highs),
        max(high[1] for high in highs),
    )
