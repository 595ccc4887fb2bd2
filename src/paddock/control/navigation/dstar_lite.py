"""DStarLite: the cheapest path to a goal, updated while the robot moves and the map changes."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from paddock.control.navigation.grid_search import (
    ABSENT,
    NOWHERE,
    Cell,
    Whole,
    check_costs,
    find_neighbour,
    flat,
    insert,
    least_cost,
    remaining_cost,
    remove,
    step_cost,
)
from paddock.core.errors import PaddockError
from paddock.core.jit import kernel
from paddock.perception.mapping.scan import Floats

ROWS, COLUMNS, START, GOAL, SIZE = range(5)  # of `whole`; SIZE is the number of cells in the heap
LEAST, MOVED = 0, 1  # of `numbers`: the minimum cost of a cell, and the distance the start has moved [cells] (k_m)


class SearchTables(NamedTuple):
    """State of a search; arrays have one number per cell."""

    costs: NDArray[np.float64]
    ahead: NDArray[np.float64]  # the cost to the goal (g)
    look: NDArray[np.float64]  # the same from the neighbours' costs (rhs)
    first: NDArray[np.float64]  # key in the heap
    second: NDArray[np.float64]
    heap: NDArray[np.int64]  # of cells whose two costs differ
    slot: NDArray[np.int64]  # index of each cell in the heap
    whole: NDArray[np.int64]
    numbers: NDArray[np.float64]


@kernel
def begin_search(t):
    """Initialise the search with only the goal in the heap."""
    for cell in range(t.costs.shape[0]):
        t.ahead[cell], t.look[cell], t.slot[cell] = math.inf, math.inf, ABSENT
    goal = t.whole[GOAL]
    t.look[goal] = 0.0
    t.first[goal], t.second[goal] = 0.0, 0.0  # any key is valid for the only cell in the heap
    t.whole[SIZE] = insert(t.heap, t.slot, t.first, t.second, goal, 0)


@kernel
def first_key(t, cell):
    """Return the current first part of a cell's key; the second part is the smaller of its two costs."""
    ahead = remaining_cost(t.whole[COLUMNS], t.numbers[LEAST], t.whole[START], cell)
    return min(t.ahead[cell], t.look[cell]) + ahead + t.numbers[MOVED]


@kernel
def enter(t, cell):
    """Insert or update a cell in the heap if its two costs differ, otherwise remove it."""
    if t.ahead[cell] != t.look[cell]:
        t.first[cell], t.second[cell] = first_key(t, cell), min(t.ahead[cell], t.look[cell])
        t.whole[SIZE] = insert(t.heap, t.slot, t.first, t.second, cell, t.whole[SIZE])
    else:
        t.whole[SIZE] = remove(t.heap, t.slot, t.first, t.second, cell, t.whole[SIZE])


@kernel
def look_again(t, cell):
    """Compute a cell's cost from all its neighbours."""
    if cell != t.whole[GOAL]:
        best = math.inf
        for direction in range(8):
            other = find_neighbour(t.whole[ROWS], t.whole[COLUMNS], cell, direction)
            if other != NOWHERE:
                best = min(best, t.ahead[other] + step_cost(t.costs, t.whole[COLUMNS], cell, other, direction))
        t.look[cell] = best
    enter(t, cell)


@kernel
def change_costs(t, fresh, changed):
    """Apply new costs; return the number of changed cells. `changed` is scratch, one number per cell."""
    count = 0
    for cell in range(t.costs.shape[0]):
        if t.costs[cell] != fresh[cell]:
            t.costs[cell] = fresh[cell]
            changed[count] = cell
            count += 1
    for k in range(count):  # a blocked cell blocks corners around it, which affects all its neighbours
        for direction in range(-1, 8):
            other = changed[k]
            if direction >= 0:
                other = find_neighbour(t.whole[ROWS], t.whole[COLUMNS], other, direction)
            if other != NOWHERE:
                look_again(t, other)
    return count


@kernel
def search_again(t):
    """Search until the cost from the start is known; return the number of expanded cells."""
    expanded = 0
    while t.whole[SIZE] > 0:
        cell, start = t.heap[0], t.whole[START]
        key, least = first_key(t, start), min(t.ahead[start], t.look[start])
        sooner = t.first[cell] < key or (t.first[cell] == key and t.second[cell] < least)
        if not sooner and t.ahead[start] == t.look[start]:
            break
        expanded += 1
        fresh, least = first_key(t, cell), min(t.ahead[cell], t.look[cell])
        if t.first[cell] < fresh or (t.first[cell] == fresh and t.second[cell] < least):
            enter(t, cell)  # the start has moved since its key was computed
        elif t.ahead[cell] > t.look[cell]:
            lower_cost(t, cell)
        else:
            raise_cost(t, cell)
    return expanded


@kernel
def lower_cost(t, cell):
    """Lower the cost of a cell, and update its neighbours."""
    t.ahead[cell] = t.look[cell]
    enter(t, cell)
    for direction in range(8):
        other = find_neighbour(t.whole[ROWS], t.whole[COLUMNS], cell, direction)
        if other == NOWHERE:
            continue
        cost = t.ahead[cell] + step_cost(t.costs, t.whole[COLUMNS], cell, other, direction)
        if cost < t.look[other]:
            t.look[other] = cost
            enter(t, other)


@kernel
def raise_cost(t, cell):
    """Raise the cost of a cell, and update the neighbours whose path led through it."""
    before = t.ahead[cell]
    t.ahead[cell] = math.inf
    enter(t, cell)
    for direction in range(8):
        other = find_neighbour(t.whole[ROWS], t.whole[COLUMNS], cell, direction)
        if other == NOWHERE:
            continue
        if t.look[other] == before + step_cost(t.costs, t.whole[COLUMNS], cell, other, direction):
            look_again(t, other)


@kernel
def next_cell(t, cell):
    """Return the neighbour on the cheapest path to the goal; NOWHERE if there is none."""
    best, chosen = math.inf, NOWHERE
    for direction in range(8):
        other = find_neighbour(t.whole[ROWS], t.whole[COLUMNS], cell, direction)
        if other != NOWHERE:
            cost = t.ahead[other] + step_cost(t.costs, t.whole[COLUMNS], cell, other, direction)
            if cost < best:
                best, chosen = cost, other
    return chosen


@kernel
def walk_to_goal(t, cells):
    """Write the cheapest path from the start to `cells`; return its number of cells, 0 if there is none."""
    cell, count = t.whole[START], 0
    if t.look[cell] == math.inf:
        return 0
    while count < cells.shape[0]:
        cells[count] = cell
        count += 1
        if cell == t.whole[GOAL]:
            return count
        cell = next_cell(t, cell)
        if cell == NOWHERE:
            return 0
    return 0


class DStarLite:
    """Searches from the goal, so that its results stay valid while the start moves.

    Args:
        costs: costs of cells, as for `search_grid`.
        start: row and column.
        goal: row and column.
    """

    def __init__(self, costs: Floats, start: Cell, goal: Cell) -> None:
        costs = check_costs(costs)
        self.shape, count = costs.shape, costs.size
        self.expanded = 0  # number of expanded cells in the last search
        heap, slot, self._scratch = np.empty((3, count), np.int64)
        ahead, look, first, second = np.empty((4, count))
        whole = np.array([*self.shape, flat(costs, start, "start"), flat(costs, goal, "goal"), 0])
        numbers = np.array([least_cost(costs), 0.0])
        self._tables = SearchTables(costs.reshape(-1).copy(), ahead, look, first, second, heap, slot, whole, numbers)
        begin_search(self._tables)
        self._search()

    def update(self, costs: Floats, start: Cell) -> int:
        """Update costs and the start cell; return the number of cells whose costs have changed.

        If the minimum cost of a cell decreases, the heuristic is no longer a lower bound, and the search restarts.
        """
        costs, t = check_costs(costs), self._tables
        if costs.shape != self.shape:
            raise PaddockError(f"DStarLite: expected costs of shape {self.shape}, got {costs.shape}: make a new one")
        cell = flat(costs, start, "start")
        if (least := least_cost(costs)) < t.numbers[LEAST]:
            changed = int(np.count_nonzero(t.costs != costs.reshape(-1)))
            t.costs[:], t.whole[START], t.numbers[:] = costs.reshape(-1), cell, (least, 0.0)
            begin_search(t)
            self._search()
            return changed
        if cell != t.whole[START]:
            t.numbers[MOVED] += remaining_cost(t.whole[COLUMNS], t.numbers[LEAST], t.whole[START], cell)
            t.whole[START] = cell
        changed = int(change_costs(t, costs.reshape(-1), self._scratch))
        self._search()
        return changed

    def _search(self) -> None:
        self.expanded = int(search_again(self._tables))

    @property
    def cost(self) -> float:
        """Cost of the path from the start to the goal [cells]; infinity if there is none."""
        return float(self._tables.look[self._tables.whole[START]])

    def path(self) -> Whole:
        """Return the cells from the start to the goal, shape (n, 2) of row and column; empty if there is no path."""
        count = walk_to_goal(self._tables, self._scratch)
        return np.column_stack(np.divmod(self._scratch[:count], self.shape[1]))
