"""Watchdog process of a Watchdog. It is run by its path and imports only the standard library, so it starts quickly.

It shares the connection to the robot with the program that started it. The program writes to the standard input of the
watchdog: `d` the robot is driving, `s` it is stationary, `.` it is driving and has answered, `f` stop it and exit, `q`
exit. If the program ends or is silent while the robot drives, the watchdog sends the stop command. It writes to its
standard output: `r` when it is ready, and `!` before it stops the robot of a program that may still be running.
"""

from __future__ import annotations

import contextlib
import os
import select
import sys
import time

LOOKS = 0.03  # [s] between two checks whether the program is alive
IDLE_LOOKS = 1.0  # [s] between two checks while the robot is stationary
STOPS = 3  # how often a stop is sent, because bytes may get lost
APART = 0.04  # [s] between two stops
WRITE_TIMEOUT = 0.2  # [s] timeout for writing to the line
ENDS = 0x4 | 0x200 | 0x400  # flags of a Linux process that exits, dumps its core, or was killed by a signal


def watch(line: int, silence: float, stop: bytes, program: int) -> None:
    """Stop the robot if the program dies or hangs; return when the program ends or closes the watchdog.

    Args:
        line: file descriptor of the connection to the robot.
        silence: seconds without an answer of the robot after which the program counts as hung.
        stop: bytes that stop the robot, independently of the bytes sent before.
        program: process id of the program that drives the robot.
    """
    pipe = select.poll()
    pipe.register(0, select.POLLIN)
    os.write(1, b"r")
    drives, received = False, time.monotonic()
    while True:
        left = received + silence - time.monotonic()
        pipe_has_news = pipe.poll(1000 * (max(0.0, min(LOOKS, left)) if drives else IDLE_LOOKS))
        news = os.read(0, 4096) if pipe_has_news else b""
        if news:
            received = time.monotonic()
            for letter in news:
                if letter in b"fq":
                    return send_final_stop(line, stop) if letter in b"f" else None
                drives = letter in b"d."  # an answer may come before the program has received the stop: it drives again
        elif pipe_has_news or not lives(program):
            return send_final_stop(line, stop) if drives else None
        elif drives and time.monotonic() - received > silence:
            drives = False
            for _ in range(STOPS):
                os.write(1, b"!")  # first, because commands that the program sends from now on have no effect
                send(line, stop)
                if pipe.poll(1000 * APART):  # the program is still alive
                    break


def lives(program: int) -> bool:
    """Whether the program that started this process is still running and has not begun to exit.

    The pipe closes late if a child of the program also holds it open, or if the system must free a lot of memory.
    """
    if os.getppid() != program:
        return False
    try:
        with open(f"/proc/{program}/stat", "rb") as file:  # noqa: PTH123 (importing pathlib is slow)
            return not int(file.read().rpartition(b")")[2].split()[6]) & ENDS
    except OSError:
        return True  # this is not Linux


def send_final_stop(line: int, stop: bytes) -> None:
    """Send the final stop several times. No other process uses the line any more."""
    for _ in range(STOPS):
        send(line, stop)
        discard(line)


def send(line: int, stop: bytes) -> None:
    """Send a stop, or as much of it as the line accepts before the timeout."""
    room = select.poll()
    room.register(line, select.POLLOUT)
    end = time.monotonic() + WRITE_TIMEOUT
    while stop and (left := end - time.monotonic()) > 0:
        if room.poll(1000 * left):
            with contextlib.suppress(BlockingIOError):
                stop = stop[os.write(line, stop) :]


def discard(line: int) -> None:
    """Read and discard the robot's answers for a short time, because a line with a full buffer accepts no bytes."""
    answers = select.poll()
    answers.register(line, select.POLLIN)
    end = time.monotonic() + APART
    while (left := end - time.monotonic()) > 0:
        if answers.poll(1000 * left):
            with contextlib.suppress(BlockingIOError):
                if not os.read(line, 1 << 16):
                    return  # the robot has disconnected


if __name__ == "__main__":
    with contextlib.suppress(OSError):  # the connection was lost
        watch(int(sys.argv[1]), float(sys.argv[2]), bytes.fromhex(sys.argv[3]), int(sys.argv[4]))
    os._exit(0)
