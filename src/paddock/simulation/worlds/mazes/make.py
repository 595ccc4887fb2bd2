"""make_maze: generate a maze of a given kind and size from a seed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from random import Random

from paddock.core.argument_checks import all_finite, check_whole
from paddock.core.errors import SpecError, UnknownName, format_value
from paddock.simulation.worlds.mazes.carve import (
    carve_backtracker,
    carve_kruskal,
    carve_rooms,
    carve_wilson,
    open_dead_ends,
)
from paddock.simulation.worlds.mazes.maze import Cell, Maze, Passage, check_size

Carver = Callable[[int, int, Random], set[Passage]]

KINDS: Mapping[str, tuple[Carver, float]] = {
    "backtracker": (carve_backtracker, 0.0),
    "kruskal": (carve_kruskal, 0.0),
    "wilson": (carve_wilson, 0.0),
    "braided": (carve_backtracker, 1.0),
    "rooms": (carve_rooms, 0.0),
}
"""Algorithm of each kind, and the default share of its dead ends that is opened."""


def make_maze(
    columns: int,
    rows: int,
    *,
    kind: str = "backtracker",
    seed: int = 0,
    loops: float | None = None,
    start: Cell = (0, 0),
    exit: Cell | None = None,
) -> Maze:
    """Generate a maze in which every cell is reachable from every other.

    Args:
        kind: one of KINDS. Without loops, `backtracker`, `kruskal` and `wilson` have one path between any two cells.
        seed: equal seeds give equal mazes.
        loops: share of the dead ends that is opened, 0 … 1; None: 1 for `braided`, else 0.
        start, exit: column and row, counted from the lower left; None: the upper right cell.
    """
    check_size(columns, rows)
    columns, rows = int(columns), int(rows)
    if kind not in [*KINDS]:
        raise UnknownName("kind of maze", kind, KINDS)
    carve, usual = KINDS[kind]
    share = usual if loops is None else loops
    if not all_finite(share) or not 0 <= share <= 1:
        raise SpecError(f"expected a share of the dead ends from 0 to 1, got {format_value(share)}", path="loops")
    # A string as seed, because Random treats 3 and -3 alike, and kinds with the same seed should not look similar.
    random = Random(f"{kind} {check_whole(seed, 'seed')}")
    passages = open_dead_ends(columns, rows, carve(columns, rows, random), share, random)
    way_out = (columns - 1, rows - 1) if exit is None else exit
    return Maze(columns=columns, rows=rows, passages=frozenset(passages), start=start, exit=way_out)
