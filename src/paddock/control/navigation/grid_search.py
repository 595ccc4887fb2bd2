"""Cheapest paths on a grid of costs: A* to a goal, Dijkstra to all cells. Steps go to eight neighbours."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from paddock.core.errors import PaddockError
from paddock.core.jit import kernel
from paddock.perception.mapping.scan import Floats

ABSENT = -1
DIAGONAL = math.sqrt(2.0)
# Estimates of the remaining cost are slightly smaller than possible, so that rounding never changes the order.
SLACK = 0.999
NOWHERE = -1
Whole = NDArray[np.int64]
Cell = tuple[int, int]  # row, column


@kernel
def is_before(first, second, a, b):
    """Return whether cell a has the smaller key."""
    return first[a] < first[b] or (first[a] == first[b] and second[a] < second[b])


@kernel
def sift_up(heap, slot, first, second, place):
    """Move the cell at an index of the heap towards the top, as far as its key requires."""
    cell = heap[place]
    while place > 0:
        parent = (place - 1) >> 1
        if not is_before(first, second, cell, heap[parent]):
            break
        heap[place] = heap[parent]
        slot[heap[place]] = place
        place = parent
    heap[place] = cell
    slot[cell] = place


@kernel
def sift_down(heap, slot, first, second, place, size):
    """Move the cell at an index of the heap towards the bottom, as far as its key requires."""
    cell = heap[place]
    while True:
        child = 2 * place + 1
        if child >= size:
            break
        if child + 1 < size and is_before(first, second, heap[child + 1], heap[child]):
            child += 1
        if not is_before(first, second, heap[child], cell):
            break
        heap[place] = heap[child]
        slot[heap[place]] = place
        place = child
    heap[place] = cell
    slot[cell] = place


@kernel
def insert(heap, slot, first, second, cell, size):
    """Insert a cell, or move it if its key has changed; return the new size."""
    if slot[cell] == ABSENT:
        heap[size], slot[cell] = cell, size
        size += 1
    sift_up(heap, slot, first, second, slot[cell])
    sift_down(heap, slot, first, second, slot[cell], size)
    return size


@kernel
def remove(heap, slot, first, second, cell, size):
    """Remove a cell; return the new size."""
    place = slot[cell]
    if place == ABSENT:
        return size
    size -= 1
    slot[cell] = ABSENT
    if place < size:
        last = heap[size]
        heap[place], slot[last] = last, place
        sift_up(heap, slot, first, second, place)
        sift_down(heap, slot, first, second, slot[last], size)
    return size


@kernel
def find_neighbour(rows, columns, cell, direction):
    """Return the neighbour in one of eight directions, counter-clockwise from x; NOWHERE beyond the edge."""
    row, column = cell // columns, cell % columns
    if direction in (1, 2, 3):
        row += 1
    elif direction in (5, 6, 7):
        row -= 1
    if direction in (7, 0, 1):
        column += 1
    elif direction in (3, 4, 5):
        column -= 1
    return row * columns + column if 0 <= row < rows and 0 <= column < columns else NOWHERE


@kernel
def step_cost(costs, columns, cell, other, direction):
    """Return the cost of a step between neighbours; infinity if it is blocked or would cut a blocked corner."""
    if direction % 2 == 0:
        return 0.5 * (costs[cell] + costs[other])
    row, column = cell // columns, cell % columns
    if costs[row * columns + other % columns] == math.inf or costs[(other // columns) * columns + column] == math.inf:
        return math.inf
    return DIAGONAL * 0.5 * (costs[cell] + costs[other])


@kernel
def remaining_cost(columns, least, cell, goal):
    """Return a lower bound of the cost between two cells [cells], if no cell costs less than `least`."""
    high = abs(cell // columns - goal // columns)
    wide = abs(cell % columns - goal % columns)
    return SLACK * least * (max(high, wide) + (DIAGONAL - 1.0) * min(high, wide))


@kernel
def search(costs, rows, columns, least, start, goal, came, total, first, second, heap, slot):
    """Find cheapest paths from a start: to a goal by A*, or to all cells by Dijkstra if the goal is NOWHERE.

    `total` receives the cost to each cell, `came` its predecessor. Return the number of settled cells.
    """
    for cell in range(rows * columns):
        total[cell], came[cell], slot[cell] = math.inf, NOWHERE, ABSENT
    total[start] = 0.0
    first[start], second[start] = 0.0, 0.0
    size, settled = insert(heap, slot, first, second, start, 0), 0
    while size > 0:
        cell = heap[0]
        size = remove(heap, slot, first, second, cell, size)
        settled += 1
        if cell == goal:
            break
        for direction in range(8):
            other = find_neighbour(rows, columns, cell, direction)
            if other == NOWHERE:
                continue
            cost = total[cell] + step_cost(costs, columns, cell, other, direction)
            if cost < total[other]:
                total[other], came[other] = cost, cell
                ahead = 0.0 if goal == NOWHERE else remaining_cost(columns, least, other, goal)
                first[other], second[other] = cost + ahead, ahead
                size = insert(heap, slot, first, second, other, size)
    return settled


@dataclass(frozen=True)
class SearchTree:
    """Result of a search: the cost of each cell from the start [cells], and its predecessor."""

    costs: Floats  # from the start, shape (rows, columns); infinity if not reached
    settled: int  # number of settled cells
    _came: Whole

    def path_to(self, cell: Cell) -> Whole:
        """Return the cells from the start to a cell, shape (n, 2) of row and column; empty if it was not reached."""
        columns = self.costs.shape[1]
        at = cell[0] * columns + cell[1]
        if not math.isfinite(self.costs[cell]):
            return np.empty((0, 2), np.int64)
        cells = [at]
        while (at := int(self._came[at])) != NOWHERE:
            cells.append(at)
        return np.column_stack(np.divmod(np.array(cells[::-1], np.int64), columns))


def search_grid(costs: Floats, start: Cell, goal: Cell | None = None) -> SearchTree:
    """Find cheapest paths from a start to a goal (A*), or to all cells (Dijkstra).

    Args:
        costs: cost of each cell, at least 0; infinity: blocked. A step costs its length in cells, times the mean cost
            of both cells.
        start: row and column.
        goal: row and column; None: all cells.
    """
    costs = check_costs(costs)
    rows, columns = costs.shape
    first, last = flat(costs, start, "start"), NOWHERE if goal is None else flat(costs, goal, "goal")
    count = rows * columns
    came, heap, slot = np.empty((3, count), np.int64)
    total, key, second = np.empty((3, count))
    settled = search(
        costs.reshape(-1), rows, columns, least_cost(costs), first, last, came, total, key, second, heap, slot
    )
    return SearchTree(total.reshape(rows, columns), settled, came)


def check_costs(costs: Floats) -> Floats:
    """Return costs for kernels, or raise a PaddockError."""
    costs = np.ascontiguousarray(costs, np.float64)
    if costs.ndim != 2 or not costs.size or not (costs >= 0).all():
        raise PaddockError(f"costs: expected a grid of numbers >= 0, infinity for blocked; got shape {costs.shape}")
    return costs


def least_cost(costs: Floats) -> float:
    """Return the smallest cost of a cell, a lower bound for every cell of a path."""
    least = float(costs.min())
    return least if math.isfinite(least) else 0.0


def flat(costs: Floats, cell: Cell, what: str) -> int:
    """Return a cell's number, row by row."""
    rows, columns = costs.shape
    if not (0 <= cell[0] < rows and 0 <= cell[1] < columns):
        raise PaddockError(f"{what}: expected a cell of {rows} × {columns}, got row {cell[0]}, column {cell[1]}")
    return int(cell[0] * columns + cell[1])
