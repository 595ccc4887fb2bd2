"""A log of what clients do wrong. Anybody who reaches a port can cause lines: their number and length are limited."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable

BURST, PER_SECOND = 50, 2.0  # lines in quick succession, and later on average
LONGEST_LINE = 1000  # characters


class LogLimit(logging.Filter):
    """Leaves out lines of a log that come too fast; the next line says how many. `now` returns the time in seconds."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._now, self._left, self._since, self._omitted = now, float(BURST), now(), 0

    def filter(self, record: logging.LogRecord) -> bool:
        """Return whether a line may be written; shorten it."""
        now = self._now()
        self._left, self._since = min(BURST, self._left + (now - self._since) * PER_SECOND), now
        if self._left < 1:
            self._omitted += 1
            return False
        self._left -= 1
        omitted, self._omitted = self._omitted, 0
        text = record.getMessage()
        shown = text if len(text) <= LONGEST_LINE else f"{text[:LONGEST_LINE]} …"
        record.msg, record.args = f"{shown} ({omitted} more lines were left out)" if omitted else shown, ()
        return True


def get_client_log(name: str) -> logging.Logger:
    """Return the log of a bridge, with limits."""
    log = logging.getLogger(f"paddock.{name}")
    if not any(isinstance(limit, LogLimit) for limit in log.filters):
        log.addFilter(LogLimit())
    return log
