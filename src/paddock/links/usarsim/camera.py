"""ImageConnection: pictures of an image server, one for each question."""

from __future__ import annotations

import select
import socket
import threading
import time

import numpy as np
from numpy.typing import NDArray

from paddock.core.errors import LinkError, Timeout
from paddock.usarsim.images import NEXT, FrameSplitter

CHUNK = 1 << 16


class ImageConnection:
    """The server sends a picture for every `OK`."""

    def __init__(self, host: str, port: int, timeout: float) -> None:
        self.name, self.timeout = f"image server {host}:{port}", timeout
        try:
            self._socket = socket.create_connection((host, port), timeout=timeout)
        except OSError as error:
            raise LinkError(f"{self.name}: cannot connect: {error.strerror or error}") from None
        self._splitter, self._turn = FrameSplitter(), threading.Lock()

    def read(self) -> NDArray[np.uint8]:
        """A picture, [row, column, rgb]. Some servers send the first one unasked: what lies here already is old."""
        with self._turn:
            deadline = time.monotonic() + self.timeout
            while select.select([self._socket], [], [], 0)[0]:
                self._splitter.feed(self._receive(deadline))
            self._ask()
            pictures: list[NDArray[np.uint8]] = []
            while not pictures:
                pictures = self._splitter.feed(self._receive(deadline))
            return pictures[-1]

    def _ask(self) -> None:
        try:
            self._socket.sendall(NEXT)
        except OSError as error:
            raise LinkError(f"{self.name}: the connection was lost: {error.strerror or error}") from None

    def _receive(self, deadline: float) -> bytes:
        self._socket.settimeout(max(1e-3, deadline - time.monotonic()))
        try:
            data = self._socket.recv(CHUNK)
        except TimeoutError:
            raise Timeout(f"{self.name}: no picture for {self.timeout:g} s; is the simulation paused?") from None
        except OSError as error:
            raise LinkError(f"{self.name}: the connection was lost: {error.strerror or error}") from None
        if not data:
            raise LinkError(f"{self.name}: the connection was lost: the server closed it")
        return data

    def close(self) -> None:
        """Hang up."""
        self._socket.close()
