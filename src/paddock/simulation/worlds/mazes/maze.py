"""Maze: a grid of cells and the passages between them, without lengths."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from numbers import Integral
from typing import Any

from paddock.core.errors import SpecError, format_value

Cell = tuple[int, int]
"""Column from the left and row from the bottom, both counted from 0."""

Passage = tuple[Cell, Cell]
"""Two neighbours, the left or lower one first."""

MAX_SIZE = 200  # maximum columns or rows


@dataclass(frozen=True, kw_only=True, slots=True)
class Maze:
    """Cells in columns and rows, with a passage or a wall between neighbours."""

    columns: int
    rows: int
    passages: frozenset[Passage]
    start: Cell
    exit: Cell

    def __post_init__(self) -> None:
        check_size(self.columns, self.rows)
        for name in ("start", "exit"):
            object.__setattr__(self, name, self._find_cell(getattr(self, name), name))
        if self.start == self.exit:
            raise SpecError(f"expected a cell other than the start, got {format_value(self.exit)}", path="exit")
        for passage in self.passages - set(list_neighbours(self.columns, self.rows)):
            raise SpecError(
                f"expected two neighbours, the left or lower one first, got {format_value(passage)}", path="passages"
            )

    def _find_cell(self, given: Any, name: str) -> Cell:
        """Return a cell as a tuple of two integers; raise a SpecError if it is none of this maze."""
        try:
            column, row = given
            cell = (operator.index(column), operator.index(row))
        except (TypeError, ValueError):
            cell = (-1, -1)
        if cell not in self:
            raise SpecError(
                f"expected a cell from [0, 0] to [{self.columns - 1}, {self.rows - 1}], got {format_value(given)}",
                path=name,
            )
        return cell

    def __contains__(self, cell: Cell) -> bool:
        return 0 <= cell[0] < self.columns and 0 <= cell[1] < self.rows

    def cells(self) -> Iterator[Cell]:
        """Iterate over all cells, column by column."""
        return ((column, row) for column in range(self.columns) for row in range(self.rows))

    def is_open(self, a: Cell, b: Cell) -> bool:
        """Whether there is a passage between two cells."""
        return (min(a, b), max(a, b)) in self.passages

    def adjacency(self) -> dict[Cell, list[Cell]]:
        """Return the cells that are reachable from every cell in one step."""
        return map_neighbours(self.cells(), self.passages)

    def dead_ends(self) -> list[Cell]:
        """Return the cells with exactly one passage."""
        return [cell for cell, neighbours in self.adjacency().items() if len(neighbours) == 1]

    def __str__(self) -> str:
        return self.to_text()

    def to_text(self, path: Iterable[Cell] = ()) -> str:
        """Draw the maze in characters, the top row first: S for the start, E for the exit, dots along a path."""
        letters = dict.fromkeys(path, "·") | {self.start: "S", self.exit: "E"}
        lines = []
        for row in reversed(range(self.rows)):
            roofs = ("   " if self.is_open((c, row), (c, row + 1)) else "---" for c in range(self.columns))
            lines.append("+" + "".join(roof + "+" for roof in roofs))
            inside = (
                f" {letters.get((c, row), ' ')} " + (" " if self.is_open((c, row), (c + 1, row)) else "|")
                for c in range(self.columns)
            )
            lines.append("|" + "".join(inside))
        return "\n".join([*lines, "+" + "---+" * self.columns])


def check_size(columns: int, rows: int) -> None:
    """Refuse grids with too few or too many cells."""
    for name, count in (("columns", columns), ("rows", rows)):
        if not isinstance(count, Integral) or isinstance(count, bool) or not 1 <= count <= MAX_SIZE:
            got = repr(count) if isinstance(count, float) else format_value(count)  # 2.0 is not whole
            raise SpecError(f"expected a whole number from 1 to {MAX_SIZE}, got {got}", path=name)
    if columns == rows == 1:
        raise SpecError("expected at least 2 cells, a start and an exit, got 1", path="columns")


def list_neighbours(columns: int, rows: int) -> Iterator[Passage]:
    """Iterate over all pairs of adjacent cells."""
    for column in range(columns):
        for row in range(rows):
            if column + 1 < columns:
                yield (column, row), (column + 1, row)
            if row + 1 < rows:
                yield (column, row), (column, row + 1)


def map_neighbours(cells: Iterable[Cell], passages: Iterable[Passage]) -> dict[Cell, list[Cell]]:
    """Return the neighbours of every cell through passages, in a fixed order."""
    neighbours: dict[Cell, list[Cell]] = {cell: [] for cell in cells}
    for a, b in sorted(passages):
        neighbours[a].append(b)
        neighbours[b].append(a)
    return neighbours
