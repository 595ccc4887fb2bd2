"""DriveWatchdog: stops a robot in another simulator if the program that drives it is killed or hangs."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NamedTuple

from paddock.bridges.common.watchdog import Watchdog, open_watchdog
from paddock.core.errors import LinkError

log = logging.getLogger("paddock.links")


class StopLine(NamedTuple):
    """A connection to a server, and the bytes that stop the robot."""

    file: int  # file descriptor
    stop: bytes


class DriveWatchdog:
    """Starts a `Watchdog` no later than the first drive command. Every call of the program resets it."""

    def __init__(self, open_line: Callable[[], StopLine], silence: float) -> None:
        """
        Args:
            open_line: returns the connection that the watchdog shares.
            silence: seconds without a call of the program after which a driving robot is stopped; inf for never.
        """
        self._open_line, self.silence = open_line, silence
        self._watchdog: Watchdog | None = None
        self._no_watchdog = False  # whether starting a watchdog has failed
        self._drives = False  # whether the robot may be driving
        self._turn = threading.RLock()

    @contextmanager
    def driving(self, moves: bool) -> Iterator[None]:
        """Return a context for a wheel command. The watchdog is active before the wheels turn."""
        with self._turn:
            if moves:
                self._drives = True
                self.start()
                if self._watchdog is not None:
                    self._watchdog.set_driving(True)
            yield
            self._drives = moves
            if self._watchdog is not None:
                self._watchdog.set_driving(moves)

    def start(self) -> None:
        """Start the watchdog. If time is free-running, call this early, because starting takes time."""
        if self._watchdog is not None and not self._watchdog.lives:
            self._watchdog.end()
            self._watchdog = None
        if self._watchdog is None and not self._no_watchdog:
            try:
                self._watchdog = open_watchdog(*self._open_line(), self.silence)
            except LinkError as error:
                log.warning("no watchdog stops the robot if this program is killed: %s", error)
            self._no_watchdog = self._watchdog is None

    def renew(self) -> bool:
        """Reset the watchdog. Return whether it has stopped the robot since the last call, and log a warning if so."""
        if self._watchdog is None:
            return False
        stopped = self._watchdog.take_stop()
        if stopped:
            log.warning(
                "a robot was stopped: it was driving, and this program made no call for %g s. Call step, sense or read "
                "more often, or use a longer timeout: silence=SECONDS in its URL",
                self.silence,
            )
            self._drives = False
            self._watchdog.set_driving(False)
        self._watchdog.renew()
        return stopped

    def end(self) -> None:
        """End the watchdog before the connection is closed. It sends a last stop if the robot may still drive."""
        watchdog, self._watchdog, self._no_watchdog = self._watchdog, None, False
        if watchdog is not None:
            watchdog.end(stop=self._drives)
        self._drives = False
