"""External text cannot inject terminal control sequences."""

from __future__ import annotations

import logging

from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from paddock.core.terminal.console import cell, new_table
from paddock.core.terminal_text import VisibleFormatter, visible


@given(st.text(st.characters(codec="utf-8")))
def test_visible_text_has_no_control_characters(text: str) -> None:
    assert visible(text).isprintable()
    assert visible(text, lines=True).replace("\n", "").isprintable()


def test_printable_text_is_unchanged() -> None:
    assert visible("Zoë’s robot [/b] 机器人 ✓") == "Zoë’s robot [/b] 机器人 ✓"
    assert visible("a\x1b[31mb\rc\u202ed\n") == "a\\x1b[31mb\\rc\\u202ed\\n"


@given(st.text(st.characters(codec="utf-8"), max_size=30))
def test_table_cell_shows_its_text_literally(text: str) -> None:
    table = new_table("names", "name", widths=(400,))
    table.add_row(cell(text))
    console = Console(width=500, file=None, record=True)
    with console.capture() as shown:
        console.print(table)
    assert visible(text).strip() in shown.get()


def test_log_line_keeps_line_breaks_and_escapes_control_characters() -> None:
    record = logging.LogRecord("x", logging.WARNING, "", 0, "%s goes on\nand on", ("\x1b]0;title\x07Ben",), None)
    assert VisibleFormatter("%(message)s").format(record) == "\\x1b]0;title\\x07Ben goes on\nand on"
