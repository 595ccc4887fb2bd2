"""Frontiers: borders of the known free space, and viewpoints for them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from paddock.control.navigation.costmap import CostMap
from paddock.control.navigation.grid_search import Cell, SearchTree
from paddock.control.navigation.kernels.frontier import (
    COST,
    SEEN,
    SEEN_COLUMN,
    SEEN_ROW,
    VIEW_COLUMN,
    VIEW_ROW,
    find_view,
    group_frontiers,
)
from paddock.control.navigation.kernels.lines import count_unknown
from paddock.core.geometry import Point, Pose
from paddock.perception.mapping import GridFrame
from paddock.perception.mapping.scan import Floats

RAYS = 90  # number of rays for counting unknown cells
WORTH = 2.0  # path length that equals the same length of visible frontier
ENOUGH = 4.0  # maximum length of visible frontier that counts [circumscribed radii of the body]


class Frontier(NamedTuple):
    """A group of free cells next to unknown ones."""

    centre: Point  # mean of its cells that are visible from `view` [m]
    length: float  # of all its cells [m]
    view: Pose  # best pose for viewing it, towards unknown space
    cell: Cell  # of that pose
    cost: float  # of the path there [m]; far from obstacles, this is its length
    gain: float  # unknown area visible from there [m²]


def find_frontiers(
    costmap: CostMap,
    tree: SearchTree,
    *,
    least: float = 0.8,
    reach: float = 4.0,
    sight: float = 15.0,
    avoid: Sequence[Point] = (),
) -> list[Frontier]:
    """Find all frontiers that are visible from reachable cells.

    Args:
        costmap: cost map for the robot's body.
        tree: path costs from the robot to each cell.
        least: minimum length of a frontier. All lengths are in circumscribed radii of the body.
        reach: maximum viewing distance.
        sight: maximum distance of unknown cells that count as gain.
        avoid: useless viewpoints [m]; no viewpoint is within a radius of the body of them.
    """
    states, frame, side = costmap.states, costmap.frame, costmap.frame.resolution
    size = costmap.footprint.circumscribed / side
    cells, firsts = np.empty(states.size, np.int64), np.empty(states.size + 1, np.int64)
    groups = group_frontiers(states, np.empty(frame.shape, np.bool_), cells, firsts)
    costs = np.where(costmap.turnable, tree.costs, math.inf)
    for place in avoid:
        block_disc(costs, frame, place, costmap.footprint.circumscribed)
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


def block_disc(costs: Floats, frame: GridFrame, place: Point, radius: float) -> None:
    """Block all cells within a radius of a position [m]."""
    (top, left), (bottom, right) = (frame.cell(place[0] + off, place[1] + off) for off in (-radius, radius))
    top, left = max(0, top), max(0, left)
    part = costs[top : max(0, bottom + 1), left : max(0, right + 1)]
    row, column = np.indices(part.shape)
    x, y = frame.x + (left + column + 0.5) * frame.resolution, frame.y + (top + row + 0.5) * frame.resolution
    part[np.hypot(x - place[0], y - place[1]) <= radius] = math.inf
