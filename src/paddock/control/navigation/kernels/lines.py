"""Straight lines on grids: their costs, and the cells visible along them."""

from __future__ import annotations

import math

from paddock.core.jit import kernel


@kernel
def line_cost(costs, row0, column0, row1, column1):
    """Return the cost of a straight line between the centres of two cells [cells].

    The cost is comparable with that of steps between neighbours. The line is sampled every third of a cell, so that it
    cuts blocked corners by at most that distance.
    """
    high, wide = row1 - row0, column1 - column0
    length = math.sqrt(high * high + wide * wide)
    pieces = max(1, math.ceil(3.0 * length))
    total = 0.0
    for k in range(pieces):
        share = (k + 0.5) / pieces
        row, column = math.floor(row0 + 0.5 + share * high), math.floor(column0 + 0.5 + share * wide)
        total += costs[row, column]
    return total * length / pieces


@kernel
def shorten(costs, cells, kept):
    """Select cells of a path so that straight lines between them cost no more than the path; return their number.

    From each selected cell, the next one is the last that a straight line reaches at no more than the path's cost.
    """
    count, at, last = 1, 0, cells.shape[0] - 1
    kept[0] = 0
    while at < last:
        best, way = at + 1, 0.0
        for k in range(at + 1, last + 1):
            way += line_cost(costs, cells[k - 1, 0], cells[k - 1, 1], cells[k, 0], cells[k, 1])
            straight = line_cost(costs, cells[at, 0], cells[at, 1], cells[k, 0], cells[k, 1])
            if straight <= way * (1.0 + 1e-9):
                best = k
        at = best
        kept[count] = at
        count += 1
    return count


@kernel
def count_unknown(states, row, column, reach, rays, stamps, stamp):
    """Count the unknown cells visible from a cell, up to `reach` cells away; rays end at occupied cells."""
    count = 0
    for ray in range(rays):
        angle = 2.0 * math.pi * ray / rays
        dr, dc = math.sin(angle), math.cos(angle)
        for k in range(1, reach + 1):
            r, c = math.floor(row + 0.5 + k * dr), math.floor(column + 0.5 + k * dc)
            if not (0 <= r < states.shape[0] and 0 <= c < states.shape[1]) or states[r, c] > 0:
                break
            if states[r, c] < 0 and stamps[r, c] != stamp:
                stamps[r, c] = stamp
                count += 1
    return count
