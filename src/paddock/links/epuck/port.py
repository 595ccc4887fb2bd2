"""Port: what a driver of a real e-puck can do, whichever way the bytes go. One command is on the wire at a time."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager

import numpy as np
from numpy.typing import NDArray

from paddock.core.errors import DeviceRefused, LinkError, Timeout
from paddock.links.epuck.wires import Wire
from paddock.protocol import epuck2
from paddock.robots import RobotSpec

Raw = tuple[float, ...]  # the hardware's own numbers


class Port(ABC):
    """A robot's firmware. Calls end within the timeout: with checked numbers, or with a LinkError.

    A failed call leaves the connection in doubt; the next one first makes sure of it, or opens it anew.
    """

    kind: str  # "e-puck" or "e-puck2"

    def __init__(self, open_wire: Callable[[], Wire], timeout: float) -> None:
        self.timeout = timeout
        self._open_wire = open_wire
        self._wire: Wire | None = None
        self._in_doubt = True
        self._busy = threading.RLock()
        self.closed = False

    @contextmanager
    def turn(self) -> Iterator[None]:
        """Have the wire for oneself; a thread may take it again while it has it."""
        if not self._busy.acquire(timeout=self.timeout):
            raise Timeout(f"the robot was busy with other threads for {self.timeout:g} s")
        try:
            yield
        finally:
            self._busy.release()

    @contextmanager
    def exchange(self) -> Iterator[Wire]:
        """A wire that is open and free of old bytes; in doubt again if anything goes wrong."""
        with self.turn():
            if self.closed:
                raise LinkError("the connection to the robot was closed")
            try:
                if self._in_doubt and self._starts_anew:
                    self.hang_up()
                if self._wire is None:
                    self._wire = self._open_wire()
                    self._in_doubt = True
                if self._in_doubt:
                    self._make_sure(self._wire)
                self._in_doubt = True
                yield self._wire
                self._in_doubt = False
            except LinkError as error:
                if self._starts_anew or type(error) is LinkError:
                    self.hang_up()
                raise

    _starts_anew = True  # whether a wire in doubt has to be opened anew

    @abstractmethod
    def _make_sure(self, wire: Wire) -> None:
        """See to it that the robot waits for a command, and that no answer to an older one can come."""

    def hang_up(self) -> None:
        """Close the wire; the next call opens it again."""
        wire, self._wire = self._wire, None
        if wire is not None:
            wire.close()

    def close(self) -> None:
        """No more calls."""
        self.closed = True
        self.hang_up()

    @abstractmethod
    def adapted(self, spec: RobotSpec) -> RobotSpec:
        """The robot as this way of reaching it shows it."""

    @abstractmethod
    def read(self, devices: Collection[str]) -> dict[str, Raw]:
        """Hardware numbers of devices, all in one exchange; `compass` gives the magnetic field [µT]."""

    @abstractmethod
    def image(self) -> NDArray[np.uint8]:
        """A picture, upright, [row, column, rgb]."""

    @abstractmethod
    def set_speeds(self, left: int, right: int) -> None:
        """Steps per second."""

    @abstractmethod
    def set_lamp(self, name: str, brightness: float) -> None:
        """A lamp of the robot's spec."""

    @abstractmethod
    def play(self, sound: int) -> None:
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

    def hardware(self) -> epuck2.Sensors:
        """All hardware numbers of an e-puck2."""
        raise DeviceRefused("this robot has no packet of all sensors: it is no e-puck2")
