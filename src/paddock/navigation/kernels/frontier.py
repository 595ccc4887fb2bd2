"""Frontiers: free cells beside unknown ones, joined to groups, and from where each group is best looked at."""

from __future__ import annotations

import math

from paddock.core.jit import kernel

CELLS, ROW, COLUMN, UNSEEN_ROW, UNSEEN_COLUMN = range(5)  # sums over a group: its cells, and unknown cells beside them


@kernel
def unknown_beside(states, row, column, side):
    """Whether the neighbour on one of four sides is unknown, and which cell that is."""
    row += 1 if side == 1 else -1 if side == 3 else 0
    column += 1 if side == 0 else -1 if side == 2 else 0
    inside = 0 <= row < states.shape[0] and 0 <= column < states.shape[1]
    return inside and states[row, column] < 0, row, column


@kernel
def is_frontier(states, row, column):
    """Whether a cell is free and has an unknown neighbour on one of its four sides."""
    if states[row, column] != 0:
        return False
    for side in range(4):
        if unknown_beside(states, row, column, side)[0]:
            return True
    return False


@kernel
def group_frontiers(states, labels, queue):
    """Number the groups of frontier cells that touch each other, also at corners; `labels` is 0 elsewhere.

    Returns how many groups there are. `queue` is scratch, a number for each cell.
    """
    rows, columns = states.shape
    for row in range(rows):
        for column in range(columns):
            labels[row, column] = -1 if is_frontier(states, row, column) else 0
    groups = 0
    for row in range(rows):
        for column in range(columns):
            if labels[row, column] != -1:
                continue
            groups += 1
            labels[row, column] = groups
            queue[0], head, tail = row * columns + column, 0, 1
            while head < tail:
                r0, c0 = queue[head] // columns, queue[head] % columns
                head += 1
                for r in range(max(0, r0 - 1), min(rows, r0 + 2)):
                    for c in range(max(0, c0 - 1), min(columns, c0 + 2)):
                        if labels[r, c] == -1:
                            labels[r, c] = groups
                            queue[tail] = r * columns + c
                            tail += 1
    return groups


@kernel
def sum_groups(states, labels, sums):
    """Add up the cells of each group, and the unknown cells beside them; sums has a row for each label."""
    for row in range(states.shape[0]):
        for column in range(states.shape[1]):
            group = labels[row, column]
            if group == 0:
                continue
            sums[group, CELLS] += 1.0
            sums[group, ROW] += row
            sums[group, COLUMN] += column
            for side in range(4):
                unknown, r, c = unknown_beside(states, row, column, side)
                if unknown:
                    sums[group, UNSEEN_ROW] += (r - row) * 1.0
                    sums[group, UNSEEN_COLUMN] += (c - column) * 1.0


@kernel
def is_in_sight(states, row0, column0, row1, column1):
    """Whether no occupied cell lies on the straight line between two cells."""
    high, wide = row1 - row0, column1 - column0
    pieces = 2 * max(abs(high), abs(wide))
    for k in range(1, pieces):
        row = int(math.floor(row0 + 0.5 + high * k / pieces))
        column = int(math.floor(column0 + 0.5 + wide * k / pieces))
        if states[row, column] > 0:
            return False
    return True


@kernel
def find_approaches(states, labels, total, reach, aside, least, sums, best, places):
    """From where to look at each group: the cheapest cell that can be got to and sees one of its cells.

    Args:
        states: of the cells.
        labels: of the groups.
        total: what getting to each cell costs [cells].
        reach: how far from a frontier cell to look for one [cells].
        aside: what a cell of distance from the group's middle costs.
        least: groups of fewer cells are left out.
        sums: of the groups.
        best: becomes the cost of each group's approach; infinity: there is none.
        places: becomes its row and column.
    """
    rows, columns = states.shape
    for row in range(rows):
        for column in range(columns):
            group = labels[row, column]
            if group == 0 or sums[group, CELLS] < least:
                continue
            middle_row, middle_column = sums[group, ROW] / sums[group, CELLS], sums[group, COLUMN] / sums[group, CELLS]
            off = aside * math.hypot(row - middle_row, column - middle_column)
            for r in range(max(0, row - reach), min(rows, row + reach + 1)):
                for c in range(max(0, column - reach), min(columns, column + reach + 1)):
                    away = math.hypot(r - row, c - column)
                    cost = total[r, c] + 2.0 * away + off
                    if cost < best[group] and away <= reach and is_in_sight(states, r, c, row, column):
                        best[group], places[group, 0], places[group, 1] = cost, r, c
