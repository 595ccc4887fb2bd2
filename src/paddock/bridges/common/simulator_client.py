"""SimulatorClient: a connection to a simulator with requests and answers, without threads."""

from __future__ import annotations

import socket
import threading
from abc import abstractmethod
from collections.abc import Callable, Iterable
from typing import TypeVar

from paddock.core.closing import Closing
from paddock.core.errors import BadMessage, LinkError, Timeout

CHUNK = 1 << 16
T = TypeVar("T")


class SimulatorClient(Closing):
    """Sends and receives bytes. `_turn` is a lock for threads that share the client."""

    def __init__(self, scheme: str, host: str, port: int, timeout: float) -> None:
        self.name, self.host, self.port, self.timeout = f"{scheme} {host}:{port}", host, port, timeout
        try:
            self._socket = socket.create_connection((host, port), timeout=timeout)
        except OSError as error:
            raise LinkError(f"{self.name}: cannot connect: {error.strerror or error}") from None
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._turn = threading.Lock()
        self.connected = True
        self.time = 0.0  # last received simulated time [s]

    def fileno(self) -> int:
        """Return the file descriptor, for a process that shares the connection."""
        return self._socket.fileno()

    def _send(self, data: bytes) -> None:
        try:
            self._socket.sendall(data)
        except OSError as error:
            raise self._lose(f"the connection was lost: {error.strerror or error}") from None

    def _receive(self) -> bytes:
        try:
            data = self._socket.recv(CHUNK)
        except TimeoutError:
            raise Timeout(f"{self.name}: no answer within {self._socket.gettimeout():g} s") from None
        except OSError as error:
            raise self._lose(f"the connection was lost: {error.strerror or error}") from None
        if not data:
            raise self._lose("the connection was closed by the other side")
        return data

    def _lose(self, why: str) -> LinkError:
        """Mark the connection as lost, and return the error to raise."""
        self.connected = False
        return LinkError(f"{self.name}: {why}")

    def _receive_parsed(self, parse: Callable[[bytes], Iterable[T]]) -> list[T]:
        """Return the messages in the next bytes; name the other side in errors of `parse`."""
        data = self._receive()
        try:
            return list(parse(data))
        except BadMessage as error:
            raise BadMessage(f"{self.name}: is this the right port? {error}") from None

    @abstractmethod
    def close(self) -> None:
        """End the session and close the connection."""
