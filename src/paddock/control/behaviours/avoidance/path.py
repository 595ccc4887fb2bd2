"""The cheapest path on a grid of cells (A*), and line-of-sight tests on it."""

from __future__ import annotations

import heapq
import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from paddock.control.behaviours.avoidance.memory import Cell, ObstacleMemory
from paddock.core.geometry import Point

DIAGONAL = math.sqrt(2) - 1  # extra cost of a diagonal step over a straight one
HEURISTIC_WEIGHT = (
    1.1  # weight of the A* heuristic: above 1 the search is faster, and the path up to this factor more expensive
)
NEIGHBOURS = tuple((i, j, math.hypot(i, j)) for i in (-1, 0, 1) for j in (-1, 0, 1) if i or j)
TIGHT = 1.5  # extra cost of a cell near an obstacle
CLOSED_COST = 12.0  # extra cost of a closed cell around the start, so that a robot too near to an obstacle can leave
LEAVING = 3  # [cells] distance from the start in which closed cells are permitted
MAX_CELLS = 12_000  # maximum number of expanded cells


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
    first, goal_cell = memory.cell_of(*start), memory.cell_of(*goal)
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
    return [memory.centre_of(cell) for cell in reversed(cells)]


def is_open(memory: ObstacleMemory, start: Point, end: Point, *, roomy: bool = False) -> bool:
    """Return whether the line between two points [m] crosses no closed cell (`roomy`: nor tight); ignore the start."""
    if not memory.closed:
        return True
    length = math.dist(start, end)
    pieces = max(1, math.ceil(length / (0.7 * memory.cell)))
    dx, dy = (end[0] - start[0]) / pieces, (end[1] - start[1]) / pieces
    for k in range(1, pieces + 1):
        cell = memory.cell_of(start[0] + k * dx, start[1] + k * dy)
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
