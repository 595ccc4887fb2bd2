"""Escape untrusted text, such as names and messages from other processes, for terminals and logs."""

from __future__ import annotations

import logging
import shlex


def visible(text: object, *, lines: bool = False) -> str:
    """Return a text that is safe to print on a terminal: escape sequences and control characters are escaped.

    Args:
        text: any object; it is converted by `str`.
        lines: keep line breaks.
    """
    return "".join(
        letter if letter.isprintable() or (lines and letter == "\n") else letter.encode("unicode_escape").decode()
        for letter in str(text)
    )


def shell_word(value: object) -> str:
    """Quote a path or another text as one word of a shell command."""
    return shlex.quote(str(value))


class VisibleFormatter(logging.Formatter):
    """Log formatter that escapes control characters."""

    def format(self, record: logging.LogRecord) -> str:
        return visible(super().format(record), lines=True)
