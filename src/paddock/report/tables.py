"""Sheets: text tables for reports and the terminal."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from rich.cells import cell_len

from paddock.core.terminal.console import Console, cell, new_table

# A quantity in a cell: 12.5, 1.2e-05, 10.4 ± 0.3, 50×, 6.3 s
QUANTITY = re.compile(r"[-+]?[\d.,]+(e[-+]?\d+)?( ± [\d.,]+(e[-+]?\d+)?)?( ?(×|%|[a-zA-Z]{1,3}))?|-?inf|nan")

NO = "NO"  # cell of a claim that does not hold


@dataclass(frozen=True, slots=True)
class Table:
    """A text table. The first column has the names of the rows, or whether a claim holds."""

    kind: ClassVar[str] = "table"
    heads: tuple[str, ...]  # column headers; empty for pairs of name and value
    rows: tuple[tuple[str, ...], ...]
    about: str = ""  # meaning of the numbers, such as "mean ± standard deviation"

    @classmethod
    def of(cls, rows: Iterable[Mapping[str, str]], about: str = "") -> Table:
        """Create a table from rows that give every cell with its header, all in the same order."""
        cells = list(rows)
        heads = tuple(cells[0]) if cells else ()
        return cls(heads, tuple(tuple(row[head] for head in heads) for row in cells), about)

    @property
    def numeric(self) -> tuple[bool, ...]:
        """Which columns contain numbers and are right-aligned; never the first, which has the row names."""
        columns = zip(*self.rows, strict=True) if self.rows else [()] * len(self.heads)
        return tuple(k > 0 and bool(self.heads) and _mostly_numbers(cells) for k, cells in enumerate(columns))

    def transpose(self) -> Table:
        """Swap rows and columns, for few rows with many columns."""
        columns = list(zip(self.heads, *self.rows, strict=True))
        return Table(("", *columns[0][1:]), tuple(columns[1:]), self.about)

    def split(self, max_columns: int) -> Iterator[Table]:
        """Split the table into parts of at most so many columns. Each part starts with the column of row names."""
        for first in range(1, len(self.heads), max_columns - 1):
            chosen = (0, *range(first, min(first + max_columns - 1, len(self.heads))))
            rows = tuple(tuple(row[k] for k in chosen) for row in self.rows)
            yield Table(tuple(self.heads[k] for k in chosen), rows, self.about)


def is_number(cell: str) -> bool:
    """Whether a cell contains a number, optionally with its spread and unit."""
    return QUANTITY.fullmatch(cell) is not None


def _mostly_numbers(cells: Sequence[str]) -> bool:
    """Whether most cells are numbers, and the others are numbers followed by a remark; a dash is an empty cell."""
    known = [cell for cell in cells if cell not in ("", "-")]
    return 2 * sum(map(is_number, known)) > len(known) and all(is_number(cell.split()[0]) for cell in known)


def format_number(value: float, digits: int = 4) -> str:
    """Return a number as a cell of a table; NaN, which means that there is no value, as a dash."""
    return "-" if math.isnan(value) else f"{value + 0.0:.{digits}g}"  # no -0


WIDEST = 10_000  # characters of a line in a file
FRAME = 3  # characters of the frame for each column of a table; plus one for the whole table


def make_console() -> Console:
    """Return the console for tables. Files and pipes have unlimited width, so that every row is on one line.

    The environment variable COLUMNS sets another width.
    """
    console = Console()
    return console if console.is_terminal or "COLUMNS" in os.environ else Console(width=WIDEST)


def print_table(console: Console, title: str, content: Table) -> None:
    """Print a table; print it in parts if it is too wide for the terminal, and never truncate numbers."""
    for part, columns in enumerate(fold_table(content, console.width)):
        table = new_table(
            title if part == 0 else f"{title}, continued",
            *(content.heads[k] for k in columns),
            right=tuple(content.heads[k] for k in columns if content.numeric[k]),
            widths=tuple(columns.values()),
        )
        for row in content.rows:
            table.add_row(*(cell(row[k]) for k in columns), style="red" if NO in row else None)
        console.print(table)


def fold_table(content: Table, room: int) -> Iterator[dict[int, int]]:
    """Yield the columns of each part of a table with their widths [characters].

    Each part has the first column, and the second one if the first has numbers, such as places, which name no row.
    """
    columns = list(zip(content.heads, *content.rows, strict=True))
    least = [max(map(_least, cells)) for cells in columns]
    names = [0, 1] if content.rows and len(columns) > 2 and all(is_number(row[0]) for row in content.rows) else [0]
    part = list(names)
    for k in range(len(names), len(columns)):
        if len(part) > len(names) and sum(least[i] + FRAME for i in (*part, k)) + 1 > room:
            yield _widths({i: columns[i] for i in part}, room)
            part = list(names)
        part.append(k)
    yield _widths({i: columns[i] for i in part}, room)


def _least(cell: str) -> int:
    """Return the minimum width of a cell: a number is not broken, a text is broken between words."""
    return len(cell) if is_number(cell) else max(map(cell_len, cell.split()), default=0)


def _widths(columns: Mapping[int, Sequence[str]], room: int) -> dict[int, int]:
    """Return minimum widths, then widen step by step the column that saves the most lines, while there is room."""
    widths = {k: max(1, *map(_least, cells)) for k, cells in columns.items()}

    def lines_saved(k: int) -> tuple[float, float]:
        """Return the lines saved by one more character: those of the rows, and, if equal, those of the head."""
        width = widths[k]
        head, *rows = (max(1.0, size / width) - max(1.0, size / (width + 1)) for size in map(cell_len, columns[k]))
        return sum(rows), head

    for _ in range(room - 1 - sum(width + FRAME for width in widths.values())):
        best = max(columns, key=lines_saved)
        if lines_saved(best) == (0, 0):
            break
        widths[best] += 1
    return widths
