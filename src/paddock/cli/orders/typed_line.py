"""Waiting for a typed line without missing a Ctrl-C."""

from __future__ import annotations

import os
import select
import signal
import sys


def wait_for_line() -> None:
    """Return when `input` has a line to read, or raise KeyboardInterrupt.

    `input` alone misses a Ctrl-C that is typed just before it starts to read: Python stores the signal, then waits for
    the next line. Here each signal also writes a byte into a pipe, which ends the wait.
    """
    if os.name != "posix" or not sys.stdin.isatty():
        return
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    before = signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
    try:
        select.select([sys.stdin, reader], [], [])
    finally:
        signal.set_wakeup_fd(before)
        os.close(reader)
        os.close(writer)
