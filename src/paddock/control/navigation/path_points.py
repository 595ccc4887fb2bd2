"""Conversion of paths of cells to paths of points: shortened, with points at equal distances."""

from __future__ import annotations

import math

import numpy as np

from paddock.control.navigation.costmap import CostMap
from paddock.control.navigation.grid_search import Whole
from paddock.core.jit import kernel
from paddock.perception.mapping.occupancy import Points

STEP = 0.05  # distance between the points of a path [m]


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


def smooth_path(cells: Whole, costmap: CostMap, step: float = STEP) -> Points:
    """Return a path along cells (row, column), shortened wherever a straight line costs no more.

    Args:
        cells: path of a planner, shape (n, 2).
        costmap: the cost map of the plan.
        step: distance between the points of the path [m].

    Returns:
        Points x, y [m] at equal distances, shape (m, 2), from the centre of the first cell to that of the last.
    """
    if len(cells) < 2:
        return costmap.frame.centres(cells)
    kept = np.empty(len(cells), np.int64)
    count = shorten(costmap.costs, np.ascontiguousarray(cells), kept)
    return resample(costmap.frame.centres(cells[kept[:count]]), step)


def resample(points: Points, step: float) -> Points:
    """Return points at equal distances along a polyline, no farther apart than `step` [m]."""
    lengths = np.hypot(*np.diff(points, axis=0).T)
    along = np.concatenate(([0.0], np.cumsum(lengths)))
    marks = np.linspace(0.0, along[-1], max(2, int(np.ceil(along[-1] / step)) + 1))
    return np.column_stack([np.interp(marks, along, column) for column in points.T])


def path_length(points: Points) -> float:
    """Return the length of a path [m]."""
    return float(np.hypot(*np.diff(points, axis=0).T).sum()) if len(points) > 1 else 0.0
