"""What commands print that others wrote: names, messages, paths. It is shown as it is, and steers nothing."""

from __future__ import annotations

import logging
from typing import Any

from rich.console import Console

from paddock.core.plain_text import strip_control


class PlainConsole(Console):
    """A console that takes no text for markup or emoji codes, and lets no control character through."""

    def __init__(self, **options: Any) -> None:
        super().__init__(markup=False, emoji=False, highlight=False, **options)

    def print(self, *objects: Any, **options: Any) -> None:
        """As rich's, for texts and tables."""
        super().print(*(strip_control(part) if isinstance(part, str) else part for part in objects), **options)


class PlainFormatter(logging.Formatter):
    """Log lines without control characters."""

    def format(self, record: logging.LogRecord) -> str:
        return strip_control(super().format(record))


def log_plainly() -> None:
    """Print log messages as plain lines to standard error."""
    handler = logging.StreamHandler()
    handler.setFormatter(PlainFormatter("%(message)s"))
    logging.basicConfig(handlers=[handler])
