"""Port: what a driver of a real e-puck can do, over any stream of bytes. One command is under way at a time."""

from __future__ import annotations

import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager

import numpy as np
from numpy.typing import NDArray

from paddock.core.errors import DeviceRefused, LinkError, Timeout
from paddock.epuck import packets
from paddock.epuck.driver.streams import ByteStream
from paddock.epuck.sercom import CameraSettings

Raw = tuple[float, ...]  # the hardware's own numbers
CLOSED = "the connection to the robot was closed"

LONGEST = 20.0  # [s] that any call may take, whatever the timeout: calibration


class Port(ABC):
    """A robot's firmware. Calls end within the timeout: with checked numbers, or with a LinkError.

    A failed call leaves the connection in doubt; the next one first makes sure of it, or opens it anew. A robot whose
    connection was opened anew stands until it is told to drive again.
    """

    kind: str  # "e-puck" or "e-puck2"
    devices: Collection[str] | None = None  # that the firmware can tell about; None: all of its kind
    camera: CameraSettings | None = None  # the part of the view that a picture shows; None: all of it

    def __init__(self, open_stream: Callable[[float], ByteStream], timeout: float) -> None:
        """
        Args:
            open_stream: opens the stream, within the seconds that it is given.
            timeout: seconds that a call may take.
        """
        self.timeout = timeout
        self._open_stream = open_stream
        self._stream: ByteStream | None = None
        self._in_doubt = True
        self._busy = threading.RLock()
        self._deadline: float | None = None  # of the call that has the stream (monotonic)
        self._last_thread: int | None = None  # that may use the stream, once it is to be closed
        self.closed = False
        self.restarts = 0  # how often the robot greeted or was found again: its counters may have begun anew

    @contextmanager
    def hold(self, patience: float = 0.0) -> Iterator[None]:
        """Have the stream for oneself, for as long as a call may last; a thread may take it again while it has it."""
        patience = max(patience, self.timeout)
        deadline = time.monotonic() + patience
        if not self._busy.acquire(timeout=patience):
            raise Timeout(f"the robot was busy with other threads for {patience:g} s")
        outer = self._deadline
        try:
            if self._last_thread not in (None, threading.get_ident()):
                raise LinkError(CLOSED)
            self._deadline = deadline if outer is None else outer
            yield
        finally:
            self._deadline = outer
            self._busy.release()

    @contextmanager
    def hold_and_close(self) -> Iterator[None]:
        """The same, and no other thread gets it any more; in the end the stream is closed."""
        self._last_thread = threading.get_ident()
        waited = self._busy.acquire(timeout=max(self.timeout, LONGEST))
        try:
            if not waited:
                raise Timeout("another thread does not let go of the robot")
            with self.hold():
                yield
        finally:
            self.close()
            if waited:
                self._busy.release()

    @property
    def deadline(self) -> float:
        """When the present call has to be over (monotonic)."""
        assert self._deadline is not None
        return self._deadline

    @contextmanager
    def exchange(self) -> Iterator[ByteStream]:
        """A stream that is open and free of old bytes; in doubt again if anything goes wrong."""
        with self.hold():
            if self.closed:
                raise LinkError(CLOSED)
            try:
                if self._in_doubt and self._reopens:
                    self.hang_up()
                if self._stream is None:
                    self._stream = self._open_stream(max(1e-3, self.deadline - time.monotonic()))
                    self._in_doubt = True
                    self.restarts += 1
                if self._in_doubt:
                    self._synchronise(self._stream)
                self._in_doubt = True
                yield self._stream
                self._in_doubt = False
            except LinkError as error:
                if self._reopens or type(error) is LinkError:
                    self.hang_up()
                raise

    _reopens = True  # whether a stream in doubt has to be opened anew

    @abstractmethod
    def _synchronise(self, stream: ByteStream) -> None:
        """See to it that the robot waits for a command, and that no answer to an older one can come."""

    def hang_up(self) -> None:
        """Close the stream; the next call opens it again."""
        stream, self._stream = self._stream, None
        if stream is not None:
            stream.close()

    def close(self) -> None:
        """No more calls."""
        self.closed = True
        self.hang_up()

    @abstractmethod
    def identify(self) -> None:
        """Open the stream, and find out what robot this is."""

    @abstractmethod
    def read(self, devices: Collection[str]) -> dict[str, Raw]:
        """Hardware numbers of devices, all in one exchange; `compass` gives the magnetic field [µT]."""

    @abstractmethod
    def read_image(self) -> NDArray[np.uint8]:
        """A picture, upright, [row, column, rgb]."""

    @abstractmethod
    def set_speeds(self, left: int, right: int) -> None:
        """Steps per second."""

    @abstractmethod
    def set_lamp(self, name: str, brightness: float) -> None:
        """A lamp of the robot's spec."""

    @abstractmethod
    def play_sound(self, sound: int) -> None:
        """A recorded sound, 1 … 5; 0 for silence."""

    @abstractmethod
    def calibrate(self) -> None:
        """Have what the proximity sensors see now taken for nothing."""

    @abstractmethod
    def restart(self) -> None:
        """Start the firmware anew, or come as near to that as can be."""

    def version(self) -> str:
        """What the firmware says about itself."""
        raise DeviceRefused("this e-puck2 cannot tell its version over Wi-Fi; ask it over its serial line")

    @abstractmethod
    def switch(self, device: str, on: bool) -> None:
        """Switch a device on or off, where the hardware has a switch."""

    def read_packet(self) -> packets.Sensors:
        """All hardware numbers of an e-puck2."""
        raise DeviceRefused("this robot has no packet of all sensors: it is no e-puck2")
