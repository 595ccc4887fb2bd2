"""Frontiers: where the known free space ends, and from where to look beyond."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from paddock.core.geometry import Point, Pose
from paddock.navigation.costmap import CostMap
from paddock.navigation.grid_search import Cell, SearchTree
from paddock.navigation.kernels.frontier import (
    CELLS,
    COLUMN,
    ROW,
    UNSEEN_COLUMN,
    UNSEEN_ROW,
    find_approaches,
    group_frontiers,
    sum_groups,
)
from paddock.navigation.kernels.lines import count_unknown

RAYS = 90  # in which unknown cells are counted
ASIDE = 0.5  # what a cell of distance from a group's middle costs


class Frontier(NamedTuple):
    """A group of free cells beside unknown ones."""

    centre: Point  # the mean of its cells [m]
    length: float  # of all its cells [m]
    view: Pose  # from where to look at it, towards the unknown
    cell: Cell  # of that pose
    cost: float  # of the way there: its length, where nothing is near [m]
    gain: float  # unknown area in sight from there [m²]


def find_frontiers(
    costmap: CostMap, tree: SearchTree, *, least: float = 0.2, reach: float = 1.0, sight: float = 4.0
) -> list[Frontier]:
    """All frontiers that can be looked at from a cell that the robot can get to.

    Args:
        costmap: the map as the robot's body sees it.
        tree: what getting to each cell costs, from where the robot is.
        least: shorter frontiers are left out [m].
        reach: from how far away they are looked at, at most [m].
        sight: how far unknown cells count as a gain [m].
    """
    states, frame, side = costmap.states, costmap.frame, costmap.frame.resolution
    labels = np.empty(frame.shape, np.int64)
    groups = group_frontiers(states, labels, np.empty(states.size, np.int64))
    sums, best, places = np.zeros((groups + 1, 5)), np.full(groups + 1, math.inf), np.zeros((groups + 1, 2), np.int64)
    sum_groups(states, labels, sums)
    few = math.ceil(least / side - 1e-9)
    find_approaches(states, labels, tree.costs, math.ceil(reach / side), ASIDE, few, sums, best, places)
    stamps = np.zeros(frame.shape, np.int64)
    found = []
    for group in np.flatnonzero(np.isfinite(best)).tolist():
        row, column = places[group].tolist()
        x, y = frame.centre(row, column)
        cells = sums[group, CELLS]
        ((cx, cy),) = frame.centres(sums[group : group + 1, [ROW, COLUMN]] / cells).tolist()
        # Beyond the middle of the group, to the side on which the unknown lies.
        dx, dy = cx - x + 4 * side * sign(sums[group, UNSEEN_COLUMN]), cy - y + 4 * side * sign(sums[group, UNSEEN_ROW])
        unknown = count_unknown(states, row, column, math.ceil(sight / side), RAYS, stamps, group)
        view = Pose(x, y, math.atan2(dy, dx))
        found.append(
            Frontier((cx, cy), cells * side, view, (row, column), tree.costs[row, column] * side, unknown * side * side)
        )
    return found


def sign(number: float) -> float:
    """-1, 0 or 1."""
    return math.copysign(1.0, number) if number else 0.0
