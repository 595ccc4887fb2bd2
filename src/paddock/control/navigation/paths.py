"""Conversion of paths of cells to paths of points: shortened, with points at equal distances."""

from __future__ import annotations

import numpy as np

from paddock.control.navigation.costmap import CostMap
from paddock.control.navigation.grid_search import Whole
from paddock.control.navigation.kernels.lines import shorten
from paddock.perception.mapping.frame import Points

STEP = 0.05  # distance between the points of a path [m]


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
