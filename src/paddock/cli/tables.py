"""Tables as all commands print them."""

from __future__ import annotations

from rich.markup import escape
from rich.table import Table


def new_table(title: str, *columns: str, right: tuple[str, ...] = ()) -> Table:
    """An empty table; units in [brackets] are text, not markup. Columns named in `right` hold numbers."""
    table = Table(title=escape(title), title_justify="left")
    for column in columns:
        # Names stay whole in a narrow terminal.
        table.add_column(escape(column), justify="right" if column in right else "left", no_wrap=column == columns[0])
    return table
