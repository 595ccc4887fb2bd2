"""A* and Dijkstra on a grid of costs: eight neighbours, exact lengths of steps, no corner cutting.

Cells are numbered row by row. A step costs its length in cells, times the mean of the costs of its two cells.
"""

from __future__ import annotations

import math

from paddock.control.navigation.kernels.heap import ABSENT, insert, remove
from paddock.core.jit import kernel

DIAGONAL = math.sqrt(2.0)
# Estimates of the remaining cost are slightly smaller than possible, so that rounding never changes the order.
SLACK = 0.999
NOWHERE = -1


@kernel
def neighbour_of(rows, columns, cell, direction):
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
            other = neighbour_of(rows, columns, cell, direction)
            if other == NOWHERE:
                continue
            cost = total[cell] + step_cost(costs, columns, cell, other, direction)
            if cost < total[other]:
                total[other], came[other] = cost, cell
                ahead = 0.0 if goal == NOWHERE else remaining_cost(columns, least, other, goal)
                first[other], second[other] = cost + ahead, ahead
                size = insert(heap, slot, first, second, other, size)
    return settled
