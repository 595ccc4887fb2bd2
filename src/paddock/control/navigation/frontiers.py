"""Frontiers: borders of the known free space, and viewpoints for them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from paddock.control.navigation.costmap import CostMap
from paddock.control.navigation.grid_search import Cell, SearchTree
from paddock.control.navigation.path_points import count_unknown
from paddock.core.geometry import Point, Pose
from paddock.core.jit import kernel
from paddock.perception.mapping import GridFrame
from paddock.perception.mapping.scan import Floats

COST, VIEW_ROW, VIEW_COLUMN, SEEN, SEEN_ROW, SEEN_COLUMN = range(6)  # of a group's view
SAMPLES = 24  # approximate number of cells of a group that are checked from each candidate viewpoint
COARSE = 2  # cells between candidate viewpoints
SLANT = 0.4  # minimum cosine of the angle between the line of sight and the direction into unknown space
RAYS = 90  # number of rays for counting unknown cells
WORTH = 2.0  # path length that equals the same length of visible frontier
ENOUGH = 4.0  # maximum length of visible frontier that counts [circumscribed radii of the body]


@kernel
def count_unknown_sides(states, row, column):
    """Return the number of unknown cells among four neighbours, and the sum of their directions in rows, columns."""
    count, down, right = 0, 0, 0
    for side in range(4):
        r = (side == 1) - (side == 3)
        c = (side == 0) - (side == 2)
        inside = 0 <= row + r < states.shape[0] and 0 <= column + c < states.shape[1]
        if inside and states[row + r, column + c] < 0:
            count, down, right = count + 1, down + r, right + c
    return count, down, right


@kernel
def group_frontiers(states, labels, cells, firsts):
    """Find the groups of frontier cells that touch each other, also at corners; return their number.

    `cells` receives the cells of one group after the other, numbered row by row. `firsts` receives the start of each
    group and the end of the last one. `labels` is scratch of the shape of `states`.
    """
    rows, columns = states.shape
    for row in range(rows):
        for column in range(columns):
            labels[row, column] = states[row, column] == 0 and count_unknown_sides(states, row, column)[0] > 0
    groups, head, tail = 0, 0, 0
    for row in range(rows):
        for column in range(columns):
            if not labels[row, column]:
                continue
            firsts[groups] = tail
            groups += 1
            labels[row, column] = False
            cells[tail] = row * columns + column
            tail += 1
            while head < tail:
                r0, c0 = cells[head] // columns, cells[head] % columns
                head += 1
                for r in range(max(0, r0 - 1), min(rows, r0 + 2)):
                    for c in range(max(0, c0 - 1), min(columns, c0 + 2)):
                        if labels[r, c]:
                            labels[r, c] = False
                            cells[tail] = r * columns + c
                            tail += 1
    firsts[groups] = tail
    return groups


@kernel
def is_in_sight(states, row0, column0, row1, column1):
    """Return whether all cells on the straight line between two cells are free."""
    high, wide = row1 - row0, column1 - column0
    pieces = 2 * max(abs(high), abs(wide))
    for k in range(1, pieces):
        if states[math.floor(row0 + 0.5 + high * k / pieces), math.floor(column0 + 0.5 + wide * k / pieces)] != 0:
            return False
    return True


@kernel
def look_from(states, cells, row, column, reach, view):
    """Count the cells of a group that are visible from a cell: near, not hidden, and not at too flat an angle.

    `view` receives the number and the sums of their rows and columns.
    """
    columns = states.shape[1]
    stride = max(1, cells.shape[0] // SAMPLES)
    view[SEEN], view[SEEN_ROW], view[SEEN_COLUMN] = 0.0, 0.0, 0.0
    for k in range(0, cells.shape[0], stride):
        r, c = cells[k] // columns, cells[k] % columns
        away = math.hypot(r - row, c - column)
        if away > reach:
            continue
        _, down, right = count_unknown_sides(states, r, c)
        into = math.hypot(down, right)
        if away > 2.0 and into > 0.0 and (r - row) * down + (c - column) * right < SLANT * away * into:
            continue
        if is_in_sight(states, row, column, r, c):
            view[SEEN] += stride
            view[SEEN_ROW] += stride * r
            view[SEEN_COLUMN] += stride * c


@kernel
def find_view(states, cells, total, reach, worth, enough, view, best):
    """Find the viewpoint for a group: a cell that is cheap to reach and from which much of the group is visible.

    Args:
        states: states of the cells.
        cells: cells of the group.
        total: path cost to each cell [cells].
        reach: maximum viewing distance [cells].
        worth: value of a visible cell.
        enough: maximum number of visible cells that count.
        view: scratch.
        best: receives the best view; its cost stays infinity if there is none.
    """
    rows, columns = states.shape
    top, left, bottom, right = rows, columns, 0, 0
    for k in range(cells.shape[0]):
        r, c = cells[k] // columns, cells[k] % columns
        top, left, bottom, right = min(top, r), min(left, c), max(bottom, r), max(right, c)
    least = min(3.0, 0.5 * cells.shape[0])
    lowest = math.inf
    for row in range(max(0, top - reach), min(rows, bottom + reach + 1), COARSE):
        for column in range(max(0, left - reach), min(columns, right + reach + 1), COARSE):
            if total[row, column] - worth * min(enough, cells.shape[0]) >= lowest:
                continue
            look_from(states, cells, row, column, reach, view)
            cost = total[row, column] - worth * min(enough, view[SEEN])
            if view[SEEN] >= least and cost < lowest:
                lowest = cost
                best[COST], best[VIEW_ROW], best[VIEW_COLUMN] = total[row, column], row, column
                best[SEEN], best[SEEN_ROW], best[SEEN_COLUMN] = view[SEEN], view[SEEN_ROW], view[SEEN_COLUMN]


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
