"""EmulatorServer: serves emulated robots at serial devices and TCP ports."""

from __future__ import annotations

import contextlib
import os
import selectors
import socket
import threading
import time
from collections import deque
from collections.abc import Callable
from typing import Protocol

from paddock.bridges.common.client_log import get_client_log
from paddock.bridges.common.ports import MAX_CONNECTIONS, open_port
from paddock.core.errors import LinkError

CHUNK = 1 << 12  # bytes of input that are processed at once
LONGEST_BACKLOG = 1 << 18  # bytes that wait for a slow client; beyond that, unrequested data are dropped …
MOST_UNREAD = 2 * LONGEST_BACKLOG  # … and beyond that, so many answers wait that its requests are no longer read
POLL_PERIOD = 0.02  # [s] between two checks whether a client has opened an unused device
FIRST_REQUEST = 60.0  # [s] after which a client that has requested nothing is disconnected
UNREQUESTED_PERIOD = 0.02  # [s] between two unrequested packets of sensors
log = get_client_log("emulators")


class Firmware(Protocol):
    """A robot that answers bytes with bytes."""

    def welcome(self) -> bytes: ...
    def receive(self, data: bytes) -> bytes: ...


class ConnectionFirmware(Firmware, Protocol):
    """A firmware that is notified when its client disconnects."""

    def disconnect(self) -> None: ...


class GuestFirmware(ConnectionFirmware, Protocol):
    """A firmware of one client. A `silent` client has requested nothing yet, and makes room for others."""

    @property
    def silent(self) -> bool: ...


class StreamingFirmware(ConnectionFirmware, Protocol):
    """A firmware that also sends unrequested packets, periodically, unless it is `kind`."""

    kind: bool

    def pack_unrequested(self) -> bytes: ...


class EmulatorServer:
    """Serves several robots in its own thread. Serial devices and ports exist until it is closed."""

    def __init__(self) -> None:
        self.devices: dict[str, str] = {}  # path of the serial device by robot
        self.addresses: dict[str, tuple[str, int]] = {}  # host and port by robot
        self._clients: list[EmulatorClient] = []
        self._serial: dict[str, EmulatorClient] = {}
        self._guests: dict[EmulatorClient, tuple[GuestFirmware, float]] = {}  # with the time of their connection
        self._streaming: dict[EmulatorClient, StreamingFirmware] = {}  # clients that receive unrequested packets
        self._outbox: deque[tuple[EmulatorClient, bytes]] = deque()  # unrequested data of robots
        self._selector = selectors.DefaultSelector()
        self._wake_receiver, self._wake_sender = socket.socketpair()
        self._wake_receiver.setblocking(False)
        self._wake_sender.setblocking(False)  # the sending thread may hold a lock that the server thread waits for
        self._selector.register(self._wake_receiver, selectors.EVENT_READ, self._empty_outbox)
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._work, name="paddock-emulators", daemon=True)

    def start(self) -> None:
        """Start the server thread."""
        self._thread.start()

    def close(self) -> None:
        """Stop the server and remove its devices and ports."""
        if self._stopped.is_set():
            return
        self._stopped.set()
        if self._thread.is_alive():
            self._wake()
            self._thread.join()
        self._release()

    def send(self, name: str, data: bytes) -> None:
        """Send unrequested data of a robot at a serial device. May be called from any thread."""
        self._outbox.append((self._serial[name], data))
        self._wake()

    def _wake(self) -> None:
        with contextlib.suppress(OSError):  # the server was closed, or the socket is full and wakes it anyway
            self._wake_sender.send(b"!")

    @property
    def connected(self) -> set[str]:
        """Robots whose serial device is opened by a client, as far as this can be detected."""
        return {name for name, client in self._serial.items() if not (client.closed or client.absent)}

    # ---- setup

    def open_serial(self, name: str, firmware: Firmware, *, greet_every_client: bool = False) -> None:
        """Create a serial device for a robot, a pseudo terminal.

        Args:
            name: name of the robot.
            firmware: firmware that answers.
            greet_every_client: send the greeting to every client that opens the device, as over radio; else send it
                once, as a robot that is switched on.
        """
        if name in self.devices:
            raise LinkError(f"robot {name!r} already has a serial device")
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
        self.devices[name] = os.ttyname(theirs)
        if greet_every_client:
            os.close(theirs)  # so that the server can detect whether a client has it open
            client = EmulatorClient(self._selector, _Terminal(ours), firmware)
            client.await_next()
        else:
            # The client's end stays open here, too, so that clients can disconnect and reconnect.
            client = EmulatorClient(self._selector, _Terminal(ours, theirs), firmware)
            client.send(firmware.welcome())
        self._clients.append(client)
        self._serial[name] = client

    def listen(self, name: str, firmware: StreamingFirmware, host: str, port: int) -> None:
        """Serve a robot at a TCP port; 0 for any free port. It has one client at a time, the newest."""
        listener = self._open_port(name, host, port)
        newest: list[EmulatorClient] = []

        def accept() -> None:
            accepted = _accept(listener)
            for old in newest:
                old.close()
            newest[:] = [EmulatorClient(self._selector, accepted, firmware, firmware.disconnect)]
            self._clients[:] = [client for client in self._clients if not client.closed] + newest
            if not firmware.kind:
                self._streaming[newest[0]] = firmware

        self._selector.register(listener, selectors.EVENT_READ, accept)

    def listen_each(
        self, name: str, make_firmware: Callable[[Callable[[bytes], None]], GuestFirmware], host: str, port: int
    ) -> None:
        """Create a firmware for every client of a TCP port. It can also send unrequested data, from any thread."""
        listener = self._open_port(name, host, port)

        def accept() -> None:
            accepted = _accept(listener)
            if not self._make_room():
                accepted.close()
                return
            clients: list[EmulatorClient] = []

            def send(data: bytes) -> None:
                if clients:
                    self._outbox.append((clients[0], data))
                    self._wake()

            firmware = make_firmware(send)
            clients.append(EmulatorClient(self._selector, accepted, firmware, firmware.disconnect))
            self._clients[:] = [client for client in self._clients if not client.closed] + clients
            self._guests[clients[0]] = firmware, time.monotonic()
            clients[0].send_unrequested(firmware.welcome())

        self._selector.register(listener, selectors.EVENT_READ, accept)

    def _make_room(self) -> bool:
        """Return whether another guest may connect; if there are many, in place of the oldest silent one."""
        self._forget_lost_guests()
        if len(self._guests) < MAX_CONNECTIONS:
            return True
        silent = next((client for client, (firmware, _) in self._guests.items() if firmware.silent), None)
        if silent is None:
            log.warning("there are %d clients already", MAX_CONNECTIONS)
            return False
        silent.close()
        return True

    def _forget_lost_guests(self) -> None:
        self._guests = {client: guest for client, guest in self._guests.items() if not client.closed}

    def _disconnect_silent_guests(self) -> float | None:
        """Disconnect guests that have requested nothing for long; return the seconds until the next one is due."""
        self._forget_lost_guests()
        now, due = time.monotonic(), None
        for client, (firmware, began) in self._guests.items():
            if firmware.silent:
                left = began + FIRST_REQUEST - now
                if left <= 0:
                    client.close()
                else:
                    due = left if due is None else min(due, left)
        return due

    def _open_port(self, name: str, host: str, port: int) -> socket.socket:
        listener = open_port(f"robot {name!r}", host, port)
        self.addresses[name] = (host, listener.getsockname()[1])
        return listener

    # ---- serving

    def _work(self) -> None:
        unasked_at = 0.0
        while not self._stopped.is_set():
            absent = [client for client in self._serial.values() if client.absent]
            looks = [POLL_PERIOD] * bool(absent) + [max(0.0, unasked_at - time.monotonic())] * bool(self._streaming)
            silent = self._disconnect_silent_guests()
            looks += [] if silent is None else [silent]
            for key, _ in self._selector.select(min(looks, default=None)):
                try:
                    key.data()
                except OSError as error:
                    log.debug("a client of an emulator was lost: %s", error)
            for client in absent:
                client.look_for_next()
            if time.monotonic() >= unasked_at:
                unasked_at = time.monotonic() + UNREQUESTED_PERIOD
                self._send_unrequested()

    def _send_unrequested(self) -> None:
        """Send periodic packets to all clients that read them."""
        for client, firmware in list(self._streaming.items()):
            if client.closed:
                del self._streaming[client]
            elif client.reads:
                try:
                    client.send_unrequested(firmware.pack_unrequested())
                except Exception as error:  # the robot was removed
                    log.warning("an emulator ends: %s", error)
                    client.close()

    def _empty_outbox(self) -> None:
        self._wake_receiver.recv(4096)
        while self._outbox:
            client, data = self._outbox.popleft()
            client.send_unrequested(data)

    def _release(self) -> None:
        for client in self._clients:
            client.close()
        for key in list(self._selector.get_map().values()):
            if isinstance(key.fileobj, socket.socket):
                key.fileobj.close()
        self._selector.close()
        self._wake_sender.close()


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
        self.absent = False  # whether no client has the device open
        selector.register(stream.file, selectors.EVENT_READ, self._work)

    @property
    def reads(self) -> bool:
        """Whether the client has read all sent data."""
        return not self._unsent

    def send(self, data: bytes) -> None:
        """Send as much as the stream accepts now, and the rest later."""
        self._unsent += data
        while self._unsent:
            try:
                del self._unsent[: self._stream.write(bytes(self._unsent[:CHUNK]))]
            except BlockingIOError:
                break
        # Unrequested data alone never pause reading: a program that only sends commands is obeyed.
        events = selectors.EVENT_READ if len(self._unsent) < MOST_UNREAD else 0
        events |= selectors.EVENT_WRITE if self._unsent else 0
        self._selector.modify(self._stream.file, events, self._work)

    def send_unrequested(self, data: bytes) -> None:
        """Send unrequested data, unless the client is disconnected or too slow."""
        if not (self.closed or self.absent) and len(self._unsent) < LONGEST_BACKLOG:
            try:
                self.send(data)
            except OSError:
                self._end()

    def _work(self) -> None:
        if self.closed or self.absent:
            return
        try:
            if self._unsent:
                self.send(b"")
            if len(self._unsent) >= MOST_UNREAD:
                return
            if data := self._stream.read():
                self.send(self._firmware.receive(data))
            else:
                self._end()
        except BlockingIOError:
            pass
        except OSError:
            self._end()
        except Exception as error:  # the robot was removed, or the firmware failed: end only this client
            log.warning("an emulator ends: %s", error)
            self.close()

    def _end(self) -> None:
        """Handle the disconnection of the client."""
        if isinstance(self._stream, _Terminal):
            self.await_next()
        else:
            self.close()

    def await_next(self) -> None:
        """Stop sending until a client opens the device."""
        self.absent = True
        self._unsent.clear()
        self._selector.unregister(self._stream.file)

    def look_for_next(self) -> None:
        """Check whether a client has opened the device, and send it the greeting."""
        try:
            data = self._stream.read()
            if not data:
                return
        except BlockingIOError:  # it is open, and nothing was received yet
            data = b""
        except OSError:
            return
        self.absent = False
        self._selector.register(self._stream.file, selectors.EVENT_READ, self._work)
        self.send_unrequested(self._firmware.welcome() + self._firmware.receive(data))

    def close(self) -> None:
        if not self.closed:
            self.closed = True
            if not self.absent:
                self._selector.unregister(self._stream.file)
            self._stream.close()
            if self._on_end is not None:
                with contextlib.suppress(Exception):  # the robot may have been removed already
                    self._on_end()


class _Terminal:
    def __init__(self, ours: int, *theirs: int) -> None:
        self.file, self._theirs = ours, theirs

    def read(self) -> bytes:
        return os.read(self.file, CHUNK)

    def write(self, data: bytes) -> int:
        return os.write(self.file, data)

    def close(self) -> None:
        for file in (self.file, *self._theirs):
            os.close(file)


class _Socket:
    def __init__(self, file: socket.socket) -> None:
        self.file = file

    def read(self) -> bytes:
        return self.file.recv(CHUNK)

    def write(self, data: bytes) -> int:
        return self.file.send(data)

    def close(self) -> None:
        self.file.close()


def _accept(listener: socket.socket) -> _Socket:
    accepted, _ = listener.accept()
    accepted.setblocking(False)
    accepted.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    accepted.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    return _Socket(accepted)
