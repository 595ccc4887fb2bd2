"""Frontiers: where the known free space ends, and from where to look beyond."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from paddock.core.geometry import Point, Pose
from paddock.navigation.costmap import CostMap
from paddock.navigation.grid_search import Cell, SearchTree
from paddock.navigation.kernels.frontier import (
    COST,
    SEEN,
    SEEN_COLUMN,
    SEEN_ROW,
    VIEW_COLUMN,
    VIEW_ROW,
    find_view,
    group_frontiers,
)
from paddock.navigation.kernels.lines import count_unknown

RAYS = 90  # in which unknown cells are counted
WORTH = 2.0  # driving so far is worth as much of a frontier in sight,
ENOUGH = 4.0  # up to this length of it [circumscribed radii of the body]


class Frontier(NamedTuple):
    """A group of free cells beside unknown ones."""

    centre: Point  # the mean of its cells that are in sight from there [m]
    length: float  # of all its cells [m]
    view: Pose  # from where to look at it, towards the unknown
    cell: Cell  # of that pose
    cost: float  # of the way there: its length, where nothing is near [m]
    gain: float  # unknown area in sight from there [m²]


def find_frontiers(
    costmap: CostMap, tree: SearchTree, *, least: float = 0.8, reach: float = 4.0, sight: float = 15.0
) -> list[Frontier]:
    """All frontiers that can be looked at from a cell that the robot can get to.

    Args:
        costmap: the map as the robot's body sees it.
        tree: what getting to each cell costs, from where the robot is.
        least: shorter frontiers are left out. All lengths are in circumscribed radii of the body.
        reach: from how far away they are looked at, at most.
        sight: how far unknown cells count as a gain.
    """
    states, frame, side = costmap.states, costmap.frame, costmap.frame.resolution
    size = costmap.footprint.circumscribed / side
    cells, firsts = np.empty(states.size, np.int64), np.empty(states.size + 1, np.int64)
    groups = group_frontiers(states, np.empty(frame.shape, np.bool_), cells, firsts)
    costs = np.where(costmap.turnable, tree.costs, math.inf)
    stamps, scratch, found = np.zeros(frame.shape, np.int64), np.empty(6), []
    for group, (first, last) in enumerate(pairwise(firsts[: groups + 1].tolist()), 1):
        if last - first < round(least * size):
            continue
        best = np.full(6, math.inf)
        find_view(states, cells[first:last], costs, math.ceil(reach * size), WORTH, ENOUGH * size, scratch, best)
        if math.isfinite(best[COST]):
            cell = int(best[VIEW_ROW]), int(best[VIEW_COLUMN])
            (x, y), (cx, cy) = frame.centres(np.array([cell, best[[SEEN_ROW, SEEN_COLUMN]] / best[SEEN]])).tolist()
            unknown = count_unknown(states, *cell, math.ceil(sight * size), RAYS, stamps, group)
            view = Pose(x, y, math.atan2(cy - y, cx - x))
            cost, gain = float(best[COST]) * side, unknown * side * side
            found.append(Frontier((cx, cy), (last - first) * side, view, cell, cost, gain))
    return found
