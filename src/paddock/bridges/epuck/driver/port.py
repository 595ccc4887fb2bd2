"""Port: base class of the drivers of real e-pucks, over any byte stream. One command is sent at a time."""

from __future__ import annotations

import logging
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager

import numpy as np
from numpy.typing import NDArray

from paddock.bridges.common.watchdog import RENEWAL, SILENCE, Watchdog, open_watchdog
from paddock.bridges.epuck.driver.streams import ByteStream
from paddock.bridges.epuck.wire import packets
from paddock.bridges.epuck.wire.sercom import CameraSettings
from paddock.core.errors import DeviceRefused, LinkError, Timeout

Raw = tuple[float, ...]  # raw readings
CLOSED = "the connection to the robot was closed"

LONGEST = 20.0  # [s], maximum duration of any call, for calibration; independent of the timeout
log = logging.getLogger("paddock.links")


class Port(ABC):
    """Connection to a robot's firmware. Every call returns checked numbers or raises a LinkError within the timeout.

    After a failed call the state of the connection is unknown. The next call resynchronises it or opens it again. A
    robot whose connection was opened again is stopped until the next drive command. While the robot drives, a watchdog
    process shares the stream and stops the robot if this program is killed or hangs.
    """

    kind: str  # "e-puck" or "e-puck2"
    devices: Collection[str] | None = None  # supported by the firmware; None: all devices of its type
    camera: CameraSettings | None = None  # the part of the view that a picture shows; None: all of it

    stop_bytes = b""  # bytes that stop the robot after any partly sent command; empty if that is impossible

    def __init__(self, open_stream: Callable[[float], ByteStream], timeout: float, *, silence: float = SILENCE) -> None:
        """
        Args:
            open_stream: opens the stream within the given number of seconds.
            timeout: maximum duration of a call [s].
            silence: seconds without an answered call after which a driving robot is stopped.
        """
        self.timeout, self.silence = timeout, silence
        self._open_stream = open_stream
        self._stream: ByteStream | None = None
        self._in_doubt = True
        self._busy = threading.RLock()
        self._deadline: float | None = None  # of the call that uses the stream (monotonic)
        self._last_thread: int | None = None  # the only thread that may still use the stream, while it is closed
        self.closed = False
        self._watchdog: Watchdog | None = None
        self._no_watchdog = False  # whether this stream does not support a watchdog
        self._drives = False  # whether the robot may be driving
        self._sets_out = False  # whether the current command starts a drive
        self._answered_at = 0.0  # time of the last answer to the program (monotonic)
        self._thread = threading.local()  # whether the thread reads in the background
        self.restarts = 0  # number of greetings and reconnections: the step counters may have restarted

    @contextmanager
    def hold(self, timeout: float = 0.0) -> Iterator[None]:
        """Reserve the stream for the calling thread for the duration of a call. Reentrant."""
        timeout = max(timeout, self.timeout)
        deadline = time.monotonic() + timeout
        if not self._busy.acquire(timeout=timeout):
            raise Timeout(f"the robot was busy with other threads for {timeout:g} s")
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
        """Reserve the stream, block all other threads permanently, and close the stream at the end."""
        self._last_thread = threading.get_ident()
        waited = self._busy.acquire(timeout=max(self.timeout, LONGEST))
        try:
            if not waited:
                raise Timeout("another thread does not release the robot")
            with self.hold():
                yield
        finally:
            self.close()
            if waited:
                self._busy.release()

    @property
    def deadline(self) -> float:
        """Deadline of the current call (monotonic)."""
        assert self._deadline is not None
        return self._deadline

    @contextmanager
    def exchange(self) -> Iterator[ByteStream]:
        """Give an open, synchronised stream for one exchange. If the exchange fails, the stream is resynchronised."""
        with self.hold():
            if self.closed:
                raise LinkError(CLOSED)
            try:
                if self._watchdog is not None and self._watchdog.take_stop():
                    self._watchdog.set_driving(False)  # so that the watchdog stops sending
                    self._handle_stopped()
                if self._in_doubt and self._reopens:
                    self.disconnect()
                if self._stream is None:
                    self._stream = self._open_stream(max(1e-3, self.deadline - time.monotonic()))
                    self._in_doubt = True
                    self.restarts += 1
                if self._in_doubt:
                    self._synchronise(self._stream)
                self._in_doubt = True
                self._start_watchdog(self._stream)
                yield self._stream
                self._in_doubt = False
                self.note_answer()
            except LinkError as error:
                if self._reopens or type(error) is LinkError:
                    self.disconnect()
                raise

    _reopens = True  # whether a stream in an unknown state has to be opened again

    @abstractmethod
    def _synchronise(self, stream: ByteStream) -> None:
        """Ensure that the robot waits for a command, and that no answer to an older command can arrive."""

    # ---- the watchdog

    @contextmanager
    def driving(self, now: bool, then: bool) -> Iterator[None]:
        """Give a context for a command. `now`: it starts a drive; `then`: the robot still drives after the answer."""
        with self.hold():
            self._sets_out = now
            try:
                yield
            finally:
                self._sets_out = False
            self._drives = then
            if self._watchdog is not None:
                self._watchdog.set_driving(then)

    def _start_watchdog(self, stream: ByteStream) -> None:
        """Start the watchdog before the robot drives."""
        self._drives = self._drives or self._sets_out
        if not self._drives:
            if self._watchdog is not None:
                self._watchdog.set_driving(False)
            return
        if self._watchdog is not None and not self._watchdog.lives:
            self._watchdog.end()
            self._watchdog = None
        if self._watchdog is None and not self._no_watchdog:
            self._watchdog = open_watchdog(stream.fileno(), self.stop_bytes, self.silence)
            self._no_watchdog = self._watchdog is None
        if self._watchdog is not None:
            self._watchdog.set_driving(True)

    def note_answer(self) -> None:
        """Reset the watchdog after an answer of the robot, unless a background thread has read it."""
        if not getattr(self._thread, "in_background", False):
            self._answered_at = time.monotonic()
            if self._watchdog is not None:
                self._watchdog.renew()

    def _handle_stopped(self) -> None:
        """Handle a stop by the watchdog like a restart, because answers to the watchdog are still in the stream."""
        log.warning(
            "a robot was stopped: it was driving, and this program received no answer from it for %g s. Call step, "
            "sense or read more often, or use a longer timeout: ?silence=SECONDS",
            self.silence,
        )
        self._in_doubt = True
        self.restarts += 1  # so that a stop is sent: commands sent during the watchdog's stop may have undone it

    @contextmanager
    def in_background(self) -> Iterator[None]:
        """Give a context in which requests of this thread do not reset the watchdog."""
        self._thread.in_background = True
        try:
            yield
        finally:
            self._thread.in_background = False

    def renew(self) -> None:
        """Reset the watchdog with a request to the robot, unless the last answer is recent."""
        if self._drives and time.monotonic() - self._answered_at > RENEWAL:
            self.read(())

    @property
    def drives(self) -> bool:
        """Whether the robot may be driving."""
        return self._drives

    @property
    def connected(self) -> bool:
        """Whether the stream is open; it is closed after a failed exchange."""
        return self._stream is not None

    def disconnect(self) -> None:
        """Close the stream; the next call opens it again."""
        watchdog, self._watchdog, self._no_watchdog = self._watchdog, None, False
        if watchdog is not None:
            watchdog.end(stop=self._drives)
        self._drives = False
        stream, self._stream = self._stream, None
        if stream is not None:
            stream.close()

    def close(self) -> None:
        """Close the stream permanently."""
        self.closed = True
        self.disconnect()

    @abstractmethod
    def identify(self) -> None:
        """Open the stream and identify the type of the robot."""

    @abstractmethod
    def read(self, devices: Collection[str]) -> dict[str, Raw]:
        """Return raw readings of devices in one exchange; `compass` gives the magnetic field [µT]."""

    @abstractmethod
    def read_image(self) -> NDArray[np.uint8]:
        """Return an upright picture [row, column, rgb]."""

    def set_speeds(self, left: int, right: int) -> None:
        """Set the wheel speeds [steps/s]."""
        moves = bool(left or right)
        with self.driving(moves, moves):
            self._set_speeds(left, right)

    def verify_stopped(self) -> None:  # noqa: B027 (by default the answer to the stop command is enough)
        """Check that the robot is stopped, after a stop command was answered."""

    @abstractmethod
    def _set_speeds(self, left: int, right: int) -> None:
        """Send the wheel speeds [steps/s] and wait for the answer."""

    @abstractmethod
    def set_led(self, name: str, brightness: float) -> None:
        """Set an LED of the robot's spec."""

    @abstractmethod
    def play_sound(self, sound: int) -> None:
        """Play a recorded sound, 1 … 5; 0 for silence."""

    @abstractmethod
    def calibrate(self) -> None:
        """Calibrate the zero of the proximity sensors."""

    @abstractmethod
    def restart(self) -> None:
        """Restart the firmware, or reset the robot as far as the protocol allows."""

    def version(self) -> str:
        """Return the version text of the firmware."""
        raise DeviceRefused("this e-puck2 cannot report its version over Wi-Fi; connect over its serial device")

    @abstractmethod
    def switch(self, device: str, on: bool) -> None:
        """Switch a device on or off, if the hardware has a switch."""

    def read_packet(self) -> packets.Sensors:
        """Return all raw readings of an e-puck2."""
        raise DeviceRefused("this robot has no packet of all sensors: it is not an e-puck2")
