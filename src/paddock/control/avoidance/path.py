"""The cheapest way over a grid of cells (A*), and which of its points can be seen from where one is."""

from __future__ import annotations

import heapq
import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from paddock.control.avoidance.memory import Cell, ObstacleMemory
from paddock.core.geometry import Point

DIAGONAL = math.sqrt(2) - 1  # what a diagonal step costs more than a straight one
HASTE = 1.1  # above 1 the search is quicker, and its way up to so much longer than the cheapest
NEIGHBOURS = tuple((i, j, math.hypot(i, j)) for i in (-1, 0, 1) for j in (-1, 0, 1) if i or j)
TIGHT = 1.5  # extra cost of a cell with little room
SHUT = 12.0  # … of a closed cell just around the start, so that one that stands too near can leave
LEAVING = 3  # [cells] how far that holds
MOST_CELLS = 12_000  # looked at before the search ends


class Path(NamedTuple):
    """A way, and what it costs: its length [m], more where there is little room."""

    points: list[Point]
    cost: float


def find_path(memory: ObstacleMemory, start: Point, goal: Point, *, left: float = 0.0) -> Path | None:
    """The cheapest way [m] through what is not known to be closed; None if there is none.

    Args:
        memory: what is closed. What was never seen counts as free.
        start: where the robot is [m].
        goal: where it shall be [m]; if that is closed, the way ends as near as it is open.
        left: extra cost of cells left of the straight way: above 0 it prefers to pass on the right.
    """
    first, goal_cell = memory.cell_of(*start), memory.cell_of(*goal)
    (i0, j0), (i1, j1) = first, goal_cell
    closed, tight = memory.closed, memory.tight
    least_i, least_j, most_i, most_j = memory.limits
    costs: dict[Cell, float] = {first: 0.0}
    came: dict[Cell, Cell] = {}
    done: set[Cell] = set()
    queue: list[tuple[float, Cell]] = [(0.0, first)]
    while queue and len(done) < MOST_CELLS:
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
                weight += SHUT
            elif other in tight:
                weight += TIGHT
            if left and (i1 - i0) * (j - j0) > (j1 - j0) * (i - i0):
                weight += left
            cost = so_far + length * weight
            if cost < costs.get(other, math.inf):
                costs[other], came[other] = cost, cell
                u, v = abs(i - i1), abs(j - j1)
                least = u + DIAGONAL * v if u > v else v + DIAGONAL * u
                heapq.heappush(queue, (cost + HASTE * least, other))
    return None


def _trace_back(memory: ObstacleMemory, came: Mapping[Cell, Cell], cell: Cell) -> list[Point]:
    cells = [cell]
    while cell in came:
        cell = came[cell]
        cells.append(cell)
    return [memory.centre_of(cell) for cell in reversed(cells)]


def is_open(memory: ObstacleMemory, start: Point, end: Point, *, roomy: bool = False) -> bool:
    """Whether the straight way between two places [m] is not closed; `roomy`: nor tight. The start may be."""
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
    """The number of the farthest point of a path, up to `reach` [m], that can be driven to straight."""
    best = 0
    for k, point in enumerate(path):
        if math.dist(at, point) > reach:
            break
        if k == 0 or is_open(memory, at, point):
            best = k
    return best
