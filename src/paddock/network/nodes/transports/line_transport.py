"""Lines of JSON over TCP, the wire format of AP2DX: it connects modules in any language to the bus.

The first line of a connection is `HELLO!!!` with the module's name. A module that sends a protocol version receives all
fields of messages. Any other is treated as a module of AP2DX and receives only the fields of that project.
"""

from __future__ import annotations

import math
import socket
import threading
import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import chain
from typing import Any

import msgspec

from paddock.core.closing import Closing
from paddock.core.errors import BadMessage, LinkError, PaddockWarning
from paddock.network.nodes.bus import (
    LONGEST_LINE,
    PROTOCOL,
    Bus,
    Post,
    decode_message,
    encode_message,
    encode_original,
    open_bus,
    split_address,
)
from paddock.network.nodes.node_messages import (
    EVERYONE,
    MAX_CHARACTERS,
    REPLAY,
    ActionMessage,
    ClearMessage,
    HelloMessage,
    ModuleMessage,
    PresenceMessage,
    RefusedMessage,
    ResetMessage,
    ResumeMessage,
    StopMessage,
)

HELLO_TIME = 5.0  # [s] for the first line
MAX_PEERS = 64
RETRY = 0.2  # [s] between two attempts to connect to a server
POLL = 0.1  # [s] after which a thread checks whether it must end


class LineServer(Closing):
    """Serves a bus over TCP to modules that use lines of JSON.

    Args:
        url: URL of the bus.
        host: address to listen on. Any client that can connect may drive the robot.
        port: port to listen on; 0 for any free port.
    """

    def __init__(self, url: str, host: str = "127.0.0.1", port: int = 0) -> None:
        self.url, self._closed = url, threading.Event()
        self._peers: dict[str, LinePeer] = {}
        self._lock = threading.Lock()
        try:
            self._socket = socket.create_server((host, port))
        except OSError as error:
            raise LinkError(f"lines: cannot listen on {host}:{port}: {error.strerror}") from None
        self.port: int = self._socket.getsockname()[1]
        self._thread = threading.Thread(target=self._accept, name="line server", daemon=True)
        self._thread.start()

    def _accept(self) -> None:
        while not self._closed.is_set():
            try:
                connection, _ = self._socket.accept()
            except OSError:  # the socket is closed, or there are too many open files
                self._closed.wait(RETRY)
                continue
            threading.Thread(target=self._serve, args=(connection,), name="line peer", daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        with connection, suppress(OSError, LinkError):
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            connection.settimeout(HELLO_TIME)
            batches = read_batches(connection)
            first, *rest = next(batches, [b""])
            name = EVERYONE
            try:
                hello = read_hello(first)
                name = hello.source
                if len(self._peers) >= MAX_PEERS or self._closed.is_set():
                    raise LinkError(f"expected at most {MAX_PEERS} modules")
                connection.settimeout(None)
                peer = self._welcome(connection, hello)
            except LinkError as error:
                send_refusal(connection, name, str(error))
                return
            try:
                peer.read(chain([rest], batches))
            finally:
                self._dismiss(peer)

    def _welcome(self, connection: socket.socket, hello: HelloMessage) -> LinePeer:
        """Join the bus under the name of a module; a new connection with this name closes the previous one."""
        with self._lock:
            former = self._peers.pop(hello.source, None)
            if former is not None:
                with suppress(OSError):
                    reason = f"another module with the name {hello.source} replaces this connection"
                    send_refusal(former.connection, hello.source, reason, socket.MSG_DONTWAIT)
                former.close()
            bus = open_bus(
                self.url, hello.source, hears=hello.hears, lossless=hello.lossless, everything=hello.everything
            )
            peer = self._peers[hello.source] = LinePeer(connection, hello, bus)
        return peer

    def _dismiss(self, peer: LinePeer) -> None:
        with self._lock:
            if self._peers.get(peer.hello.source) is peer:
                del self._peers[peer.hello.source]
        peer.close()

    def close(self) -> None:
        """Close all connections."""
        self._closed.set()
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()
        for peer in list(self._peers.values()):
            self._dismiss(peer)


class LinePeer:
    """A module connected by TCP, with its connection to the bus."""

    def __init__(self, connection: socket.socket, hello: HelloMessage, bus: Bus) -> None:
        self.connection, self.hello, self.bus = connection, hello, bus
        self._closed = threading.Event()
        self._time = 0.0  # of the newest message sent to the module [s]
        self._epoch = 0  # of the last stop sent to the module
        if hello.protocol:
            answer = HelloMessage(source="GATE", destination=hello.source, protocol=PROTOCOL)
            connection.sendall(encode_message(answer) + b"\n")
        threading.Thread(target=self._forward, name=f"to {hello.source}", daemon=True).start()

    def read(self, batches: Iterable[list[bytes]]) -> None:
        """Forward the module's messages to the bus until the connection ends; skip and count invalid lines."""
        for lines in batches:
            posts: list[Post] = []
            for line in lines:
                try:
                    message = decode_message(line)
                except BadMessage:
                    self.bus.inbox.refused += 1
                    continue
                if self.hello.protocol and self.hello.source in (message.source, REPLAY):
                    posts.append((message, line))
                else:
                    self.bus.send(self._number(message))
            self.bus.carry(posts)

    def _number(self, message: ModuleMessage) -> ModuleMessage:
        """Add the epoch of the last stop, because messages of AP2DX's modules have no epochs."""
        if isinstance(message, ActionMessage | ResetMessage | ClearMessage) and not message.epoch:
            return msgspec.structs.replace(message, epoch=self._epoch, time=self._time)
        return message

    def _forward(self) -> None:
        with suppress(OSError):
            while not self._closed.is_set():
                if lines := [line for post in self.bus.inbox.get_all(POLL) if (line := self._write(post))]:
                    self.connection.sendall(b"\n".join(lines) + b"\n")

    def _write(self, post: Post) -> bytes:
        """Return the line for the module; empty if its protocol has no such message."""
        message, line = post
        self._time = max(self._time, message.time)
        if isinstance(message, StopMessage):
            self._epoch = message.epoch
        if self.hello.protocol:
            return line
        if isinstance(message, PresenceMessage | ResumeMessage):
            return b""
        if message.destination == EVERYONE:
            message = msgspec.structs.replace(message, destination=self.hello.source)
        return encode_original(message)

    def close(self) -> None:
        """Close the connection."""
        self._closed.set()
        self.bus.close()
        with suppress(OSError):
            self.connection.shutdown(socket.SHUT_RDWR)


class LineBus(Bus):
    """A client of a line server, for a module in Python. It retries until the server answers, and reconnects."""

    def __init__(self, url: str, name: str, **options: Any) -> None:
        super().__init__(url, name, **options)
        self._address = split_address(url)
        self._closed, self._ready = threading.Event(), threading.Event()
        self._socket: socket.socket | None = None
        self._lock = threading.Lock()
        self._thread = threading.Thread(target=self._run, name=f"lines of {name}", daemon=True)
        self._thread.start()
        if not self._ready.wait(min(HELLO_TIME, self.timeout)):
            if math.isfinite(self.timeout):
                self.close()
                raise LinkError(f"{url}: no answer: are the modules running there?")
            warnings.warn(f"{url}: no answer yet; {name} waits", PaddockWarning, stacklevel=2)
            self._ready.wait()

    def _run(self) -> None:
        while not self._closed.is_set():
            present: set[str] = set()
            with suppress(OSError), socket.create_connection(self._address, timeout=HELLO_TIME) as connection:
                connection.settimeout(None)
                connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                hears = None if self.hears is None else sorted(self.hears)
                hello = HelloMessage(
                    source=self.name,
                    both_ways=True,
                    protocol=PROTOCOL,
                    hears=hears,
                    lossless=self.lossless,
                    everything=self.everything,
                )
                connection.sendall(encode_message(hello) + b"\n")
                for lines in read_batches(connection):
                    self._take(lines, connection, present)
            self._socket = None
            for name in present:
                self.note_presence(name, False)
            self._closed.wait(RETRY)

    def _take(self, lines: list[bytes], connection: socket.socket, present: set[str]) -> None:
        posts: list[Post] = []
        for line in lines:
            try:
                message = decode_message(line)
            except BadMessage:
                self.inbox.refused += 1
                continue
            if isinstance(message, HelloMessage):
                self._socket = connection
                self._ready.set()
                continue
            if isinstance(message, RefusedMessage) and message.source == "GATE":
                warnings.warn(f"{self.url}: {message.reason}; {self.name} tries again", PaddockWarning, stacklevel=2)
                continue
            if isinstance(message, PresenceMessage):
                (present.add if message.present else present.discard)(message.source)
            posts.append((message, line))
        self.inbox.put(posts)

    def carry(self, posts: Sequence[Post]) -> None:
        """Send lines; without a connection to the server they are lost."""
        connection = self._socket
        if connection is not None:
            with self._lock, suppress(OSError):
                connection.sendall(b"".join(line + b"\n" for _, line in posts))

    def close(self) -> None:
        """Disconnect from the server."""
        self._closed.set()
        connection = self._socket
        if connection is not None:
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
        self._thread.join(1.0)


def read_hello(line: bytes) -> HelloMessage:
    """Return the first message of a connection, or raise a LinkError."""
    message = decode_message(line)
    if not isinstance(message, HelloMessage):
        raise LinkError("expected HELLO!!! as the first message")
    return message


def send_refusal(connection: socket.socket, name: str, reason: str, flags: int = 0) -> None:
    """Send a module the reason why its connection ends."""
    refusal = RefusedMessage(source="GATE", destination=name, reason=reason[:MAX_CHARACTERS])
    connection.send(encode_message(refusal) + b"\n", flags)


def read_batches(connection: socket.socket) -> Iterator[list[bytes]]:
    """Yield the lines of a connection in batches as they arrive, without line ends.

    A line that is too long ends the iteration. An incomplete last line is dropped.
    """
    rest = b""
    while len(rest) <= LONGEST_LINE:
        try:
            got = connection.recv(65536)
        except OSError:
            return
        if not got:
            return
        *lines, rest = (rest + got).split(b"\n")
        if lines:
            yield [line.rstrip(b"\r") for line in lines]
