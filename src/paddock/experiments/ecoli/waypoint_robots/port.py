"""OrdersPort: the driver of a robot that takes orders, for robot handles, and the lines to robots."""

from __future__ import annotations

import contextlib
import math
import os
import selectors
import time
from collections import deque
from collections.abc import Callable, Collection
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any, NoReturn, Self

import numpy as np

from paddock.bridges.common.watchdog import RENEWAL, SILENCE
from paddock.bridges.epuck.driver.port import Port, Raw
from paddock.bridges.epuck.driver.streams import ADDRESS, BluetoothOpener, ByteStream, SerialOpener, find_descriptor
from paddock.core.errors import DeviceRefused, LinkError, PaddockError, Timeout
from paddock.core.geometry import Pose
from paddock.core.reason import explain
from paddock.experiments.ecoli.waypoint_robots.conversation import Conversation, ConversationRunner, T
from paddock.experiments.ecoli.waypoint_robots.host_end import HostEnd, HostTiming
from paddock.experiments.ecoli.waypoint_robots.texts import CM, DRIVING, Order, Reply

POLLING = 2 * RENEWAL  # [s] between two polls during a drive
CHUNK = 1 << 12
LOOKING = 0.01  # [s] between two polls of devices that the system cannot wait for


class OrdersPort(Port):
    """A robot at a serial device. In checked mode it accepts wheel speeds; in legacy mode it only drives to points."""

    kind = "e-puck"

    def __init__(
        self,
        open_stream: Callable[[float], ByteStream],
        timeout: float,
        *,
        checked: bool = True,
        silence: float = SILENCE,
    ) -> None:
        """
        Args:
            open_stream: opens the stream within the given number of seconds.
            timeout: maximum duration of a call [s], in addition to a drive.
            checked: request checked mode.
            silence: seconds without an answered call after which a robot in checked mode is stopped.
        """
        super().__init__(open_stream, timeout, silence=silence)
        self._asks_for_checked = checked
        self._end = HostEnd()

    @property
    def checked(self) -> bool:
        """Whether the robot is in checked mode."""
        return self._end.mode == "checked"

    @property
    def stop_bytes(self) -> bytes:  # type: ignore[override]
        return self._end.stop_bytes

    def identify(self) -> None:
        with self.exchange():
            self.devices = ("proximity", "encoders") if self.checked else ("proximity",)

    def _synchronise(self, stream: ByteStream) -> None:
        """Start a new session, which ends previous orders and stops the robot."""
        number = int.from_bytes(os.urandom(3), "big")  # below `SESSIONS`
        timing = HostTiming(silence=self.timeout, reopening=2 * self.timeout, polling=POLLING)
        self._end = HostEnd(session=number, checked=self._asks_for_checked, timing=timing)
        self._run_conversation(stream, self._end.connect())

    def ask(self, order: Order, seconds: float = 0.0, *, expected: float = 0.0) -> Reply:
        """Send an order and return its reply. `seconds` is the maximum duration of its drive."""
        drives = order.letter in DRIVING
        stands_then = self.driving(drives, False) if drives or order.letter == "S" else nullcontext()
        with self.hold(seconds + self.timeout), stands_then, self.exchange() as stream:
            return self._run_conversation(stream, self._end.ask(order, seconds, expected=expected))

    def _run_conversation(self, stream: ByteStream, conversation: Conversation[T]) -> T:
        runner = ConversationRunner(self._end, conversation, time.monotonic())
        while not runner.over:
            stream.send(runner.take_output(), self.deadline)
            try:
                data = stream.receive(min(runner.deadline, self.deadline))
            except Timeout:
                if time.monotonic() >= self.deadline:
                    raise Timeout(explain("{device}: no answer in time", device=stream.name)) from None
                runner.wake(time.monotonic())
            else:
                runner.receive(data, time.monotonic())
                self.note_answer()
        assert runner.result is not None
        return runner.result

    # ---- supported functions

    def read_pose(self) -> Pose:
        """Return the pose estimated by the robot [m, rad]."""
        x, y, heading = self.ask(Order("D")).numbers
        return Pose(x * CM, y * CM, heading)

    def read(self, devices: Collection[str]) -> dict[str, Raw]:
        """Return proximity and step counters. In legacy mode, four of eight sensors are reported; others are NaN."""
        if self.checked:
            numbers = self.ask(Order("q")).numbers
            there = {"encoders": numbers[3:5], "proximity": numbers[5:]}
        else:
            p0, p1, p7, p6 = self.ask(Order("X")).numbers if "proximity" in devices else (math.nan,) * 4
            there = {"proximity": (p0, p1, *[math.nan] * 4, p6, p7)}
        return {name: there[name] for name in devices}

    def _set_speeds(self, left: int, right: int) -> None:
        if not self.checked:
            self._refuse("wheel speeds", "; use go_to, turn or forward")
        self.ask(Order("w", (left, right)))

    def version(self) -> str:
        return f"takes orders, {self._end.mode} mode"

    # ---- unsupported functions

    def read_image(self) -> NoReturn:
        self._refuse("pictures")

    def set_led(self, name: str, brightness: float) -> NoReturn:
        self._refuse(f"the LED {name}")

    def play_sound(self, sound: int) -> NoReturn:
        self._refuse("sounds")

    def calibrate(self) -> NoReturn:
        self._refuse("calibration")

    def restart(self) -> NoReturn:
        self._refuse("a restart")

    def switch(self, device: str, on: bool) -> None:
        """Do nothing: all devices are always on."""

    def _refuse(self, what: str, instead: str = "") -> NoReturn:
        raise DeviceRefused(f"this robot takes orders in {self._end.mode} mode, which has none for {what}{instead}")


def require_reply(reply: Reply, kind: str, call: str) -> Reply:
    """Return the reply, or raise a LinkError if it is of another kind."""
    if reply.kind != kind:
        raise LinkError(explain("{call}: the robot answered {reply}", call=call, reply=reply.kind))
    return reply


@dataclass(frozen=True, kw_only=True, slots=True)
class LineQuality:
    """Faults and delays of a line. All probabilities are per byte."""

    loss: float = 0.0
    flips: float = 0.0  # probability that one bit of the byte is wrong
    duplicates: float = 0.0  # probability that the byte arrives twice
    latency: float = 0.002  # [s], minimum delay
    jitter: float = 0.0  # [s], maximum additional delay, equal for bytes sent together
    cuts: tuple[tuple[float, float], ...] = ()  # start and end [s] of interruptions, during which all bytes are lost

    def __post_init__(self) -> None:
        for name in ("loss", "flips", "duplicates"):
            if not 0 <= getattr(self, name) <= 1:
                raise PaddockError(f"LineQuality: {name}: expected a share from 0 to 1, got {getattr(self, name)!r}")
        for name in ("latency", "jitter"):
            if not 0 <= getattr(self, name) < np.inf:
                raise PaddockError(f"LineQuality: {name}: expected seconds >= 0, got {getattr(self, name)!r}")


PERFECT = LineQuality()


class SimulatedLine:
    """Delays bytes and adds faults, keeping their order. Equal seeds and keys give equal faults."""

    def __init__(self, quality: LineQuality = PERFECT, *, seed: int = 0, key: int = 0) -> None:
        """
        Args:
            quality: faults and delays of this direction.
            seed: seed of the whole experiment.
            key: number of this line in the experiment.
        """
        self.quality = quality
        self._rng = np.random.Generator(np.random.Philox(key=np.array([seed, key], np.uint64)))
        self._under_way: deque[tuple[float, bytes]] = deque()  # with the time of arrival
        self.sent = self.lost = 0  # bytes

    def send(self, data: bytes, now: float) -> None:
        """Send bytes at a time [s]."""
        if not data:
            return
        q, count = self.quality, len(data)
        chances = self._rng.random((3, count))
        bits = self._rng.integers(0, 8, count)
        delay = q.latency + q.jitter * float(self._rng.random())
        out = bytearray()
        for i, byte in enumerate(data):
            if chances[0, i] < q.loss or any(begin <= now < end for begin, end in q.cuts):
                self.lost += 1
                continue
            changed = byte ^ (1 << int(bits[i])) if chances[1, i] < q.flips else byte
            out += bytes([changed]) * (2 if chances[2, i] < q.duplicates else 1)
        self.sent += count
        arrives = max(now + delay, self._under_way[-1][0] if self._under_way else 0.0)
        self._under_way.append((arrives, bytes(out)))

    @property
    def empty(self) -> bool:
        """Whether no bytes are in transmission."""
        return not self._under_way

    def receive(self, now: float) -> bytes:
        """Remove and return the bytes that have arrived by a time [s]."""
        out = bytearray()
        while self._under_way and self._under_way[0][0] <= now:
            out += self._under_way.popleft()[1]
        return bytes(out)


class SerialDevice:
    """A serial device, or a Bluetooth address, with non-blocking reads and writes."""

    def __init__(self, path: str) -> None:
        self._opener = BluetoothOpener(path) if ADDRESS.fullmatch(path) else SerialOpener(path)
        self._port: Any = None
        self._unsent = bytearray()

    @property
    def is_open(self) -> bool:
        """Whether the device is open."""
        return self._port is not None

    @property
    def has_bytes(self) -> bool:
        """Whether bytes are available, or the device is lost, which `read` reports."""
        try:
            return bool(self._port.in_waiting)
        except (OSError, TypeError):  # pyserial: TypeError if it was closed in the meantime
            return True

    def open(self) -> None:
        """Open the device, or raise a LinkError. It is never another device than the first time."""
        self._port = self._opener.open()

    def fileno(self) -> int | None:
        """Return the file descriptor for selectors; None for a COM port on Windows, which has none."""
        return find_descriptor(self._port)

    def read(self) -> bytes:
        """Return the available bytes. Raise OSError if the device is lost."""
        return bytes(self._port.read(CHUNK))

    def write(self, data: bytes) -> None:
        """Send as much as the device accepts now, and the rest with the next call."""
        self._unsent += data
        while self._unsent:
            part, file = bytes(self._unsent[:CHUNK]), self.fileno()
            try:
                taken = self._port.write(part) if file is None else os.write(file, part)
            except BlockingIOError:
                return
            if not taken:
                return
            del self._unsent[:taken]

    def close(self) -> None:
        """Close the device."""
        port, self._port = self._port, None
        self._unsent.clear()
        if port is not None:
            with contextlib.suppress(OSError):
                port.close()


class DeviceWaiter:
    """Waits for bytes from any device, with a selector or by polling."""

    def __init__(self) -> None:
        self._selector = selectors.DefaultSelector()
        self._looked_at: dict[str, SerialDevice] = {}

    def add(self, name: str, device: SerialDevice) -> None:
        """Add an open device."""
        file = device.fileno()
        if file is None:
            self._looked_at[name] = device
        else:
            self._selector.register(file, selectors.EVENT_READ, name)

    def drop(self, name: str, device: SerialDevice) -> None:
        """Remove a device, which must still be open."""
        file = device.fileno()
        if file is None:
            self._looked_at.pop(name, None)
        else:
            self._selector.unregister(file)

    def wait(self, seconds: float) -> list[str]:
        """Wait for bytes and return the names of the devices with input; empty after the given seconds."""
        end = time.monotonic() + seconds
        while True:
            left = max(0.0, end - time.monotonic())
            nap = min(left, LOOKING) if self._looked_at else left
            found = [name for name, device in self._looked_at.items() if device.has_bytes]
            found += self._select(0.0 if found else nap)
            if found or not left:
                return found

    def _select(self, seconds: float) -> list[str]:
        if self._selector.get_map():
            return [key.data for key, _ in self._selector.select(seconds)]
        time.sleep(seconds)  # Windows cannot select nothing
        return []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._selector.close()
