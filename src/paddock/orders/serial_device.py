"""SerialDevice: a serial line that never lets its reader wait; DeviceWaiter: waits for any of them."""

from __future__ import annotations

import contextlib
import os
import selectors
import time
from typing import Any, Self

from paddock.epuck.driver.streams import open_serial_port

CHUNK = 1 << 12
LOOKING = 0.01  # [s] between two looks at devices that the system cannot wait for


class SerialDevice:
    """A serial device that is read and written without waiting."""

    def __init__(self, path: str) -> None:
        self.path = path
        self._port: Any = None
        self._unsent = bytearray()

    @property
    def is_open(self) -> bool:
        """Whether it can be read and written."""
        return self._port is not None

    @property
    def has_bytes(self) -> bool:
        """Whether something has come, or the device is gone, which reading tells."""
        try:
            return bool(self._port.in_waiting)
        except (OSError, TypeError):  # pyserial: TypeError where it was closed meanwhile
            return True

    def open(self) -> None:
        """Open it, or raise a LinkError."""
        self._port = open_serial_port(self.path)
        self._port.write_timeout = 0

    def fileno(self) -> int | None:
        """For selectors; None where there are no file numbers: a COM port of Windows."""
        try:
            number: int = self._port.fileno()
        except (AttributeError, OSError):
            return None
        return number

    def read(self) -> bytes:
        """What has come; OSError when the device is gone."""
        return bytes(self._port.read(CHUNK))

    def write(self, data: bytes) -> None:
        """Send as much as it takes now, and the rest next time."""
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
        """Let go of it."""
        port, self._port = self._port, None
        self._unsent.clear()
        if port is not None:
            with contextlib.suppress(OSError):
                port.close()


class DeviceWaiter:
    """Waits until bytes have come from any device: the system tells, or it looks at them in turn."""

    def __init__(self) -> None:
        self._selector = selectors.DefaultSelector()
        self._looked_at: dict[str, SerialDevice] = {}

    def add(self, name: str, device: SerialDevice) -> None:
        """Wait for a device that is open, too."""
        file = device.fileno()
        if file is None:
            self._looked_at[name] = device
        else:
            self._selector.register(file, selectors.EVENT_READ, name)

    def drop(self, name: str, device: SerialDevice) -> None:
        """No longer wait for a device; it is still open."""
        file = device.fileno()
        if file is None:
            self._looked_at.pop(name, None)
        else:
            self._selector.unregister(file)

    def wait(self, seconds: float) -> list[str]:
        """The names of devices from which bytes have come; none after so many seconds."""
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
