"""DeadlineReader: a socket reader with a deadline for all bytes together."""

from __future__ import annotations

import io
import socket
import time
from typing import Any


class DeadlineReader(io.RawIOBase):
    """Replaces the socket of an HTTP response, because a socket's own timeout restarts with every byte."""

    def __init__(self, sock: socket.socket, seconds: float) -> None:
        self._socket, self._seconds = sock, seconds
        self._raw = sock.makefile("rb", buffering=0)
        self.restart()

    def restart(self) -> None:
        """Restart the deadline."""
        self._end = time.monotonic() + self._seconds

    def makefile(self, mode: str) -> io.BufferedReader:
        """Return a buffered reader; `http.client` calls this method of a socket."""
        return io.BufferedReader(self)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any, /) -> int | None:
        left = self._end - time.monotonic()
        if left <= 0:
            raise TimeoutError
        self._socket.settimeout(left)
        return self._raw.readinto(buffer)

    def close(self) -> None:
        self._raw.close()
        super().close()
