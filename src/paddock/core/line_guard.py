"""LineGuard: a small process that stops a robot when the program that drives it is killed, crashes or hangs."""

from __future__ import annotations

import contextlib
import logging
import os
import select
import subprocess
import sys
import time
from pathlib import Path

PROGRAM = Path(__file__).with_name("guard_process.py")
SILENCE = 1.0  # [s] without an answered command after which a program that drives is taken to hang
RENEWAL = 0.2  # [s] after which a program that lives has the robot answer something
BEATS = 0.05  # [s] at least between two signs of life
STARTING = 5.0  # [s] that the robot waits for its guard; after that it drives without, until the guard is there
ENDING = 1.0  # [s] that the process may take to end
log = logging.getLogger("paddock.links")


class LineGuard:
    """Shares an open line to a robot. Its signs of life are answers of the robot, so a hung program gives none."""

    def __init__(self, line: int, stop: bytes, silence: float) -> None:
        """
        Args:
            line: file number of the open line.
            stop: what stops the robot, whatever was sent before, or half sent.
            silence: seconds after which the program is taken to hang.
        """
        command = [sys.executable, "-I", "-S", str(PROGRAM), str(line), str(silence), stop.hex(), str(os.getpid())]
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            bufsize=0,
            pass_fds=(line,),
            start_new_session=True,  # a Ctrl-C or a hang-up of the terminal is for the program
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._pipe, self._news = self._process.stdin.fileno(), self._process.stdout.fileno()
        os.set_blocking(self._pipe, False)
        os.set_blocking(self._news, False)
        self._drives: bool | None = False  # what the process was told last; None: it has stopped the robot since
        self._told_at = 0.0
        ready = select.poll()
        ready.register(self._news, select.POLLIN)
        if not ready.poll(1000 * STARTING):
            log.warning("the guard of a robot has not started within %g s", STARTING)

    @property
    def lives(self) -> bool:
        """Whether it still guards."""
        return self._process.poll() is None

    def tell(self, drives: bool) -> None:
        """Whether the robot is about to drive, or stands by now."""
        if drives != self._drives:
            self._drives = drives
            self._write(b"d" if drives else b"s")

    def renew(self) -> None:
        """The robot has answered."""
        if self._drives and time.monotonic() - self._told_at > BEATS:
            self._write(b".")

    def _write(self, letter: bytes) -> None:
        self._told_at = time.monotonic()
        with contextlib.suppress(BlockingIOError, BrokenPipeError):  # it was stopped, or killed: see `lives`
            os.write(self._pipe, letter)

    def take_stop(self) -> bool:
        """Whether it has stopped the robot since this was last asked."""
        try:
            stopped = b"!" in os.read(self._news, 16)
        except BlockingIOError:
            return False
        if stopped:
            self._drives = None
        return stopped

    def end(self, *, stop: bool = False) -> None:
        """It is wanted no more; it may have to stop the robot first. Afterwards it does not have the line open."""
        self._write(b"f" if stop else b"q")
        try:
            self._process.wait(ENDING)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        for end in (self._process.stdin, self._process.stdout):
            assert end is not None
            end.close()


def open_guard(line: int | None, stop: bytes, silence: float) -> LineGuard | None:
    """A guard for a line; None where there can be none, which the log says."""
    if not stop:
        return None
    if line is None or os.name != "posix" or not sys.executable:
        why = "it needs Linux or macOS, and a line that processes can share"
    else:
        try:
            return LineGuard(line, stop, silence)
        except OSError as error:
            why = str(error)
    log.warning("no guard stops the robot if this program is killed: %s", why)
    return None
