"""Text from outside steers no terminal."""

from __future__ import annotations

import io
import logging

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paddock.cli.terminal import PlainConsole, PlainFormatter
from paddock.core.plain_text import strip_control


@given(st.text())
def test_nothing_that_steers_a_terminal_is_left_and_what_people_read_stays(text: str) -> None:
    clean = strip_control(text)
    assert len(clean) == len(text)
    assert not any(ord(char) < 32 or 127 <= ord(char) < 160 for char in clean if char not in "\n\t")
    assert all(after == before for before, after in zip(text, clean, strict=True) if before.isalnum())


@pytest.mark.parametrize("text", ["[/b]", "[red]Eve", ":smile:", "a\\[b]"])
def test_markup_is_printed_as_it_is(text: str) -> None:
    out = io.StringIO()
    PlainConsole(file=out).print(text)
    assert out.getvalue() == f"{text}\n"


def test_escape_sequences_reach_neither_console_nor_log() -> None:
    out = io.StringIO()
    PlainConsole(file=out).print("time waits for \x1b[2J\x9b31mEve")
    record = logging.LogRecord("paddock", logging.WARNING, "", 0, "time waits for %s", ("\x1b[2JEve\u202e",), None)
    logged = PlainFormatter("%(message)s").format(record)
    assert "Eve" in out.getvalue()
    for text in (out.getvalue(), logged):
        assert not {"\x1b", "\x9b", "\u202e"} & set(text)
