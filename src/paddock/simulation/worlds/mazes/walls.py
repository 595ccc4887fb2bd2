"""Walls of a maze as few long polylines: straight segments are merged, and corners joined."""

from __future__ import annotations

from collections import defaultdict
from itertools import pairwise

from paddock.simulation.worlds.mazes.maze import Maze, Passage, list_neighbours

Corner = tuple[int, int]
"""Corner of cells, where walls meet: (0, 0) is the lower left corner of the cell (0, 0)."""


def trace_walls(maze: Maze) -> list[list[Corner]]:
    """Return the inner walls as polylines through corners; each wall segment is in exactly one of them."""
    bits = sorted(_wall_between(pair) for pair in list_neighbours(maze.columns, maze.rows) if pair not in maze.passages)
    at: dict[Corner, list[Corner]] = defaultdict(list)
    for a, b in bits:
        at[a].append(b)
        at[b].append(a)
    onward = {(far, corner): after for corner, ends in at.items() for far, after in _pair_ends(corner, ends)}
    begins = [way for bit in bits for way in (bit, bit[::-1]) if way[::-1] not in onward]
    lines: list[list[Corner]] = []
    done: set[tuple[Corner, Corner]] = set()
    for begin in [*begins, *bits]:  # only rings around unreachable cells remain after the first
        if begin in done:
            continue
        line = list(begin)
        while (after := onward.get((line[-2], line[-1]))) is not None and (line[-1], after) != begin:
            line.append(after)
        done |= {*pairwise(line), *pairwise(line[::-1])}
        lines.append(_drop_straight_corners(line))
    return lines


def _wall_between(pair: Passage) -> tuple[Corner, Corner]:
    """Return the wall between two neighbours."""
    (column, row), (other, _) = pair
    return ((other, row), (other, row + 1)) if other > column else ((column, row + 1), (column + 1, row + 1))


def _pair_ends(corner: Corner, ends: list[Corner]) -> list[tuple[Corner, Corner]]:
    """Return pairs of walls that continue each other at a corner, in both directions; straight ones are preferred."""
    left = set(ends)
    pairs: list[tuple[Corner, Corner]] = []
    for end in ends:
        across = (2 * corner[0] - end[0], 2 * corner[1] - end[1])
        if end < across and across in left:
            pairs.append((end, across))
            left -= {end, across}
    if len(left) == 2:
        first, second = left
        pairs.append((first, second))
    return pairs + [(b, a) for a, b in pairs]


def _drop_straight_corners(line: list[Corner]) -> list[Corner]:
    kept = [line[0]]
    for before, corner, after in zip(line, line[1:], line[2:], strict=False):
        if (before[0] + after[0], before[1] + after[1]) != (2 * corner[0], 2 * corner[1]):
            kept.append(corner)
    return [*kept, line[-1]]
