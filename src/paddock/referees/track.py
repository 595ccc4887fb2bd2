"""The gates of a world's track: across its closed line on the floor, or from its island of walls outwards."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from paddock.core.errors import PaddockError
from paddock.core.geometry import Point, Pose, signed_area
from paddock.engine.model import Floats
from paddock.referees.gates import Gates
from paddock.worlds.floor import curve
from paddock.worlds.placement import start_pose
from paddock.worlds.spec import WorldSpec

AHEAD = 0.01  # [m] the line lies this far ahead of the first start
CLEAR = 0.9  # of half the way to the next stretch of the line, at most, belongs to a gate
GOALS = ("exit", "goal")  # starts of these names are where robots want to go


def find_gates(world: WorldSpec, count: int, width: float) -> Gates:
    """So many gates around the world's track; the first one is the line, just ahead of the first start.

    Args:
        world: with a closed stroke on its floor, else with a closed wall in its middle that robots drive around.
        count: gates, the line included; they lie evenly along the track.
        width: of a gate across a stroke [m]; it ends sooner where the next stretch of the stroke is near.
    """
    strokes = [curve(stroke) for stroke in world.floor.strokes if stroke.closed and not stroke.filled]
    walls = [list(wall.points) for wall in world.walls if wall.closed]
    if not strokes and not walls:
        raise PaddockError(
            f"laps: {world.name} has neither a closed line on its floor nor a closed wall: "
            "say where the line is, line = [[x, y], [x, y]], and the checkpoints"
        )
    loop = max(strokes or walls, key=_length)
    start = first_start(world)
    if strokes:
        return Gates(_across(Loop(_turned(loop, start, width)), start, count, width))
    return Gates(_outwards(Loop(loop if signed_area(loop) > 0 else loop[::-1]), start, count, world))


def first_start(world: WorldSpec) -> Pose | None:
    """The first start that is no goal, else where the first robot starts."""
    for start in world.starts:
        if start.name not in GOALS:
            return Pose(*start.at, math.radians(start.heading_deg))
    return start_pose(world, world.robots[0]) if world.robots else None


class Loop:
    """A closed line of points."""

    def __init__(self, points: Sequence[Point]) -> None:
        corners = np.array([*points, points[0]], float)
        pieces = np.diff(corners, axis=0)
        lengths = np.hypot(*pieces.T)
        kept = lengths > 0
        self.corners = corners[:-1][kept]
        self.along = pieces[kept] / lengths[kept, None]  # directions of the pieces
        self.ends = np.cumsum(lengths[kept])
        self.lengths = lengths[kept]
        self.length = float(self.ends[-1])

    def at(self, distance: float) -> tuple[Floats, Floats]:
        """The place at a distance [m] along it, and its direction there."""
        distance %= self.length
        piece = min(int(np.searchsorted(self.ends, distance, side="right")), len(self.ends) - 1)
        beyond = distance - (self.ends[piece] - self.lengths[piece])
        place: Floats = self.corners[piece] + beyond * self.along[piece]
        return place, self.along[piece]

    def nearest(self, place: Point) -> tuple[float, float]:
        """How far along it is nearest to a place, and how near that is [m]."""
        offset = np.asarray(place) - self.corners
        beyond = np.clip((offset * self.along).sum(1), 0, self.lengths)
        apart = np.hypot(*(offset - beyond[:, None] * self.along).T)
        piece = int(apart.argmin())
        return float(self.ends[piece] - self.lengths[piece] + beyond[piece]), float(apart[piece])

    def hit(self, start: Floats, direction: Floats) -> float:
        """How far a ray goes before it meets the line [m]; where it stands on it does not count."""
        return hit(start, direction, self.corners, self.corners + self.along * self.lengths[:, None])


def hit(start: Floats, direction: Floats, first: Floats, last: Floats) -> float:
    """How far a ray goes before it meets one of the segments [m]; those at its start do not count."""
    edge, offset = last - first, first - start
    across = direction[0] * edge[:, 1] - direction[1] * edge[:, 0]
    with np.errstate(divide="ignore", invalid="ignore"):
        far = (offset[:, 0] * edge[:, 1] - offset[:, 1] * edge[:, 0]) / across
        share = (offset[:, 0] * direction[1] - offset[:, 1] * direction[0]) / across
    met = (across != 0) & (far > 1e-6) & (share >= 0) & (share <= 1)
    return float(far[met].min(initial=math.inf))


def _length(points: Sequence[Point]) -> float:
    return sum(math.dist(a, b) for a, b in pairwise([*points, points[0]]))


def _turned(points: list[Point], start: Pose | None, width: float) -> list[Point]:
    """The points in the order in which the first start looks, if that is on the track."""
    if start is None:
        return points
    loop = Loop(points)
    along, apart = loop.nearest(start[:2])
    _, direction = loop.at(along)
    looks = math.cos(start.heading) * direction[0] + math.sin(start.heading) * direction[1]
    return points[::-1] if apart <= width / 2 and looks < 0 else points


def _across(loop: Loop, start: Pose | None, count: int, width: float) -> Floats:
    """Gates square to the line."""
    begin, apart = loop.nearest(start[:2]) if start is not None else (0.0, 0.0)
    begin = begin + AHEAD if apart <= width / 2 else 0.0  # else nobody starts here: at the line's first point
    gates = []
    for k in range(count):
        place, direction = loop.at(begin + k * loop.length / count)
        left = np.array([-direction[1], direction[0]])
        sides = [min(width, CLEAR * loop.hit(place, side)) / 2 for side in (-left, left)]
        gates.append([*(place - sides[0] * left), *(place + sides[1] * left)])
    return np.array(gates)


def _outwards(loop: Loop, start: Pose | None, count: int, world: WorldSpec) -> Floats:
    """Gates from a wall outwards, to the next one or to the bounds; who goes forwards has the wall at the left."""
    x0, y0, x1, y1 = world.bounds
    corners = [(x0, y0), (x1, y0), (x1, y1), (x0, y1)]
    others = [[*wall.points, wall.points[0]] if wall.closed else list(wall.points) for wall in world.walls]
    pieces = np.array([pair for line in ([*corners, corners[0]], *others) for pair in pairwise(line)])
    begin = loop.nearest(start[:2])[0] + AHEAD if start is not None else 0.0
    gates = []
    for k in range(count):
        place, direction = loop.at(begin + k * loop.length / count)
        right = np.array([direction[1], -direction[0]])
        far = hit(place, right, pieces[:, 0], pieces[:, 1])
        gates.append([*(place + min(far, math.hypot(x1 - x0, y1 - y0)) * right), *place])
    return np.array(gates)
