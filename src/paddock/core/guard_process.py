"""The process of a LineGuard. It is run by its path and needs the standard library only, so that it starts at once.

It shares a line with the program that started it, and hears on its standard input from it: `d` the robot drives, `s` it
stands, `.` it drives and has answered, `f` stop it and end, `q` end. When the program is gone or silent while the robot
drives, the guard sends what stops the robot. On its standard output it says `r` when it is ready, and `!` before it
stops the robot of a program that may live on.
"""

from __future__ import annotations

import contextlib
import os
import select
import sys
import time

LOOKS = 0.03  # [s] between two looks whether the program lives
IDLE_LOOKS = 1.0  # [s] likewise, while the robot stands
STOPS = 3  # times that a stop is sent: bytes may get lost
APART = 0.04  # [s] between two of them
PATIENCE = 0.2  # [s] for a line to take bytes
ENDS = 0x4 | 0x200 | 0x400  # flags of a Linux process that exits, dumps its core, or was killed by a signal


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
    os.write(1, b"r")
    drives, heard = False, time.monotonic()
    while True:
        left = heard + silence - time.monotonic()
        pipe_has_news = pipe.poll(1000 * (max(0.0, min(LOOKS, left)) if drives else IDLE_LOOKS))
        news = os.read(0, 4096) if pipe_has_news else b""
        if news:
            heard = time.monotonic()
            for letter in news:
                if letter in b"fq":
                    return insist(line, stop) if letter in b"f" else None
                drives = letter in b"d."  # an answer to a program that has not yet heard of a stop: it drives again
        elif pipe_has_news or not lives(program):
            return insist(line, stop) if drives else None
        elif drives and time.monotonic() - heard > silence:
            drives = False
            for _ in range(STOPS):
                os.write(1, b"!")  # first: what the program sends now is in vain
                send(line, stop)
                if pipe.poll(1000 * APART):  # it lives on
                    break


def lives(program: int) -> bool:
    """Whether the program that started this one has not begun to end.

    The end of the pipe comes late where a child of the program has it open, too, or much memory has to be given back.
    """
    if os.getppid() != program:
        return False
    try:
        with open(f"/proc/{program}/stat", "rb") as file:  # noqa: PTH123 (importing pathlib takes longer than all else)
            return not int(file.read().rpartition(b")")[2].split()[6]) & ENDS
    except OSError:
        return True  # this is not Linux


def insist(line: int, stop: bytes) -> None:
    """Send the last stop several times: nobody else uses the line any more."""
    for _ in range(STOPS):
        send(line, stop)
        discard(line)


def send(line: int, stop: bytes) -> None:
    """Send a stop, as far as the line takes it."""
    room = select.poll()
    room.register(line, select.POLLOUT)
    end = time.monotonic() + PATIENCE
    while stop and (left := end - time.monotonic()) > 0:
        if room.poll(1000 * left):
            with contextlib.suppress(BlockingIOError):
                stop = stop[os.write(line, stop) :]


def discard(line: int) -> None:
    """Read for a moment what the robot says: nobody else does, and a full line takes nothing more."""
    answers = select.poll()
    answers.register(line, select.POLLIN)
    end = time.monotonic() + APART
    while (left := end - time.monotonic()) > 0:
        if answers.poll(1000 * left):
            with contextlib.suppress(BlockingIOError):
                if not os.read(line, 1 << 16):
                    return  # the robot has hung up


if __name__ == "__main__":
    with contextlib.suppress(OSError):  # the line is gone
        watch(int(sys.argv[1]), float(sys.argv[2]), bytes.fromhex(sys.argv[3]), int(sys.argv[4]))
    os._exit(0)
