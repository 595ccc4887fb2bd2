"""Twins: simulated e-pucks behind serial devices and TCP ports, for the lifetime of a `with` block."""

from __future__ import annotations

import contextlib
import errno
import logging
import os
import selectors
import socket
import threading
from collections.abc import Callable, Iterable, Mapping
from typing import Protocol, Self

from paddock.arena import Arena
from paddock.bridges.puck import Puck
from paddock.bridges.sercom import SercomFirmware
from paddock.bridges.wifi import WifiFirmware
from paddock.core.errors import LinkError

CHUNK = 1 << 12  # bytes of input that are answered at once
log = logging.getLogger("paddock.bridges")


class Firmware(Protocol):
    """A robot that answers bytes with bytes."""

    def welcome(self) -> bytes: ...
    def receive(self, data: bytes) -> bytes: ...


class Twins:
    """Serves several robots in one thread of its own. It looks and commands; time is not its business."""

    def __init__(
        self,
        arena: Arena,
        *,
        serial: Iterable[str] = (),
        wifi: Mapping[str, int] | None = None,
        host: str = "127.0.0.1",
    ) -> None:
        """
        Args:
            arena: where the robots are.
            serial: names of robots that get a serial device.
            wifi: TCP ports by the names of robots that are e-puck2s on Wi-Fi; 0 for any that is free.
            host: where those ports are.
        """
        self.devices: dict[str, str] = {}  # the serial device's path by robot
        self.kinds: dict[str, str] = {}  # what answers there: "e-puck" or "e-puck2"
        self.addresses: dict[str, tuple[str, int]] = {}  # host and port by robot
        self._lines: list[Line] = []
        self._selector = selectors.DefaultSelector()
        self._bell, self._button = socket.socketpair()
        self._selector.register(self._bell, selectors.EVENT_READ, self._nothing)
        try:
            for name in serial:
                if name in self.devices:
                    raise LinkError(f"robot {name!r} was to get a serial device twice")
                puck = Puck(arena, name)
                self._open_serial(SercomFirmware(puck), name)
                self.kinds[name] = puck.kind
            for name, port in (wifi or {}).items():
                self._listen(WifiFirmware(Puck(arena, name, kind="e-puck2")), name, host, port)
        except BaseException:
            self._release()
            raise
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._work, name="paddock-twins", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Devices and ports vanish."""
        if not self._stopped.is_set():
            self._stopped.set()
            self._button.send(b"!")
            self._thread.join()
            self._release()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    # ---- setting up

    def _open_serial(self, firmware: SercomFirmware, name: str) -> None:
        try:
            import pty
            import tty
        except ImportError:
            raise LinkError(
                f"robot {name!r} cannot get a serial device: this system has no pseudo terminals (Linux and macOS do); "
                "an e-puck2 on Wi-Fi works everywhere"
            ) from None
        ours, theirs = pty.openpty()
        tty.setraw(theirs)
        os.set_blocking(ours, False)
        # Their end stays open here too, so that clients may come and go and the settings stay.
        line = Line(self._selector, _Terminal(ours, theirs), firmware)
        self._lines.append(line)
        self.devices[name] = os.ttyname(theirs)
        line.send(firmware.welcome())

    def _listen(self, firmware: WifiFirmware, name: str, host: str, port: int) -> None:
        try:
            listener = socket.create_server((host, port))
        except OSError as error:
            why = "is in use" if error.errno == errno.EADDRINUSE else f"cannot be had: {error.strerror or error}"
            hint = "; ports below 1024 are for administrators" if error.errno == errno.EACCES else ""
            raise LinkError(f"robot {name!r}: port {port} on {host} {why}{hint}; choose another") from None
        listener.setblocking(False)
        self.addresses[name] = (host, listener.getsockname()[1])
        line: list[Line] = []  # one client at a time; the newest counts

        def accept() -> None:
            client, _ = listener.accept()
            client.setblocking(False)
            client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            for old in line:
                old.close()
            line[:] = [Line(self._selector, _Socket(client), firmware, firmware.hang_up)]
            self._lines[:] = [one for one in self._lines if not one.closed] + line

        self._selector.register(listener, selectors.EVENT_READ, accept)

    # ---- serving

    def _work(self) -> None:
        while not self._stopped.is_set():
            for key, _ in self._selector.select():
                try:
                    key.data()
                except OSError as error:
                    log.debug("a client of a twin was lost: %s", error)

    def _nothing(self) -> None:
        self._bell.recv(64)

    def _release(self) -> None:
        for line in self._lines:
            line.close()
        for key in list(self._selector.get_map().values()):
            if isinstance(key.fileobj, socket.socket):
                key.fileobj.close()
        self._selector.close()
        self._button.close()


class Line:
    """A client's end of a wire, and the firmware behind it."""

    def __init__(
        self,
        selector: selectors.BaseSelector,
        wire: _Terminal | _Socket,
        firmware: Firmware,
        on_end: Callable[[], None] | None = None,
    ) -> None:
        self._selector, self._wire, self._firmware, self._on_end = selector, wire, firmware, on_end
        self._unsent = bytearray()
        self.closed = False
        selector.register(wire.file, selectors.EVENT_READ, self._work)

    def send(self, data: bytes) -> None:
        """Send now what the wire takes, and the rest when it can."""
        self._unsent += data
        while self._unsent:
            try:
                del self._unsent[: self._wire.write(bytes(self._unsent[:CHUNK]))]
            except BlockingIOError:
                break
        # Who does not read is not listened to: nothing gets lost, and no more piles up than a chunk is answered with.
        events = selectors.EVENT_WRITE if self._unsent else selectors.EVENT_READ
        self._selector.modify(self._wire.file, events, self._work)

    def _work(self) -> None:
        if self.closed:
            return
        try:
            if self._unsent:
                self.send(b"")
            elif data := self._wire.read():
                self.send(self._firmware.receive(data))
            else:
                self.close()
        except BlockingIOError:
            pass
        except OSError:
            self.close()
        except Exception as error:  # the robot has left the arena, or the firmware fails: this line ends, no other
            log.warning("a twin ends: %s", error)
            self.close()

    def close(self) -> None:
        if not self.closed:
            self.closed = True
            self._selector.unregister(self._wire.file)
            self._wire.close()
            if self._on_end is not None:
                with contextlib.suppress(Exception):  # the robot may be gone already
                    self._on_end()


class _Terminal:
    def __init__(self, ours: int, theirs: int) -> None:
        self.file, self._theirs = ours, theirs

    def read(self) -> bytes:
        return os.read(self.file, CHUNK)

    def write(self, data: bytes) -> int:
        return os.write(self.file, data)

    def close(self) -> None:
        os.close(self.file)
        os.close(self._theirs)


class _Socket:
    def __init__(self, file: socket.socket) -> None:
        self.file = file

    def read(self) -> bytes:
        return self.file.recv(CHUNK)

    def write(self, data: bytes) -> int:
        return self.file.send(data)

    def close(self) -> None:
        self.file.close()
