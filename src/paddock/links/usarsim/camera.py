"""ImageConnection: pictures of an image server, one for each question."""

from __future__ import annotations

import socket
import threading
import time

import numpy as np
from numpy.typing import NDArray

from paddock.core.errors import LinkError, Timeout
from paddock.usarsim.images import NEXT, FrameSplitter

CHUNK = 1 << 16


class ImageConnection:
    """The server sends a picture to whoever comes, and another one for every `OK`."""

    def __init__(self, host: str, port: int, timeout: float) -> None:
        self.name, self.timeout = f"image server {host}:{port}", timeout
        try:
            self._socket = socket.create_connection((host, port), timeout=timeout)
        except OSError as error:
            raise LinkError(f"{self.name}: cannot connect: {error.strerror or error}") from None
        self._splitter, self._turn = FrameSplitter(), threading.Lock()
        self._is_new = True

    def read(self) -> NDArray[np.uint8]:
        """A picture that was taken after this call, [row, column, rgb]."""
        with self._turn:
            if self._is_new:  # it came by itself, and may be old
                self._receive()
                self._is_new = False
            self._socket.sendall(NEXT)
            return self._receive()

    def _receive(self) -> NDArray[np.uint8]:
        deadline = time.monotonic() + self.timeout
        pictures: list[NDArray[np.uint8]] = []
        while not pictures:
            self._socket.settimeout(max(1e-3, deadline - time.monotonic()))
            try:
                data = self._socket.recv(CHUNK)
            except TimeoutError:
                raise Timeout(f"{self.name}: no picture for {self.timeout:g} s; is the simulation paused?") from None
            except OSError as error:
                raise LinkError(f"{self.name}: the connection was lost: {error.strerror or error}") from None
            if not data:
                raise LinkError(f"{self.name}: the connection was lost: the server closed it")
            pictures = self._splitter.feed(data)
        return pictures[-1]

    def close(self) -> None:
        """Hang up."""
        self._socket.close()
