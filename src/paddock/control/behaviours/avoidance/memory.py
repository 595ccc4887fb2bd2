"""ObstacleMemory: a grid of detected obstacles and of the cells that they close, and the cheapest path on it (A*)."""

from __future__ import annotations

import heapq
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from paddock.control.behaviours.avoidance.proximity_ring import ProximityRing
from paddock.core.geometry import Point, Pose

Cell = tuple[int, int]
Bounds = tuple[float, float, float, float]
"""The rectangle of the room: left, bottom, right, top [m]."""


FAR = 1_000_000  # cells
DIAGONAL = math.sqrt(2) - 1  # extra cost of a diagonal step over a straight one
HEURISTIC_WEIGHT = (
    1.1  # weight of the A* heuristic: above 1 the search is faster, and the path up to this factor more expensive
)
TIGHT = 1.5  # extra cost of a cell near an obstacle
CLOSED_COST = 12.0  # extra cost of a closed cell around the start, so that a robot too near to an obstacle can leave
LEAVING = 3  # [cells] distance from the start in which closed cells are permitted
MAX_CELLS = 12_000  # maximum number of expanded cells


@dataclass(slots=True)
class Sighting:
    """A position at which an obstacle was detected."""

    x: float
    y: float
    time: float  # of the last detection [s]
    accuracy: float  # distance of the most accurate detection [m]


@dataclass(kw_only=True)
class ObstacleMemory:
    """Sightings on a fine grid; on a coarser grid, how many sightings close each cell to the robot's centre.

    A beam that reaches past a sighting removes it. Objects that have moved away are thus removed when a sensor points
    at them.
    """

    ring: ProximityRing
    bounds: Bounds | None = None  # bounds of the room; None: unknown
    cell: float = 0.01  # size of a coarse cell [m]
    spot: float = 0.005  # size of a fine cell [m]
    margin: float = 0.001  # kept free between body and obstacles [m]
    comfort: float = 0.02  # clearances below this cost extra [m]
    trusted: float = 0.05  # sightings from farther away are too uncertain [m]
    closed: dict[Cell, int] = field(default_factory=dict)  # cells that the robot's centre cannot be in
    tight: dict[Cell, int] = field(default_factory=dict)  # cells near closed ones
    sightings: dict[Cell, Sighting] = field(default_factory=dict)
    changes: int = 0  # number of sightings added or removed
    dropped: int = 0  # number of sightings removed because a beam passed them

    def __post_init__(self) -> None:
        self._beams = [(x, y, math.cos(angle), math.sin(angle)) for x, y, angle in self.ring.mounts]

    def clear(self) -> None:
        """Forget everything."""
        self.closed.clear()
        self.tight.clear()
        self.sightings.clear()

    def find_cell(self, x: float, y: float) -> Cell:
        """Return the coarse cell of a position [m]."""
        return round(x / self.cell), round(y / self.cell)

    def find_centre(self, cell: Cell) -> Point:
        """Return the centre of a coarse cell [m]."""
        return cell[0] * self.cell, cell[1] * self.cell

    @property
    def limits(self) -> tuple[int, int, int, int]:
        """Outermost cells that the robot's centre can be in: least i, least j, greatest i, greatest j."""
        if self.bounds is None:
            return -FAR, -FAR, FAR, FAR
        left, bottom, right, top = self.bounds
        inside = self.ring.radius + self.margin
        i0, j0 = math.ceil((left + inside) / self.cell), math.ceil((bottom + inside) / self.cell)
        return i0, j0, math.floor((right - inside) / self.cell), math.floor((top - inside) / self.cell)

    def add_readings(self, distances: list[float], pose: Pose, now: float) -> int:
        """Add one reading of all sensors; return the number of new sightings."""
        x, y, heading = pose
        c, s = math.cos(heading), math.sin(heading)
        news = 0
        for distance, (mx, my, bx, by) in zip(distances, self._beams, strict=True):
            ox, oy = x + c * mx - s * my, y + s * mx + c * my
            dx, dy = c * bx - s * by, s * bx + c * by
            if self.sightings:
                self._erase_along(ox, oy, dx, dy, min(distance, self.trusted) - 2 * self.spot)
            if distance < self.trusted:
                news += self.add_sighting(ox + distance * dx, oy + distance * dy, distance, now)
        return news

    def forget_before(self, time: float) -> None:
        """Remove sightings that were last detected before a time [s]."""
        for key in [key for key, seen in self.sightings.items() if seen.time < time]:
            self._drop(key)

    def add_sighting(self, x: float, y: float, distance: float, now: float) -> int:
        """Add an obstacle detected at a position [m] from a distance [m]; return 1 if it is new, else 0."""
        key = round(x / self.spot), round(y / self.spot)
        seen = self.sightings.get(key)
        if seen is None:
            self.sightings[key] = Sighting(x, y, now, distance)
            self.changes += 1
            self._count(x, y, 1)
            return 1
        seen.time = now
        if distance < 0.7 * seen.accuracy:  # nearer is more accurate
            self._count(seen.x, seen.y, -1)
            seen.x, seen.y, seen.accuracy = x, y, distance
            self._count(x, y, 1)
        return 0

    def _drop(self, key: Cell) -> None:
        seen = self.sightings.pop(key)
        self._count(seen.x, seen.y, -1)
        self.changes += 1

    def _erase_along(self, x: float, y: float, dx: float, dy: float, distance: float) -> None:
        """Remove sightings that a beam has passed."""
        step = self.spot * 0.7
        for k in range(int(distance / step) + 1):
            key = round((x + k * step * dx) / self.spot), round((y + k * step * dy) / self.spot)
            if key in self.sightings:
                self._drop(key)
                self.dropped += 1

    def _count(self, x: float, y: float, change: int) -> None:
        """Close the cells around a position (1), or open them again (-1)."""
        shut, near = self.ring.radius + self.margin, self.ring.radius + self.comfort
        i0, j0 = self.find_cell(x, y)
        reach = math.ceil(near / self.cell)
        for i in range(i0 - reach, i0 + reach + 1):
            for j in range(j0 - reach, j0 + reach + 1):
                away = math.hypot(i * self.cell - x, j * self.cell - y)
                if away < near:
                    table = self.closed if away < shut else self.tight
                    count = table.get((i, j), 0) + change
                    if count:
                        table[i, j] = count
                    else:
                        table.pop((i, j), None)


NEIGHBOURS = tuple((i, j, math.hypot(i, j)) for i in (-1, 0, 1) for j in (-1, 0, 1) if i or j)


class Path(NamedTuple):
    """A path and its cost: its length [m], plus extra cost near obstacles."""

    points: list[Point]
    cost: float


def find_path(memory: ObstacleMemory, start: Point, goal: Point, *, left: float = 0.0) -> Path | None:
    """Return the cheapest path [m] through cells that are not closed; None if there is none.

    Args:
        memory: the closed cells. Unknown cells count as free.
        start: position of the robot [m].
        goal: position to drive to [m]; its own cell may be closed.
        left: extra cost of cells left of the straight line to the goal; above 0, paths on the right are preferred.
    """
    first, goal_cell = memory.find_cell(*start), memory.find_cell(*goal)
    (i0, j0), (i1, j1) = first, goal_cell
    closed, tight = memory.closed, memory.tight
    least_i, least_j, most_i, most_j = memory.limits
    costs: dict[Cell, float] = {first: 0.0}
    came: dict[Cell, Cell] = {}
    done: set[Cell] = set()
    queue: list[tuple[float, Cell]] = [(0.0, first)]
    while queue and len(done) < MAX_CELLS:
        cell = heapq.heappop(queue)[1]
        if cell == goal_cell:
            return Path([*_trace_back(memory, came, cell)[1:-1], goal], costs[cell] * memory.cell)
        if cell in done:
            continue
        done.add(cell)
        so_far = costs[cell]
        for di, dj, length in NEIGHBOURS:
            i, j = other = cell[0] + di, cell[1] + dj
            weight = 1.0
            if other in closed or not (least_i <= i <= most_i and least_j <= j <= most_j):
                leaves = -LEAVING <= i - i0 <= LEAVING and -LEAVING <= j - j0 <= LEAVING
                if not leaves and other != goal_cell:
                    continue
                weight += CLOSED_COST
            elif other in tight:
                weight += TIGHT
            if left and (i1 - i0) * (j - j0) > (j1 - j0) * (i - i0):
                weight += left
            cost = so_far + length * weight
            if cost < costs.get(other, math.inf):
                costs[other], came[other] = cost, cell
                u, v = abs(i - i1), abs(j - j1)
                least = u + DIAGONAL * v if u > v else v + DIAGONAL * u
                heapq.heappush(queue, (cost + HEURISTIC_WEIGHT * least, other))
    return None


def _trace_back(memory: ObstacleMemory, came: Mapping[Cell, Cell], cell: Cell) -> list[Point]:
    cells = [cell]
    while cell in came:
        cell = came[cell]
        cells.append(cell)
    return [memory.find_centre(cell) for cell in reversed(cells)]


def is_open(memory: ObstacleMemory, start: Point, end: Point, *, roomy: bool = False) -> bool:
    """Return whether the line between two points [m] crosses no closed cell (`roomy`: nor tight); ignore the start."""
    if not memory.closed:
        return True
    length = math.dist(start, end)
    pieces = max(1, math.ceil(length / (0.7 * memory.cell)))
    dx, dy = (end[0] - start[0]) / pieces, (end[1] - start[1]) / pieces
    for k in range(1, pieces + 1):
        cell = memory.find_cell(start[0] + k * dx, start[1] + k * dy)
        if cell in memory.closed or (roomy and cell in memory.tight):
            return False
    return True


def choose_target(memory: ObstacleMemory, path: Sequence[Point], at: Point, reach: float) -> int:
    """Return the index of the farthest point of a path, up to `reach` [m], that is in a straight free line."""
    best = 0
    for k, point in enumerate(path):
        if math.dist(at, point) > reach:
            break
        if k == 0 or is_open(memory, at, point):
            best = k
    return best
