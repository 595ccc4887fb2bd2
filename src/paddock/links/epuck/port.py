"""Port: what a driver of a real e-puck can do, whichever way the bytes go. One command is on the wire at a time."""

from __future__ import annotations

import threading
import time
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
CLOSED = "the connection to the robot was closed"

LONGEST = 20.0  # [s] that any call may take, whatever the timeout: calibration


class Port(ABC):
    """A robot's firmware. Calls end within the timeout: with checked numbers, or with a LinkError.

    A failed call leaves the connection in doubt; the next one first makes sure of it, or opens it anew. A robot whose
    connection was opened anew stands until it is told to drive again.
    """

    kind: str  # "e-puck" or "e-puck2"

    def __init__(self, open_wire: Callable[[float], Wire], timeout: float) -> None:
        """
        Args:
            open_wire: opens the wire, within the seconds that it is given.
            timeout: seconds that a call may take.
        """
        self.timeout = timeout
        self._open_wire = open_wire
        self._wire: Wire | None = None
        self._in_doubt = True
        self._busy = threading.RLock()
        self._deadline: float | None = None  # of the call that has the wire (monotonic)
        self._last_thread: int | None = None  # that may use the wire, once it is to be closed
        self.closed = False
        self.restarts = 0  # how often the robot greeted or was found again: its counters may have begun anew

    @contextmanager
    def turn(self, patience: float = 0.0) -> Iterator[None]:
        """Have the wire for oneself, for as long as a call may last; a thread may take it again while it has it."""
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
    def last_turn(self) -> Iterator[None]:
        """The same, and no other thread gets it any more; in the end the wire is closed."""
        self._last_thread = threading.get_ident()
        waited = self._busy.acquire(timeout=max(self.timeout, LONGEST))
        try:
            if not waited:
                raise Timeout("another thread does not let go of the robot")
            with self.turn():
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
    def exchange(self) -> Iterator[Wire]:
        """A wire that is open and free of old bytes; in doubt again if anything goes wrong."""
        with self.turn():
            if self.closed:
                raise LinkError(CLOSED)
            try:
                if self._in_doubt and self._starts_anew:
                    self.hang_up()
                if self._wire is None:
                    self._wire = self._open_wire(max(1e-3, self.deadline - time.monotonic()))
                    self._in_doubt = True
                    self.restarts += 1
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
    def meet(self) -> None:
        """Open the wire, and find out what robot this is."""

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
