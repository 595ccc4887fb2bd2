"""EmulatorServer: emulated e-pucks behind serial devices and TCP ports."""

from __future__ import annotations

import contextlib
import errno
import logging
import os
import selectors
import socket
import threading
from collections.abc import Callable
from typing import Protocol

from paddock.core.errors import LinkError
from paddock.epuck.emulator.serial_firmware import SerialFirmware
from paddock.epuck.emulator.wifi_firmware import WifiFirmware

CHUNK = 1 << 12  # bytes of input that are answered at once
log = logging.getLogger("paddock.epuck")


class Firmware(Protocol):
    """A robot that answers bytes with bytes."""

    def welcome(self) -> bytes: ...
    def receive(self, data: bytes) -> bytes: ...


class EmulatorServer:
    """Serves several robots in one thread of its own. Serial devices and ports last until it is closed."""

    def __init__(self) -> None:
        self.devices: dict[str, str] = {}  # the serial device's path by robot
        self.addresses: dict[str, tuple[str, int]] = {}  # host and port by robot
        self._clients: list[EmulatorClient] = []
        self._selector = selectors.DefaultSelector()
        self._bell, self._button = socket.socketpair()
        self._selector.register(self._bell, selectors.EVENT_READ, self._empty_bell)
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._work, name="paddock-emulators", daemon=True)

    def start(self) -> None:
        """Begin to answer."""
        self._thread.start()

    def close(self) -> None:
        """Devices and ports vanish."""
        if self._stopped.is_set():
            return
        self._stopped.set()
        if self._thread.is_alive():
            self._button.send(b"!")
            self._thread.join()
        self._release()

    # ---- setting up

    def open_serial(self, name: str, firmware: SerialFirmware) -> None:
        """Put a robot behind a serial device of its own, a pseudo terminal."""
        if name in self.devices:
            raise LinkError(f"robot {name!r} was to get a serial device twice")
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
        client = EmulatorClient(self._selector, _Terminal(ours, theirs), firmware)
        self._clients.append(client)
        self.devices[name] = os.ttyname(theirs)
        client.send(firmware.welcome())

    def listen(self, name: str, firmware: WifiFirmware, host: str, port: int) -> None:
        """Put a robot behind a TCP port; 0 for any that is free. It has one client at a time, the newest."""
        try:
            listener = socket.create_server((host, port))
        except OSError as error:
            why = "is in use" if error.errno == errno.EADDRINUSE else f"cannot be had: {error.strerror or error}"
            hint = "; ports below 1024 are for administrators" if error.errno == errno.EACCES else ""
            raise LinkError(f"robot {name!r}: port {port} on {host} {why}{hint}; choose another") from None
        listener.setblocking(False)
        self.addresses[name] = (host, listener.getsockname()[1])
        newest: list[EmulatorClient] = []

        def accept() -> None:
            accepted, _ = listener.accept()
            accepted.setblocking(False)
            accepted.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            for old in newest:
                old.close()
            newest[:] = [EmulatorClient(self._selector, _Socket(accepted), firmware, firmware.hang_up)]
            self._clients[:] = [client for client in self._clients if not client.closed] + newest

        self._selector.register(listener, selectors.EVENT_READ, accept)

    # ---- serving

    def _work(self) -> None:
        while not self._stopped.is_set():
            for key, _ in self._selector.select():
                try:
                    key.data()
                except OSError as error:
                    log.debug("a client of an emulator was lost: %s", error)

    def _empty_bell(self) -> None:
        self._bell.recv(64)

    def _release(self) -> None:
        for client in self._clients:
            client.close()
        for key in list(self._selector.get_map().values()):
            if isinstance(key.fileobj, socket.socket):
                key.fileobj.close()
        self._selector.close()
        self._button.close()


class EmulatorClient:
    """A client of a robot, and the firmware that answers it."""

    def __init__(
        self,
        selector: selectors.BaseSelector,
        stream: _Terminal | _Socket,
        firmware: Firmware,
        on_end: Callable[[], None] | None = None,
    ) -> None:
        self._selector, self._stream, self._firmware, self._on_end = selector, stream, firmware, on_end
        self._unsent = bytearray()
        self.closed = False
        selector.register(stream.file, selectors.EVENT_READ, self._work)

    def send(self, data: bytes) -> None:
        """Send now what the stream takes, and the rest when it can."""
        self._unsent += data
        while self._unsent:
            try:
                del self._unsent[: self._stream.write(bytes(self._unsent[:CHUNK]))]
            except BlockingIOError:
                break
        # Who does not read is not listened to: nothing gets lost, and no more piles up than a chunk is answered with.
        events = selectors.EVENT_WRITE if self._unsent else selectors.EVENT_READ
        self._selector.modify(self._stream.file, events, self._work)

    def _work(self) -> None:
        if self.closed:
            return
        try:
            if self._unsent:
                self.send(b"")
            elif data := self._stream.read():
                self.send(self._firmware.receive(data))
            else:
                self.close()
        except BlockingIOError:
            pass
        except OSError:
            self.close()
        except Exception as error:  # the robot is gone, or the firmware fails: this client ends, no other
            log.warning("an emulator ends: %s", error)
            self.close()

    def close(self) -> None:
        if not self.closed:
            self.closed = True
            self._selector.unregister(self._stream.file)
            self._stream.close()
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
