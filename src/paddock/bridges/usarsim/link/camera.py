"""ImageConnection: reads pictures from a USARSim image server, one per request."""

from __future__ import annotations

import select
import time

import numpy as np
from numpy.typing import NDArray

from paddock.bridges.common.simulator_client import SimulatorClient
from paddock.bridges.usarsim.wire.images import NEXT, FrameSplitter
from paddock.core.errors import Timeout


class ImageConnection(SimulatorClient):
    """A connection to an image server, which sends one picture for every `OK`."""

    def __init__(self, host: str, port: int, timeout: float) -> None:
        super().__init__("image server", host, port, timeout)
        self._splitter = FrameSplitter()

    def read(self) -> NDArray[np.uint8]:
        """Request and return a picture [row, column, rgb]. Discard older ones: some servers send one unrequested."""
        with self._turn:
            deadline = time.monotonic() + self.timeout
            while select.select([self._socket], [], [], 0)[0]:
                self._take(deadline)
            self._send(NEXT)
            pictures: list[NDArray[np.uint8]] = []
            while not pictures:
                pictures = self._take(deadline)
            return pictures[-1]

    def _take(self, deadline: float) -> list[NDArray[np.uint8]]:
        self._socket.settimeout(max(1e-3, deadline - time.monotonic()))
        try:
            return self._receive_parsed(self._splitter.feed)
        except Timeout:
            raise Timeout(f"{self.name}: no picture for {self.timeout:g} s; is the simulation paused?") from None

    def close(self) -> None:
        """Close the connection."""
        self._socket.close()
