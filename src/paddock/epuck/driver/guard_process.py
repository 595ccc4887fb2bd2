"""The process of a LineGuard. It is run by its path and needs the standard library only, so that it starts at once.

It shares a line with the program that started it, and hears on its standard input from it: `d` the robot drives, `s` it
stands, `.` it has answered, `f` stop it and end, `q` end. When the program is gone or silent while the robot drives,
the guard sends what stops the robot. It tells so on its standard output, for a program that lives on.
"""

from __future__ import annotations

import contextlib
import os
import select
import sys
import time

LOOKS = 0.05  # [s] between two looks whether the program lives; a child of it may hold its end of the pipe open
IDLE_LOOKS = 1.0  # [s] likewise, while the robot stands
STOPS = 3  # times that a stop is sent: bytes may get lost
APART = 0.04  # [s] between two of them
PATIENCE = 0.2  # [s] for a line to take bytes


def watch(line: int, silence: float, stop: bytes, program: int) -> None:
    """Until the program ends, or wants it no more.

    Args:
        line: file number of the line to the robot.
        silence: seconds without an answer of the robot after which the program is taken to hang.
        stop: what stops the robot, whatever was sent before.
        program: number of the process that drives.
    """
    pipe = select.poll()
    pipe.register(0, select.POLLIN)
    drives, heard = False, time.monotonic()
    while True:
        left = heard + silence - time.monotonic()
        pipe_has_news = pipe.poll(1000 * (max(0.0, min(LOOKS, left)) if drives else IDLE_LOOKS))
        news = os.read(0, 4096) if pipe_has_news else b""
        if news:
            heard = time.monotonic()
            for letter in news:
                if letter in b"fq":
                    return send(line, stop) if letter in b"f" else None
                drives = drives if letter in b"." else letter in b"d"
        elif pipe_has_news or os.getppid() != program:
            return send(line, stop, STOPS, discard=True) if drives else None
        elif drives and time.monotonic() - heard > silence:
            send(line, stop, STOPS)
            drives = False
            os.write(1, b"!")


def send(line: int, stop: bytes, times: int = 1, *, discard: bool = False) -> None:
    """Send a stop some times; what the robot says is discarded where nobody else reads it: a full line takes nothing."""
    ready = select.poll()
    for _ in range(times):
        rest, end = stop, time.monotonic() + PATIENCE
        while rest and time.monotonic() < end:
            ready.register(line, select.POLLOUT)
            if ready.poll(1000 * PATIENCE):
                with contextlib.suppress(BlockingIOError):
                    rest = rest[os.write(line, rest) :]
        end = time.monotonic() + (APART if times > 1 else 0.0)
        while (left := end - time.monotonic()) > 0:
            ready.register(line, select.POLLIN)
            if not discard:
                time.sleep(left)
            elif ready.poll(1000 * left):
                with contextlib.suppress(BlockingIOError):
                    if not os.read(line, 1 << 16):
                        return  # the robot has hung up


if __name__ == "__main__":
    with contextlib.suppress(OSError):  # the line is gone
        watch(int(sys.argv[1]), float(sys.argv[2]), bytes.fromhex(sys.argv[3]), int(sys.argv[4]))
    os._exit(0)
