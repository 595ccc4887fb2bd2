"""Printing of tables of numbers on terminals of any width."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence

from rich.cells import cell_len

from paddock.core.terminal.console import Console
from paddock.core.terminal.tables import cell, new_table
from paddock.report.tables import NO, Table, is_number

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
