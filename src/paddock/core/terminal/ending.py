"""Early end of long commands by Ctrl-C, or by SIGTERM, with which clusters end a job."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from paddock.core.terminal.console import Console

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


@contextmanager
def end_with_results(folder: Path) -> Iterator[None]:
    """After Ctrl-C or SIGTERM, print how to continue from the results in a folder, and exit."""
    with end_on_sigterm():
        try:
            yield
        except KeyboardInterrupt:
            text = f"stopped early: the same command continues from the results in {folder}"
            Console(stderr=True).print(text, style="yellow", markup=False, soft_wrap=True)
            raise
