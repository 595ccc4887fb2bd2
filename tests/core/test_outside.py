"""Text from outside cannot act on a terminal."""

from __future__ import annotations

import logging

from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from paddock.cli.tables import cell, new_table
from paddock.core.outside import VisibleFormatter, visible


@given(st.text(st.characters(codec="utf-8")))
def test_nothing_in_a_visible_text_acts_on_a_terminal(text: str) -> None:
    assert visible(text).isprintable()
    assert visible(text, lines=True).replace("\n", "").isprintable()


def test_what_is_printable_stays_as_it_is() -> None:
    assert visible("Zoë’s robot [/b] 机器人 ✓") == "Zoë’s robot [/b] 机器人 ✓"
    assert visible("a\x1b[31mb\rc\u202ed\n") == "a\\x1b[31mb\\rc\\u202ed\\n"


@given(st.text(st.characters(codec="utf-8"), max_size=30))
def test_a_cell_is_shown_letter_by_letter_whatever_is_in_it(text: str) -> None:
    table = new_table("names", "name", widths=(400,))
    table.add_row(cell(text))
    console = Console(width=500, file=None, record=True)
    with console.capture() as shown:
        console.print(table)
    assert visible(text).strip() in shown.get()


def test_a_log_line_keeps_its_breaks_and_loses_its_escapes() -> None:
    record = logging.LogRecord("x", logging.WARNING, "", 0, "%s goes on\nand on", ("\x1b]0;title\x07Ben",), None)
    assert VisibleFormatter("%(message)s").format(record) == "\\x1b]0;title\\x07Ben goes on\nand on"
