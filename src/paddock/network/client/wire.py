"""WebSocketWire: a WebSocket client without background threads. The calling thread reads and writes the socket."""

from __future__ import annotations

import contextlib
import logging
import math
import os
import select
import selectors
import socket
import ssl
import sys
import threading
import time
from collections.abc import Callable
from typing import Any, NoReturn
from urllib.parse import parse_qs, urlsplit

from websockets.client import ClientProtocol
from websockets.exceptions import InvalidHandshake, InvalidStatus, InvalidURI
from websockets.frames import Frame, Opcode
from websockets.protocol import State
from websockets.uri import parse_uri

from paddock.core.errors import BadMessage, LinkError, Refused, Timeout
from paddock.core.files import TOKEN_VARIABLE, read_secret
from paddock.core.provenance import available_threads
from paddock.network.protocol import Message, MessageDecoder
from paddock.network.protocol.encoding import MessageReader, UnknownMessage, masked_frame, to_msgpack
from paddock.network.protocol.messages import ANSWERS

MAX_BYTES = 256 * 1024 * 1024  # maximum size of a message; scenes and pictures may be large
CHUNK = 1 << 16
SPIN_TIME = 0.0002  # [s] of busy waiting for an answer before the thread sleeps, if the server answers this quickly
SPIN_AFTER = 20  # quick answers in a row before busy waiting is used, also after it was unsuccessful
NOT_NOW = (BlockingIOError, ssl.SSLWantReadError, ssl.SSLWantWriteError)
quiet = logging.getLogger("paddock.links.websockets")
quiet.setLevel(logging.CRITICAL)
Waiting: Any = getattr(selectors, "PollSelector", selectors.SelectSelector)
decode = MessageDecoder(ANSWERS).decode


class WebSocketWire:
    """A connection that is open or permanently lost. Any thread may send; one thread at a time may receive."""

    def __init__(self, url: str, timeout: float) -> None:
        self.url, self.timeout = url, timeout
        self._writing = threading.Lock()
        self._pongs: list[bytes] = []
        self._until_spin = (
            SPIN_AFTER if available_threads() > 1 else sys.maxsize
        )  # quick answers still needed before busy waiting is used
        self.newer = False  # whether the server's minor version is newer than this client's
        self._lost: LinkError | None = None
        try:
            self._protocol = ClientProtocol(parse_uri(url), max_size=MAX_BYTES, logger=quiet)
            self._reader = MessageReader(self._protocol, masked=False, limit=MAX_BYTES)
            self._socket = self._open_socket()
        except OSError as error:  # first, because an invalid certificate is also a ValueError
            raise LinkError(f"{url}: cannot connect: {error.strerror or error}; is the server running?") from None
        except (InvalidURI, ValueError) as error:
            raise LinkError(f"{url}: not a usable address: {error}") from None
        self._secure = isinstance(self._socket, ssl.SSLSocket)
        self._recv: Callable[[int], bytes] = self._socket.recv
        self._send: Callable[[Any], int] = self._socket.send
        if self._secure:  # OpenSSL objects must not be read and written concurrently; plain sockets may
            turn = threading.Lock()
            self._recv, self._send = take_turns(turn, self._recv), take_turns(turn, self._send)
        self._socket.setblocking(False)
        self._wait_readable = waiting_for(self._socket)
        try:
            self._handshake()
        except BaseException:
            self.close()
            raise

    def _open_socket(self) -> socket.socket:
        parts = urlsplit(self.url)
        address = (parts.hostname or "", parts.port or (443 if parts.scheme == "wss" else 80))
        plain = socket.create_connection(address, timeout=self.timeout)
        plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if parts.scheme != "wss":
            return plain
        try:
            return ssl.create_default_context().wrap_socket(plain, server_hostname=parts.hostname)
        except BaseException:
            plain.close()
            raise

    def _handshake(self) -> None:
        deadline = time.monotonic() + self.timeout
        protocol = self._protocol
        protocol.send_request(protocol.connect())
        self._write(b"".join(protocol.data_to_send()))
        while protocol.state is State.CONNECTING:
            self._shake(deadline)
            error = protocol.handshake_exc
            if isinstance(error, InvalidStatus):
                reason = (error.response.body or b"").decode(errors="replace").strip()
                raise Refused(f"{self.url}: {reason or error}")
            if isinstance(error, InvalidHandshake):
                raise BadMessage(f"{self.url}: this is not a Paddock server: {error}")
            if error is not None:
                raise self._lose(str(error))

    def _shake(self, deadline: float) -> None:
        """Read the server's handshake byte by byte, because messages follow it directly."""
        self._await_bytes(deadline)
        try:
            data = self._recv(1)
        except NOT_NOW:
            return
        except OSError as error:
            raise LinkError(f"{self.url}: no handshake: {error.strerror or error}; is this a Paddock server?") from None
        if data:
            self._protocol.receive_data(data)
        else:
            self._protocol.receive_eof()

    @property
    def connected(self) -> bool:
        """Whether the connection has neither been lost nor closed."""
        return self._lost is None

    def send(self, message: Message) -> None:
        """Send a message now."""
        try:
            data = masked_frame(to_msgpack(message))
        except (TypeError, OverflowError) as error:  # an argument of a call is no number or text, or is too large
            raise BadMessage(f"{message.type}: {error}") from None
        with self._writing:
            if self._lost is not None:
                self._raise_lost()
            self._write(data)

    def receive(self, deadline: float) -> list[Message]:
        """Wait for bytes until the deadline (monotonic) and return the complete messages, if any."""
        if self._lost is not None:
            self._raise_lost()
        self._await_bytes(deadline)
        try:
            data = self._recv(CHUNK)
            if not data:
                self._protocol.receive_eof()
                raise self._lose("the server closed it")
            messages = self._decode_all(self._reader.feed(data))
            if self._reader.has_replies:
                self._notice_control()
        except NOT_NOW:
            return []
        except BadMessage as error:
            raise self._lose(f"invalid data from the server: {error}", BadMessage) from None
        except OSError as error:
            raise self._lose(error.strerror or str(error)) from None
        except LinkError:
            raise
        except BaseException:
            self._lose("reading was interrupted")  # the position in the stream is unknown
            raise
        if self._pongs:
            self._send_pongs()
        return messages

    def _decode_all(self, payloads: list[tuple[bool, bytes]]) -> list[Message]:
        messages = []
        for text, payload in payloads:
            try:
                messages.append(decode(_text(payload) if text else payload, newer=self.newer))
            except UnknownMessage:
                if not self.newer:
                    raise
        return messages

    def _await_bytes(self, deadline: float) -> None:
        if self._protocol.close_rcvd is not None:
            raise self._lose(self._protocol.close_rcvd.reason or "the server closed it")
        if not (self._secure and self._socket.pending()):  # type: ignore[attr-defined]
            now = time.monotonic()
            if not self._until_spin and self._look_until(min(now + SPIN_TIME, deadline)):
                return
            wait = None if deadline == float("inf") else max(0.0, deadline - now)
            if not self._wait_readable(wait):
                raise Timeout(f"{self.url}: nothing received within {self.timeout:g} s")
            if time.monotonic() - now < SPIN_TIME:
                self._until_spin = max(0, self._until_spin - 1)
            else:
                self._until_spin = SPIN_AFTER

    def _look_until(self, end: float) -> bool:
        """Wait for bytes without sleeping, because waking up takes longer than a quick server."""
        while not self._wait_readable(0.0):
            if time.monotonic() > end:
                return False
        return True

    def _notice_control(self) -> None:
        """Handle a ping, a close, or a violation of the WebSocket protocol."""
        self._reader.has_replies = False
        self._pongs += [data for data in self._protocol.data_to_send() if data]
        if self._protocol.close_sent is not None and self._protocol.close_rcvd is None:  # the protocol has given up
            raise BadMessage(str(self._protocol.parser_exc or self._protocol.close_sent.reason))

    def _send_pongs(self) -> None:
        if self._writing.acquire(blocking=False):  # else a later call sends them, so that reading never blocks
            try:
                pongs, self._pongs = self._pongs, []
                self._write(b"".join(pongs))
            finally:
                self._writing.release()

    def _write(self, data: bytes) -> None:
        sent = 0
        try:
            while sent < len(data):
                try:
                    sent += self._send(memoryview(data)[sent:] if sent else data)
                except NOT_NOW:
                    self._wait_for_room()
        except OSError as error:
            raise self._lose(error.strerror or str(error)) from None
        except BaseException:
            if 0 < sent < len(data):  # the stream cannot continue after part of a message
                self._lose("writing was interrupted")
            raise

    def _wait_for_room(self) -> None:
        with Waiting() as writable:
            writable.register(self._socket, selectors.EVENT_WRITE)
            if not writable.select(self.timeout):
                raise self._lose("the server does not read")

    def _lose(self, reason: str, error: type[LinkError] = LinkError) -> LinkError:
        """Mark the connection as lost, and wake the threads that wait for it."""
        if self._lost is None:
            self._lost = error(f"{self.url}: the connection was lost: {reason} (arena.reconnect() tries again)")
            self._end()
        return self._lost

    def _raise_lost(self) -> NoReturn:
        raise type(self._lost)(str(self._lost))  # type: ignore[misc]

    def close(self) -> None:
        """Send a close frame if the connection is open, and close the socket."""
        if self._lost is None:
            self._lost = LinkError(f"{self.url}: the connection was closed (arena.reconnect() opens it again)")
            if self._writing.acquire(timeout=1.0):
                try:
                    with contextlib.suppress(*NOT_NOW, OSError):
                        self._send(Frame(Opcode.CLOSE, b"\x03\xe8").serialize(mask=True))  # 1000: normal closure
                finally:
                    self._writing.release()
            self._end()
        self._socket.close()

    def _end(self) -> None:
        """Shut down the stream. The socket stays open until `close`, because other threads may wait for it."""
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)


def waiting_for(connection: socket.socket) -> Callable[[float | None], object]:
    """Return a function that waits for bytes for some seconds. Its result is true if bytes are available."""
    if hasattr(select, "poll"):
        poll = select.poll()
        poll.register(connection, select.POLLIN)
        return lambda seconds: poll.poll(None if seconds is None else math.ceil(1000 * seconds))
    return lambda seconds: select.select([connection], [], [], seconds)[0]


def take_turns(turn: threading.Lock, function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Return a function that acquires a lock around each call."""

    def call(argument: Any) -> Any:
        with turn:
            return function(argument)

    return call


def _text(data: bytes) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError:
        raise BadMessage("not valid JSON: expected UTF-8") from None


def parse_address(url: str) -> tuple[str, str]:
    """Return the WebSocket address and the token of a URL or a join link."""
    try:
        parts = urlsplit(url)
        scheme = {"http": "ws", "https": "wss"}.get(parts.scheme, parts.scheme)
        token = parse_qs(parts.fragment).get("token", [""])[0]
        if not parts.hostname:
            raise ValueError("it names no host; it begins with http://, as in http://192.168.1.20:8642/#token=…")
        netloc = parts.netloc if parts.port is not None or scheme != "ws" else f"{parts.netloc}:8642"
    except ValueError as error:
        raise LinkError(f"connect: {url!r} is not a usable address: {error}") from None
    path = parts.path if parts.path not in ("", "/") else "/ws"
    return f"{scheme}://{netloc}{path}", token


def choose_token(token: str) -> str:
    """Return a token: as given, from the file `@FILE`, or without one from the environment variable PADDOCK_TOKEN."""
    return read_secret(token or os.environ.get(TOKEN_VARIABLE, ""))
