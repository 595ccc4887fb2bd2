"""The console of all commands."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import rich.console
import typer
from rich.markup import escape
from rich.table import Table

from paddock.core.terminal_text import visible


class Console(rich.console.Console):
    """A console of `rich` that prints texts such as `:robot:` as they are, not as emoji."""

    def __init__(self, **options: Any) -> None:
        super().__init__(emoji=False, **options)


def new_table(title: str, *columns: str, right: tuple[str, ...] = (), widths: Sequence[int] = ()) -> Table:
    """Return an empty table; units in [brackets] are text, not markup.

    Args:
        title: title above the table.
        columns: heads of the columns.
        right: heads of right-aligned columns, for numbers.
        widths: widths of all columns [characters], independent of the terminal; longer cells are folded. Default: as
            wide as the terminal allows, and the cells of the first column are never truncated.
    """
    table = Table(title=escape(title), title_justify="left")
    for k, column in enumerate(columns):
        table.add_column(
            escape(column),
            justify="right" if column in right else "left",
            width=widths[k] if widths else None,
            overflow="fold",
            no_wrap=k == 0 and not widths,
        )
    return table


def cell(text: object) -> str:
    """Return an external text as a safe cell: without markup and terminal control characters."""
    return escape(visible(text))


def print_json(values: object) -> None:
    """Print an object as a line of JSON; numbers that JSON does not support become null."""
    from paddock.core.json_values import plain

    typer.echo(json.dumps(plain(values), ensure_ascii=False))
