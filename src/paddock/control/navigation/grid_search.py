"""Cheapest paths on a grid of costs: A* to a goal, Dijkstra to all cells. Steps go to eight neighbours."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from paddock.control.navigation.kernels.search import NOWHERE, search
from paddock.core.errors import PaddockError
from paddock.perception.mapping.scan import Floats

Whole = NDArray[np.int64]
Cell = tuple[int, int]  # row, column


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
