"""Find the gates of a world's track: across its closed line on the floor, or from a closed wall outwards."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from paddock.arena.referees.gates import Gates
from paddock.core.errors import PaddockError
from paddock.core.geometry import Point, signed_area
from paddock.simulation.engine.model import Floats
from paddock.simulation.worlds.floor import curve
from paddock.simulation.worlds.starts import list_starts
from paddock.simulation.worlds.world_spec import WorldSpec

AHEAD = 0.01  # [m] distance of the finish line ahead of the first start
CLEAR = 0.9  # maximum half width of a gate, relative to half the distance to the next section of the line


@dataclass(frozen=True)
class Track:
    """Gates around a loop; the first one is the line."""

    gates: Gates
    loop: ClosedLine | None = None  # None: the path between the gates is unknown

    def distance(self, place: Floats) -> float:
        """Return the distance of a position from the loop [m]."""
        return 0.0 if self.loop is None else self.loop.nearest(place)[1]


def find_tracks(world: WorldSpec, count: int, width: float) -> list[Track]:
    """Return the tracks of a world, each with its finish line just ahead of the first start on it.

    Args:
        world: a world with closed strokes on its floor, each a track, or with a closed wall that robots drive around.
        count: number of gates, including the line; they are evenly spaced along the track.
        width: width of a gate across a stroke [m]; gates are shorter where another section of the stroke is near.
    """
    strokes = [curve(stroke) for stroke in world.floor.strokes if stroke.closed and not stroke.filled]
    if strokes:
        return [_across(points, world, count, width) for points in strokes]
    walls = [list(wall.points) for wall in world.walls if wall.closed]
    if walls:
        return [_outwards(max(walls, key=_length), world, count)]
    raise PaddockError(
        f"laps: {world.name} has neither a closed line on its floor nor a closed wall: "
        "set line = [[x, y], [x, y]] and checkpoints"
    )


class ClosedLine:
    """A closed line of points."""

    def __init__(self, points: Sequence[Point]) -> None:
        corners = np.array([*points, points[0]], float)
        pieces = np.diff(corners, axis=0)
        lengths = np.hypot(*pieces.T)
        kept = lengths > 0
        self.corners = corners[:-1][kept]
        self.along = pieces[kept] / lengths[kept, None]  # directions of the segments
        self.ends = np.cumsum(lengths[kept])
        self.lengths = lengths[kept]
        self.length = float(self.ends[-1])

    def at(self, distance: float) -> tuple[Floats, Floats]:
        """Return the position at a distance [m] along the line, and its direction there."""
        distance %= self.length
        piece = min(int(np.searchsorted(self.ends, distance, side="right")), len(self.ends) - 1)
        beyond = distance - (self.ends[piece] - self.lengths[piece])
        place: Floats = self.corners[piece] + beyond * self.along[piece]
        return place, self.along[piece]

    def nearest(self, place: Sequence[float] | Floats) -> tuple[float, float]:
        """Return the distance along the line of its nearest point to a position, and the distance to it [m]."""
        offset = np.asarray(place) - self.corners
        beyond = np.clip((offset * self.along).sum(1), 0, self.lengths)
        apart = np.hypot(*(offset - beyond[:, None] * self.along).T)
        piece = int(apart.argmin())
        return float(self.ends[piece] - self.lengths[piece] + beyond[piece]), float(apart[piece])

    def hit(self, start: Floats, direction: Floats) -> float:
        """Return the length of a ray until it meets the line [m]; intersections at its start do not count."""
        return hit(start, direction, self.corners, self.corners + self.along * self.lengths[:, None])


def hit(start: Floats, direction: Floats, first: Floats, last: Floats) -> float:
    """Return the length of a ray until it meets one of the segments [m]; intersections at its start do not count."""
    edge, offset = last - first, first - start
    across = direction[0] * edge[:, 1] - direction[1] * edge[:, 0]
    with np.errstate(divide="ignore", invalid="ignore"):
        far = (offset[:, 0] * edge[:, 1] - offset[:, 1] * edge[:, 0]) / across
        share = (offset[:, 0] * direction[1] - offset[:, 1] * direction[0]) / across
    met = (across != 0) & (far > 1e-6) & (share >= 0) & (share <= 1)
    return float(far[met].min(initial=math.inf))


def _length(points: Sequence[Point]) -> float:
    return sum(math.dist(a, b) for a, b in pairwise([*points, points[0]]))


def _across(points: list[Point], world: WorldSpec, count: int, width: float) -> Track:
    """Return gates perpendicular to the line, in the direction of the first start on it, else of its points."""
    loop = ClosedLine(points)
    start = next((pose for pose in list_starts(world) if loop.nearest(pose[:2])[1] <= width / 2), None)
    begin = 0.0
    if start is not None:
        _, direction = loop.at(loop.nearest(start[:2])[0])
        if math.cos(start.heading) * direction[0] + math.sin(start.heading) * direction[1] < 0:
            loop = ClosedLine(points[::-1])
        begin = loop.nearest(start[:2])[0] + AHEAD
    gates = []
    for k in range(count):
        place, direction = loop.at(begin + k * loop.length / count)
        left = np.array([-direction[1], direction[0]])
        sides = [min(width, CLEAR * loop.hit(place, side)) / 2 for side in (-left, left)]
        gates.append([*(place - sides[0] * left), *(place + sides[1] * left)])
    return Track(Gates(np.array(gates)), loop)


def _outwards(points: list[Point], world: WorldSpec, count: int) -> Track:
    """Return gates from a wall outwards to the next wall or the bounds; forwards means the wall is on the left."""
    loop = ClosedLine(points if signed_area(points) > 0 else points[::-1])
    x0, y0, x1, y1 = world.bounds
    corners = [(x0, y0), (x1, y0), (x1, y1), (x0, y1), (x0, y0)]
    walls = [[*wall.points, wall.points[0]] if wall.closed else list(wall.points) for wall in world.walls]
    pieces = np.array([pair for line in (corners, *walls) for pair in pairwise(line)])
    starts = list_starts(world)
    begin = loop.nearest(starts[0][:2])[0] + AHEAD if starts else 0.0
    gates = []
    for k in range(count):
        place, direction = loop.at(begin + k * loop.length / count)
        right = np.array([direction[1], -direction[0]])
        far = hit(place, right, pieces[:, 0], pieces[:, 1])
        gates.append([*(place + min(far, math.hypot(x1 - x0, y1 - y0)) * right), *place])
    return Track(Gates(np.array(gates)), loop)
