"""Text from outside, such as names, messages and errors of others: how it is shown on a terminal and in a log."""

from __future__ import annotations

import logging
import shlex


def visible(text: object, *, lines: bool = False) -> str:
    """A text in which nothing acts on a terminal: escape sequences and control characters are spelled out.

    Args:
        text: anything; it is shown as `str` shows it.
        lines: keep line breaks.
    """
    return "".join(
        letter if letter.isprintable() or (lines and letter == "\n") else letter.encode("unicode_escape").decode()
        for letter in str(text)
    )


def shell_word(value: object) -> str:
    """A path or another text as one word of a command that people paste into a shell."""
    return shlex.quote(str(value))


class VisibleFormatter(logging.Formatter):
    """Log lines in which nothing acts on a terminal."""

    def format(self, record: logging.LogRecord) -> str:
        return visible(super().format(record), lines=True)
