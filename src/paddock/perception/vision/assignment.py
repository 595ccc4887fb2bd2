"""The linear assignment with the least total cost (Kuhn 1955, in the form of Jonker and Volgenant 1987)."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

FORBIDDEN = 1e9  # replaces infinite costs; larger than any sum of finite costs


def assign(costs: ArrayLike) -> list[tuple[int, int]]:
    """Return pairs (row, column) with the least sum of costs. Each row and column occurs once; infinite costs never."""
    table = np.asarray(costs, float)
    if table.size == 0:
        return []
    if len(table) > table.shape[1]:
        return sorted((row, column) for column, row in assign(table.T))
    finite = np.where(np.isfinite(table), table, FORBIDDEN)
    rows, columns = finite.shape
    row_price, column_price = np.zeros(rows + 1), np.zeros(columns + 1)
    owner = np.zeros(columns + 1, int)  # the row of each column, counted from 1; column 0 is where a search starts
    for row in range(1, rows + 1):
        owner[0] = row
        column, before = 0, np.zeros(columns + 1, int)
        least, done = np.full(columns + 1, np.inf), np.zeros(columns + 1, bool)
        while owner[column]:
            done[column] = True
            slack = finite[owner[column] - 1] - row_price[owner[column]] - column_price[1:]
            nearer = ~done[1:] & (slack < least[1:])
            least[1:][nearer], before[1:][nearer] = slack[nearer], column
            following = 1 + int(np.argmin(np.where(done[1:], np.inf, least[1:])))
            step = least[following]
            row_price[owner[done]] += step
            column_price[done] -= step
            least[~done] -= step
            column = following
        while column:  # shift the assignment along the augmenting path
            owner[column] = owner[before[column]]
            column = before[column]
    pairs = [(int(owner[column]) - 1, column - 1) for column in range(1, columns + 1) if owner[column]]
    return sorted(pair for pair in pairs if np.isfinite(table[pair]))
