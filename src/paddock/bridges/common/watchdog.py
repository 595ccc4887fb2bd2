"""Watchdog: a watchdog process that stops a robot if the program that drives it is killed, crashes or hangs."""

from __future__ import annotations

import contextlib
import logging
import os
import select
import subprocess
import sys
import time
from pathlib import Path

PROGRAM = Path(__file__).with_name("watchdog_process.py")
SILENCE = 1.0  # [s] without an answered command after which a program that drives counts as hung
RENEWAL = 0.2  # [s] after which a live program requests an answer from the robot
BEATS = 0.05  # [s] minimum time between two heartbeats
STARTING = 5.0  # [s] to wait for the watchdog; afterwards the robot drives without it until it has started
ENDING = 1.0  # [s] timeout for the process to exit
log = logging.getLogger("paddock.links")


class Watchdog:
    """Watchdog on an open connection to a robot. Heartbeats are answers of the robot, so a hung program sends none."""

    def __init__(self, line: int, stop: bytes, silence: float) -> None:
        """
        Args:
            line: file descriptor of the open connection.
            stop: bytes that stop the robot, even after an incomplete command.
            silence: seconds after which the program counts as hung.
        """
        command = [sys.executable, "-I", "-S", str(PROGRAM), str(line), str(silence), stop.hex(), str(os.getpid())]
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            bufsize=0,
            pass_fds=(line,),
            start_new_session=True,  # Ctrl-C or closing the terminal must only reach the program
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._pipe, self._news = self._process.stdin.fileno(), self._process.stdout.fileno()
        os.set_blocking(self._pipe, False)
        os.set_blocking(self._news, False)
        self._drives: bool | None = False  # state sent last to the process; None: it has stopped the robot since
        self._sent_at = 0.0
        ready = select.poll()
        ready.register(self._news, select.POLLIN)
        if not ready.poll(1000 * STARTING):
            log.warning("the watchdog process of a robot did not start within %g s", STARTING)

    @property
    def lives(self) -> bool:
        """Whether the watchdog process is running."""
        return self._process.poll() is None

    def set_driving(self, drives: bool) -> None:
        """Report that the robot is about to drive, or that it is stationary."""
        if drives != self._drives:
            self._drives = drives
            self._write(b"d" if drives else b"s")

    def renew(self) -> None:
        """Send a heartbeat; call after an answer of the robot."""
        if self._drives and time.monotonic() - self._sent_at > BEATS:
            self._write(b".")

    def _write(self, letter: bytes) -> None:
        self._sent_at = time.monotonic()
        with contextlib.suppress(BlockingIOError, BrokenPipeError):  # the process was suspended or killed: see `lives`
            os.write(self._pipe, letter)

    def take_stop(self) -> bool:
        """Whether the watchdog has stopped the robot since the last call."""
        try:
            stopped = b"!" in os.read(self._news, 16)
        except BlockingIOError:
            return False
        if stopped:
            self._drives = None
        return stopped

    def end(self, *, stop: bool = False) -> None:
        """End the process, optionally after it has stopped the robot. It closes its end of the connection."""
        self._write(b"f" if stop else b"q")
        try:
            self._process.wait(ENDING)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        for end in (self._process.stdin, self._process.stdout):
            assert end is not None
            end.close()


def open_watchdog(line: int | None, stop: bytes, silence: float) -> Watchdog | None:
    """Start a watchdog for a connection; return None and log a warning if that is impossible."""
    if not stop:
        return None
    if line is None or os.name != "posix" or not sys.executable:
        why = "the watchdog needs Linux or macOS, and a connection that processes can share"
    else:
        try:
            return Watchdog(line, stop, silence)
        except OSError as error:
            why = str(error)
    log.warning("no watchdog process will stop the robot if this program is killed: %s", why)
    return None
