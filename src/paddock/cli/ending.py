"""Early end of long commands by Ctrl-C, or by SIGTERM, with which clusters end a job."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager

INTERRUPTED, TERMINATED = 130, 143  # shell conventions after Ctrl-C and after SIGTERM


@contextmanager
def end_on_sigterm() -> Iterator[list[int]]:
    """Treat SIGTERM, with which clusters end a job, like Ctrl-C; the list then contains the exit status."""
    ended: list[int] = []

    def end(number: int, frame: object) -> None:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)  # do not interrupt the writing of results
        ended.append(TERMINATED)
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, end)
    try:
        yield ended
    except KeyboardInterrupt:  # before the first generation, or after the last
        sys.exit(ended[0] if ended else INTERRUPTED)
    finally:
        signal.signal(signal.SIGTERM, before)
