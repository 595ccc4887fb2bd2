"""DStarLite: the cheapest path to a goal, updated while the robot moves and the map changes."""

from __future__ import annotations

import numpy as np

from paddock.control.navigation.grid_search import Cell, Whole, check_costs, flat, least_cost
from paddock.control.navigation.kernels.incremental import (
    COLUMNS,
    LEAST,
    MOVED,
    START,
    SearchTables,
    begin_search,
    change_costs,
    search_again,
    walk_to_goal,
)
from paddock.control.navigation.kernels.search import remaining_cost
from paddock.core.errors import PaddockError
from paddock.perception.mapping.scan import Floats


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
