"""DriveGuard: stops a robot in another simulator or server when the program that drives it is killed or hangs."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import NamedTuple

from paddock.core.errors import LinkError
from paddock.core.line_guard import SILENCE, LineGuard, open_guard

SHORTEST_SILENCE = 0.5  # [s] that a program which lives may be silent

log = logging.getLogger("paddock.links")


class StopLine(NamedTuple):
    """A line to a server, and what stops the robot when it is sent on it."""

    file: int  # its file number
    stop: bytes


class DriveGuard:
    """Has a `LineGuard`, at the latest from the first drive on. What the program asks for are its signs of life."""

    def __init__(self, open_line: Callable[[], StopLine], silence: float) -> None:
        """
        Args:
            open_line: gives the line that the guard shares.
            silence: seconds without a call of the program after which a robot that drives is stopped; inf for never.
        """
        self._open_line, self.silence = open_line, silence
        self._guard: LineGuard | None = None
        self._unguarded = False  # whether there can be none
        self._drives = False  # whether the robot may be driving
        self._turn = threading.RLock()

    @contextmanager
    def driving(self, moves: bool) -> Iterator[None]:
        """A command to the wheels, in a `with` block: there is a guard before they turn."""
        with self._turn:
            if moves:
                self._drives = True
                self.start()
                if self._guard is not None:
                    self._guard.tell(True)
            yield
            self._drives = moves
            if self._guard is not None:
                self._guard.tell(moves)

    def start(self) -> None:
        """Have a guard. Where time runs freely, programs do so before it matters how long that takes."""
        if self._guard is not None and not self._guard.lives:
            self._guard.end()
            self._guard = None
        if self._guard is None and not self._unguarded:
            try:
                self._guard = open_guard(*self._open_line(), self.silence)
            except LinkError as error:
                log.warning("no guard stops the robot if this program is killed: %s", error)
            self._unguarded = self._guard is None

    def renew(self) -> bool:
        """The program lives. Whether the robot was stopped meanwhile: it hung for too long, which the log says."""
        if self._guard is None:
            return False
        stopped = self._guard.take_stop()
        if stopped:
            log.warning(
                "a robot was stopped: it drove, and this program asked for nothing for %g s. Call step, sense or read "
                "more often, or give it longer: silence=SECONDS in its URL",
                self.silence,
            )
            self._drives = False
            self._guard.tell(False)
        self._guard.renew()
        return stopped

    def end(self) -> None:
        """The line is about to be closed. A robot that could not be told to stand is told once more."""
        guard, self._guard, self._unguarded = self._guard, None, False
        if guard is not None:
            guard.end(stop=self._drives)
        self._drives = False


def read_silence(url: str, options: Mapping[str, str]) -> float:
    """The option `silence` of a URL [s]."""
    try:
        silence = float(options.get("silence", SILENCE))
    except ValueError:
        silence = 0.0
    if not silence >= SHORTEST_SILENCE:
        expected = f"expected seconds >= {SHORTEST_SILENCE:g}, or inf for never"
        raise LinkError(f"connect: {url}: silence: {expected}, got {options['silence']!r}")
    return silence
