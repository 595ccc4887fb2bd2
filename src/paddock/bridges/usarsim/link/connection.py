"""UsarConnection: sends and receives lines of a USARSim server. A thread receives, so that no data queue up unread."""

from __future__ import annotations

import contextlib
import logging
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial

from paddock.bridges.usarsim.wire import LineSplitter, UsarLine, UsarReports, format_line, parse_line
from paddock.core.errors import BadMessage, LinkError, Timeout

log = logging.getLogger("paddock.links")
CHUNK = 1 << 16
SHORT = 1.0  # [s] to wait for an answer before the server is assumed not to support the request
MAX_REPORTED = 3  # invalid lines
CLOSED = "the connection was closed from here"


class UsarConnection:
    """An open connection with the reported values and the answers to requests. All failures raise LinkError."""

    def __init__(self, host: str, port: int, timeout: float) -> None:
        self.name, self.timeout = f"{host}:{port}", timeout
        try:
            self._socket = socket.create_connection((host, port), timeout=timeout)
        except TimeoutError:
            raise Timeout(f"{self.name}: no connection within {timeout:g} s; is the host reachable?") from None
        except OSError as error:
            raise LinkError(
                f"{self.name}: cannot connect: {error.strerror or error}; is a USARSim server running there? Start one "
                f"with `paddock serve yellow-rooms --bridge usarsim={port}`"
            ) from None
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._socket.settimeout(None)
        self._news = threading.Condition(threading.RLock())  # protects all attributes below
        self.reports = UsarReports()
        self._answers: list[UsarLine] = []
        self._failure: str | None = None
        self._is_mute = False  # whether a request was not answered
        self._received_at = time.monotonic()
        self._invalid = 0  # lines
        self._thread = threading.Thread(target=self._listen, name=f"paddock-usarsim-{self.name}", daemon=True)
        self._thread.start()

    @property
    def connected(self) -> bool:
        """Whether the connection has not failed."""
        return self._failure is None

    def fileno(self) -> int:
        """Return the file descriptor, for a process that shares the connection."""
        return self._socket.fileno()

    def send(self, type: str, *segments: str) -> None:
        """Send a line."""
        self.check()
        try:
            self._socket.sendall(format_line(type, *segments))
        except OSError as error:
            raise LinkError(f"{self.name}: the connection was lost: {error.strerror or error}") from None

    def ask(self, type: str, answer: str, *segments: str, kind: str = "") -> UsarLine | None:
        """Return the answer to a request; None without an answer within a second, or to an earlier request."""
        if self._is_mute:
            return None
        with self._news:
            self._answers.clear()
        self.send(type, *segments)
        found: list[UsarLine] = []

        def has_answer() -> bool:
            found[:] = [a for a in self._answers if a.type == answer and (not kind or a.get("Type") == kind)]
            return bool(found)

        self._is_mute = not self._wait(has_answer, min(SHORT, self.timeout))
        return found[0] if found else None

    def wait(self, there: Callable[[], bool], what: str) -> None:
        """Wait until `there` is true. Raise Timeout if the server's clock does not advance within the timeout."""
        self.check()  # even if the condition is already true
        while not there():
            if not self._wait(partial(self._has_news, there, self.reports.time), self.timeout):
                raise Timeout(f"{self.name}: no {what} for {self.timeout:g} s; is the simulation paused?")

    def _has_news(self, there: Callable[[], bool], before: float) -> bool:
        return there() or self.reports.time != before

    def _wait(self, there: Callable[[], bool], seconds: float) -> bool:
        with self._news:
            done = self._news.wait_for(lambda: self._failure is not None or there(), seconds)
            self.check()
            return done

    def check(self) -> None:
        """Raise LinkError if the connection has failed."""
        if self._failure is not None:
            raise LinkError(f"{self.name}: {self._failure}")

    @contextmanager
    def reading(self) -> Iterator[UsarReports]:
        """Give consistent access to the reported values. Raise Timeout if the server has been silent for too long."""
        with self._news:
            self.check()
            silent = time.monotonic() - self._received_at
            if silent > self.timeout:
                raise Timeout(f"{self.name}: no line for {silent:.3g} s; is the simulation paused?")
            yield self.reports

    def close(self) -> None:
        """Close the connection and wait for the receiving thread."""
        with self._news:
            self._failure = self._failure or CLOSED
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_WR)
        self._thread.join(SHORT)  # normally the server closes its end, too
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self._thread.join()
        self._socket.close()

    # ---- the thread

    def _listen(self) -> None:
        splitter, why = LineSplitter(), "the connection was lost: the server closed it"
        while True:
            try:
                data = self._socket.recv(CHUNK)
            except OSError as error:
                data, why = b"", f"the connection was lost: {error.strerror or error}"
            if not data:
                break
            with self._news:
                self._received_at = time.monotonic()
                self._take(splitter, data)
                self._news.notify_all()
        with self._news:
            self._failure = self._failure or why
            self._news.notify_all()

    def _take(self, splitter: LineSplitter, data: bytes) -> None:
        try:
            texts = splitter.feed(data)
        except BadMessage as error:
            self._report_invalid(error)
            return
        for text in texts:
            try:
                line = parse_line(text)
                self.reports.update(line)
            except BadMessage as error:
                self._report_invalid(error)
                continue
            if line.type in ("NFO", "GEO", "CONF", "RES"):
                self._answers.append(line)
                del self._answers[:-100]

    def _report_invalid(self, error: BadMessage) -> None:
        """Log the first invalid lines, because a server may send them at every tick."""
        self._invalid += 1
        if self._invalid <= MAX_REPORTED:
            more = "" if self._invalid < MAX_REPORTED else "; further invalid lines are not reported"
            log.warning("%s: %s%s", self.name, error, more)
