"""Port: what a driver of a real e-puck can do, over any stream of bytes. One command is under way at a time."""

from __future__ import annotations

import logging
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager

import numpy as np
from numpy.typing import NDArray

from paddock.core.errors import DeviceRefused, LinkError, Timeout
from paddock.core.line_guard import RENEWAL, SILENCE, LineGuard, open_guard
from paddock.epuck import packets
from paddock.epuck.driver.streams import ByteStream
from paddock.epuck.sercom import CameraSettings

Raw = tuple[float, ...]  # the hardware's own numbers
CLOSED = "the connection to the robot was closed"

LONGEST = 20.0  # [s] that any call may take, whatever the timeout: calibration
log = logging.getLogger("paddock.links")


class Port(ABC):
    """A robot's firmware. Calls end within the timeout: with checked numbers, or with a LinkError.

    A failed call leaves the connection in doubt; the next one first makes sure of it, or opens it anew. A robot whose
    connection was opened anew stands until it is told to drive again. While it drives, a guard process shares the
    stream, which stops the robot when this program is killed or hangs.
    """

    kind: str  # "e-puck" or "e-puck2"
    devices: Collection[str] | None = None  # that the firmware can tell about; None: all of its kind
    camera: CameraSettings | None = None  # the part of the view that a picture shows; None: all of it

    stop_bytes = b""  # what stops the robot, whatever was sent before; none: it cannot be stopped that way

    def __init__(self, open_stream: Callable[[float], ByteStream], timeout: float, *, silence: float = SILENCE) -> None:
        """
        Args:
            open_stream: opens the stream, within the seconds that it is given.
            timeout: seconds that a call may take.
            silence: seconds without an answered call after which a robot that drives is stopped.
        """
        self.timeout, self.silence = timeout, silence
        self._open_stream = open_stream
        self._stream: ByteStream | None = None
        self._in_doubt = True
        self._busy = threading.RLock()
        self._deadline: float | None = None  # of the call that has the stream (monotonic)
        self._last_thread: int | None = None  # that may use the stream, once it is to be closed
        self.closed = False
        self._guard: LineGuard | None = None
        self._unguarded = False  # whether this stream can have none
        self._drives = False  # whether the robot may be driving
        self._sets_out = False  # whether the present command has it drive
        self._answered_at = 0.0  # when it last answered the program (monotonic)
        self._thread = threading.local()  # whether it reads in the background
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
                if self._guard is not None and self._guard.take_stop():
                    self._guard.tell(False)  # which leaves the line to this program
                    self._meet_stopped()
                if self._in_doubt and self._reopens:
                    self.hang_up()
                if self._stream is None:
                    self._stream = self._open_stream(max(1e-3, self.deadline - time.monotonic()))
                    self._in_doubt = True
                    self.restarts += 1
                if self._in_doubt:
                    self._synchronise(self._stream)
                self._in_doubt = True
                self._guard_drive(self._stream)
                yield self._stream
                self._in_doubt = False
                self.note_answer()
            except LinkError as error:
                if self._reopens or type(error) is LinkError:
                    self.hang_up()
                raise

    _reopens = True  # whether a stream in doubt has to be opened anew

    @abstractmethod
    def _synchronise(self, stream: ByteStream) -> None:
        """See to it that the robot waits for a command, and that no answer to an older one can come."""

    # ---- the guard

    @contextmanager
    def driving(self, now: bool, then: bool) -> Iterator[None]:
        """A command after which the robot may drive at once, and one that has ended with or without it driving."""
        with self.hold():
            self._sets_out = now
            try:
                yield
            finally:
                self._sets_out = False
            self._drives = then
            if self._guard is not None:
                self._guard.tell(then)

    def _guard_drive(self, stream: ByteStream) -> None:
        """Have a guard before the robot drives."""
        self._drives = self._drives or self._sets_out
        if not self._drives:
            if self._guard is not None:
                self._guard.tell(False)
            return
        if self._guard is not None and not self._guard.lives:
            self._guard.end()
            self._guard = None
        if self._guard is None and not self._unguarded:
            self._guard = open_guard(stream.fileno(), self.stop_bytes, self.silence)
            self._unguarded = self._guard is None
        if self._guard is not None:
            self._guard.tell(True)

    def note_answer(self) -> None:
        """The robot has answered. What a thread reads in the background does not show that the program lives."""
        if not getattr(self._thread, "in_background", False):
            self._answered_at = time.monotonic()
            if self._guard is not None:
                self._guard.renew()

    def _meet_stopped(self) -> None:
        """The guard has stopped the robot, whose answers to it are in the way: as if it had been restarted."""
        log.warning(
            "a robot was stopped: it drove, and this program had it answer nothing for %g s. Call step, sense or read "
            "more often, or give it longer: ?silence=SECONDS",
            self.silence,
        )
        self._in_doubt = True
        self.restarts += 1  # so it is told to stand: what was sent while the guard stopped it may have it drive again

    @contextmanager
    def in_background(self) -> Iterator[None]:
        """What this thread asks for now is no sign that the program lives."""
        self._thread.in_background = True
        try:
            yield
        finally:
            self._thread.in_background = False

    def renew(self) -> None:
        """Show the guard that the program lives, unless it was shown a moment ago."""
        if self._drives and time.monotonic() - self._answered_at > RENEWAL:
            self.read(())

    @property
    def drives(self) -> bool:
        """Whether the robot may be driving."""
        return self._drives

    def hang_up(self) -> None:
        """Close the stream; the next call opens it again."""
        guard, self._guard, self._unguarded = self._guard, None, False
        if guard is not None:
            guard.end(stop=self._drives)
        self._drives = False
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

    def set_speeds(self, left: int, right: int) -> None:
        """Steps per second."""
        moves = bool(left or right)
        with self.driving(moves, moves):
            self._set_speeds(left, right)

    def make_sure_it_stands(self) -> None:  # noqa: B027 (its answer to the command says so, unless a port knows better)
        """It was told to stand, and answered: see whether it does."""

    @abstractmethod
    def _set_speeds(self, left: int, right: int) -> None:
        """Tell the robot, and have it answer."""

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
