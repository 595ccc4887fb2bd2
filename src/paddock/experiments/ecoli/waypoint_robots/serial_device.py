"""SerialDevice: a non-blocking serial device. DeviceWaiter: waits for input from any of several devices."""

from __future__ import annotations

import contextlib
import os
import selectors
import time
from typing import Any, Self

from paddock.bridges.epuck.driver.streams import SerialOpener, find_descriptor

CHUNK = 1 << 12
LOOKING = 0.01  # [s] between two polls of devices that the system cannot wait for


class SerialDevice:
    """A serial device with non-blocking reads and writes."""

    def __init__(self, path: str) -> None:
        self._opener = SerialOpener(path)
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
