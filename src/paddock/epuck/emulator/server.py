"""EmulatorServer: emulated e-pucks behind serial devices and TCP ports."""

from __future__ import annotations

import contextlib
import errno
import logging
import os
import selectors
import socket
import threading
import time
from collections import deque
from collections.abc import Callable
from typing import Protocol

from paddock.core.errors import LinkError
from paddock.epuck.emulator.wifi_firmware import UNASKED, WifiFirmware

CHUNK = 1 << 12  # bytes of input that are answered at once
LONGEST_BACKLOG = 1 << 18  # bytes that wait for a slow reader; beyond that nothing is said unasked
KNOCKS = 0.02  # [s] between two looks whether a client has opened a device that nobody had open
log = logging.getLogger("paddock.epuck")


class Firmware(Protocol):
    """A robot that answers bytes with bytes."""

    def welcome(self) -> bytes: ...
    def receive(self, data: bytes) -> bytes: ...


class Guest(Firmware, Protocol):
    """A robot that is told when its client has gone."""

    def hang_up(self) -> None: ...


class EmulatorServer:
    """Serves several robots in one thread of its own. Serial devices and ports last until it is closed."""

    def __init__(self) -> None:
        self.devices: dict[str, str] = {}  # the serial device's path by robot
        self.addresses: dict[str, tuple[str, int]] = {}  # host and port by robot
        self._clients: list[EmulatorClient] = []
        self._serial: dict[str, EmulatorClient] = {}
        self._talkative: dict[EmulatorClient, WifiFirmware] = {}  # clients that are told things unasked
        self._outbox: deque[tuple[EmulatorClient, bytes]] = deque()  # what robots say by themselves
        self._selector = selectors.DefaultSelector()
        self._bell, self._button = socket.socketpair()
        self._bell.setblocking(False)
        self._button.setblocking(False)  # who rings may hold a lock that this thread waits for
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
            self._ring()
            self._thread.join()
        self._release()

    def send(self, name: str, data: bytes) -> None:
        """Something that a robot at a serial device says by itself; from any thread."""
        self._outbox.append((self._serial[name], data))
        self._ring()

    def _ring(self) -> None:
        with contextlib.suppress(OSError):  # it was closed meanwhile; or a full bell rings anyway
            self._button.send(b"!")

    @property
    def connected(self) -> set[str]:
        """Robots whose serial device a client has open, as far as one can tell."""
        return {name for name, client in self._serial.items() if not (client.closed or client.absent)}

    # ---- setting up

    def open_serial(self, name: str, firmware: Firmware, *, greets_all: bool = False) -> None:
        """Put a robot behind a serial device of its own, a pseudo terminal.

        Args:
            name: of the robot.
            firmware: what answers.
            greets_all: greet every client that opens the device, as over a radio; else it is greeted once, as a robot
                that is switched on.
        """
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
        self.devices[name] = os.ttyname(theirs)
        if greets_all:
            os.close(theirs)  # so that one can tell whether a client has it open
            client = EmulatorClient(self._selector, _Terminal(ours), firmware)
            client.await_next()
        else:
            # Their end stays open here too, so that clients may come and go.
            client = EmulatorClient(self._selector, _Terminal(ours, theirs), firmware)
            client.send(firmware.welcome())
        self._clients.append(client)
        self._serial[name] = client

    def listen(self, name: str, firmware: WifiFirmware, host: str, port: int) -> None:
        """Put a robot behind a TCP port; 0 for any that is free. It has one client at a time, the newest."""
        listener = self._open_port(name, host, port)
        newest: list[EmulatorClient] = []

        def accept() -> None:
            accepted, _ = listener.accept()
            accepted.setblocking(False)
            accepted.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            for old in newest:
                old.close()
            newest[:] = [EmulatorClient(self._selector, _Socket(accepted), firmware, firmware.hang_up)]
            self._clients[:] = [client for client in self._clients if not client.closed] + newest
            if not firmware.kind:
                self._talkative[newest[0]] = firmware

        self._selector.register(listener, selectors.EVENT_READ, accept)

    def listen_each(self, name: str, meet: Callable[[Callable[[bytes], None]], Guest], host: str, port: int) -> None:
        """Meet every client of a TCP port with a firmware of its own, which can also speak unasked, from any thread."""
        listener = self._open_port(name, host, port)

        def accept() -> None:
            accepted, _ = listener.accept()
            accepted.setblocking(False)
            accepted.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            accepted.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
            clients: list[EmulatorClient] = []

            def say(data: bytes) -> None:
                if clients:
                    self._outbox.append((clients[0], data))
                    self._ring()

            firmware = meet(say)
            clients.append(EmulatorClient(self._selector, _Socket(accepted), firmware, firmware.hang_up))
            self._clients[:] = [client for client in self._clients if not client.closed] + clients
            clients[0].say(firmware.welcome())

        self._selector.register(listener, selectors.EVENT_READ, accept)

    def _open_port(self, name: str, host: str, port: int) -> socket.socket:
        try:
            listener = socket.create_server((host, port))
        except OSError as error:
            why = "is in use" if error.errno == errno.EADDRINUSE else f"cannot be had: {error.strerror or error}"
            hint = "; ports below 1024 are for administrators" if error.errno == errno.EACCES else ""
            raise LinkError(f"robot {name!r}: port {port} on {host} {why}{hint}; choose another") from None
        listener.setblocking(False)
        self.addresses[name] = (host, listener.getsockname()[1])
        return listener

    # ---- serving

    def _work(self) -> None:
        unasked_at = 0.0
        while not self._stopped.is_set():
            absent = [client for client in self._serial.values() if client.absent]
            looks = [KNOCKS] * bool(absent) + [max(0.0, unasked_at - time.monotonic())] * bool(self._talkative)
            for key, _ in self._selector.select(min(looks, default=None)):
                try:
                    key.data()
                except OSError as error:
                    log.debug("a client of an emulator was lost: %s", error)
            for client in absent:
                client.look_for_next()
            if time.monotonic() >= unasked_at:
                unasked_at = time.monotonic() + UNASKED
                self._tell_unasked()

    def _tell_unasked(self) -> None:
        """Robots that say something from time to time say it, to those who read."""
        for client, firmware in list(self._talkative.items()):
            if client.closed:
                del self._talkative[client]
            elif client.reads:
                try:
                    client.say(firmware.tell_unasked())
                except Exception as error:  # the robot is gone
                    log.warning("an emulator ends: %s", error)
                    client.close()

    def _empty_bell(self) -> None:
        self._bell.recv(4096)
        while self._outbox:
            client, data = self._outbox.popleft()
            client.say(data)

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
        self.absent = False  # nobody has the device open
        selector.register(stream.file, selectors.EVENT_READ, self._work)

    @property
    def reads(self) -> bool:
        """Whether it has taken all that was sent."""
        return not self._unsent

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

    def say(self, data: bytes) -> None:
        """Send something that the client did not ask for; if it is gone, nobody hears it."""
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
            elif data := self._stream.read():
                self.send(self._firmware.receive(data))
            else:
                self._end()
        except BlockingIOError:
            pass
        except OSError:
            self._end()
        except Exception as error:  # the robot is gone, or the firmware fails: this client ends, no other
            log.warning("an emulator ends: %s", error)
            self.close()

    def _end(self) -> None:
        """The client is gone."""
        if isinstance(self._stream, _Terminal):
            self.await_next()
        else:
            self.close()

    def await_next(self) -> None:
        """Nobody has the device open: nothing is sent, until somebody does."""
        self.absent = True
        self._unsent.clear()
        self._selector.unregister(self._stream.file)

    def look_for_next(self) -> None:
        """Whether somebody has opened the device; who has is greeted."""
        try:
            data = self._stream.read()
            if not data:
                return
        except BlockingIOError:  # it is open, and nothing has come yet
            data = b""
        except OSError:
            return
        self.absent = False
        self._selector.register(self._stream.file, selectors.EVENT_READ, self._work)
        self.say(self._firmware.welcome() + self._firmware.receive(data))

    def close(self) -> None:
        if not self.closed:
            self.closed = True
            if not self.absent:
                self._selector.unregister(self._stream.file)
            self._stream.close()
            if self._on_end is not None:
                with contextlib.suppress(Exception):  # the robot may be gone already
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
