"""Tables as all commands print them."""

from __future__ import annotations

from collections.abc import Sequence

from rich.markup import escape
from rich.table import Table

from paddock.core.outside import visible


def new_table(title: str, *columns: str, right: tuple[str, ...] = (), widths: Sequence[int] = ()) -> Table:
    """An empty table; units in [brackets] are text, not markup.

    Args:
        title: above the table.
        columns: their heads.
        right: the columns that hold numbers.
        widths: of all columns [characters], whatever the terminal's; longer cells are folded. Not given: as wide as
            the terminal allows, and the names in the first column stay whole.
    """
    table = Table(title=escape(title), title_justify="left")
    for k, column in enumerate(columns):
        table.add_column(
            escape(column),
            justify="right" if column in right else "left",
            width=widths[k] if widths else None,
            overflow="fold" if widths else "ellipsis",
            no_wrap=k == 0 and not widths,
        )
    return table


def cell(text: object) -> str:
    """A text from outside as a cell: its brackets are no markup, and nothing in it acts on the terminal."""
    return escape(visible(text))
