"""Floor plans: rooms that fill a rectangle, and doors that make every room reachable."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from random import Random

from paddock.core.errors import PaddockError

SHORTEST_ROOM = 2.6  # minimum side of a room [m]
LONGEST_ROOM = 5.2  # longer rooms are divided [m]
CORRIDOR = 1.6  # clear width of a corridor [m]
JAMB = 0.25  # minimum length of wall next to a door [m]


@dataclass(frozen=True, slots=True)
class FloorRoom:
    """A room; its bounds are the centre lines of its walls [m]."""

    x0: float
    y0: float
    x1: float
    y1: float
    is_corridor: bool = False

    @property
    def width(self) -> float:
        return self.x1 - self.x0

    @property
    def depth(self) -> float:
        return self.y1 - self.y0


@dataclass(frozen=True, slots=True)
class SharedWall:
    """The part of a wall that two rooms share, from `low` to `high` along the wall, at the coordinate `line`."""

    rooms: tuple[int, int]
    upright: bool  # along y, at x = line
    line: float
    low: float
    high: float
    door: tuple[float, float] | None = None  # start and end of the door along the wall

    @property
    def length(self) -> float:
        return self.high - self.low

    def point(self, along: float) -> tuple[float, float]:
        line, along = round(self.line, 3), round(along, 3)
        return (line, along) if self.upright else (along, line)


@dataclass(frozen=True, slots=True)
class FloorPlan:
    """Rooms and the walls between them."""

    width: float  # [m]
    depth: float
    rooms: tuple[FloorRoom, ...]
    walls: tuple[SharedWall, ...]

    @property
    def doors(self) -> list[tuple[float, float]]:
        """Centres of all doors [m]."""
        return [wall.point(sum(wall.door) / 2) for wall in self.walls if wall.door is not None]


def divide_into_rooms(area: FloorRoom, random: Random) -> list[FloorRoom]:
    """Split a rectangle recursively across its longer side, until every room has a usual size."""
    long = max(area.width, area.depth)
    if long < 2 * SHORTEST_ROOM or (long <= LONGEST_ROOM and random.random() < 0.7):
        return [area]
    cut = random.uniform(SHORTEST_ROOM, long - SHORTEST_ROOM)
    return [room for part in _cut(area, cut) for room in divide_into_rooms(part, random)]


def lay_out_rooms(width: float, depth: float, random: Random) -> list[FloorRoom]:
    """Return rooms on both sides of a corridor."""
    low = random.uniform(SHORTEST_ROOM, depth - CORRIDOR - SHORTEST_ROOM)
    sides = [FloorRoom(0, 0, width, low), FloorRoom(0, low + CORRIDOR, width, depth)]
    corridor = FloorRoom(0, low, width, low + CORRIDOR, is_corridor=True)
    return [corridor, *(room for side in sides for room in divide_into_rooms(side, random))]


def lay_out_cells(width: float, depth: float, random: Random) -> list[FloorRoom]:
    """Return a corridor with equal rooms on both sides, which look the same from inside."""
    count = max(1, int(width // 3.2))
    side, low = width / count, (depth - CORRIDOR) / 2
    corridor = FloorRoom(0, low, width, low + CORRIDOR, is_corridor=True)
    levels = ((0.0, low), (low + CORRIDOR, depth))
    return [corridor, *(FloorRoom(k * side, y0, (k + 1) * side, y1) for y0, y1 in levels for k in range(count))]


def join_rooms(
    rooms: list[FloorRoom], width: float, depth: float, *, door: float, loops: float, centred: bool, random: Random
) -> FloorPlan:
    """Add doors until every room is reachable, and a share of additional doors.

    Args:
        door: clear width [m].
        loops: share of the remaining walls that get an additional door, 0 … 1.
        centred: whether doors are in the middle of their walls.
    """
    walls = [wall for pair in combinations(range(len(rooms)), 2) if (wall := _find_shared_wall(rooms, pair))]
    wide = [wall for wall in walls if wall.length >= door + 2 * JAMB]
    # Corridors come first, because most rooms of an apartment open into a corridor.
    order = sorted(random.sample(wide, len(wide)), key=lambda wall: not any(rooms[k].is_corridor for k in wall.rooms))
    groups = list(range(len(rooms)))
    opened: dict[tuple[int, int], tuple[float, float]] = {}
    for wall in order:
        first, second = (groups[k] for k in wall.rooms)
        if first != second or random.random() < loops:
            groups = [first if group == second else group for group in groups]
            slack = wall.length - door - 2 * JAMB
            start = wall.low + JAMB + slack * (0.5 if centred else random.random())
            opened[wall.rooms] = (round(start, 3), round(start + door, 3))
    if len(set(groups)) > 1:
        raise PaddockError(
            f"doors of {door:g} m cannot connect all rooms of {width:g} m × {depth:g} m: make the doors narrower"
        )
    joined = (
        SharedWall(wall.rooms, wall.upright, wall.line, wall.low, wall.high, opened.get(wall.rooms)) for wall in walls
    )
    return FloorPlan(width, depth, tuple(rooms), tuple(joined))


def _cut(area: FloorRoom, at: float) -> tuple[FloorRoom, FloorRoom]:
    at = round(at, 2)
    if area.width >= area.depth:
        x = round(area.x0 + at, 2)
        return FloorRoom(area.x0, area.y0, x, area.y1), FloorRoom(x, area.y0, area.x1, area.y1)
    y = round(area.y0 + at, 2)
    return FloorRoom(area.x0, area.y0, area.x1, y), FloorRoom(area.x0, y, area.x1, area.y1)


def _find_shared_wall(rooms: list[FloorRoom], pair: tuple[int, int]) -> SharedWall | None:
    a, b = (rooms[k] for k in pair)
    for line, other in ((a.x1, b.x0), (b.x1, a.x0)):
        low, high = max(a.y0, b.y0), min(a.y1, b.y1)
        if line == other and high > low:
            return SharedWall(pair, True, line, low, high)
    for line, other in ((a.y1, b.y0), (b.y1, a.y0)):
        low, high = max(a.x0, b.x0), min(a.x1, b.x1)
        if line == other and high > low:
            return SharedWall(pair, False, line, low, high)
    return None
