"""Wire: a WebSocket client on a plain socket. The calling thread reads and writes itself: no hand-over, no hang."""

from __future__ import annotations

import logging
import socket
import ssl
import threading
import time
from urllib.parse import parse_qs, urlsplit

from websockets.client import ClientProtocol
from websockets.exceptions import InvalidHandshake, InvalidURI
from websockets.frames import Frame, Opcode
from websockets.protocol import State
from websockets.uri import parse_uri

from paddock.core.errors import LinkError, Refused, Timeout
from paddock.protocol import Message, decode, encode
from paddock.protocol.messages import ANSWERS

MOST_BYTES = 256 * 1024 * 1024  # of a message; scenes and pictures may be large
CHUNK = 1 << 16
quiet = logging.getLogger("paddock.links.websockets")
quiet.setLevel(logging.CRITICAL)


class Wire:
    """A connection that is open, or lost for good."""

    def __init__(self, url: str, timeout: float) -> None:
        self.url, self.timeout = url, timeout
        parts = urlsplit(url)
        try:
            self._protocol = ClientProtocol(parse_uri(url), max_size=MOST_BYTES, logger=quiet)
            address = (parts.hostname or "", parts.port or (443 if parts.scheme == "wss" else 80))
        except (InvalidURI, ValueError) as error:
            raise LinkError(f"{url}: not a usable address: {error}") from None
        self._writing = threading.Lock()
        self._parts: list[bytes] = []
        self._text = False
        self._lost = ""
        try:
            self._socket = socket.create_connection(address, timeout=timeout)
            if parts.scheme == "wss":
                self._socket = ssl.create_default_context().wrap_socket(self._socket, server_hostname=parts.hostname)
        except OSError as error:
            raise LinkError(f"{url}: cannot connect: {error.strerror or error}; is the server running?") from None
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._shake_hands()

    def _shake_hands(self) -> None:
        deadline = time.monotonic() + self.timeout
        try:
            self._protocol.send_request(self._protocol.connect())
            self._flush()
            while self._protocol.state is State.CONNECTING:
                self._read(deadline)
                self._protocol.events_received()
                if self._protocol.handshake_exc is not None:
                    raise self._protocol.handshake_exc
        except InvalidHandshake as error:
            response = getattr(error, "response", None)
            told = response.body.decode(errors="replace").strip() if response is not None and response.body else error
            self.close()
            raise Refused(f"{self.url}: {told}") from None
        except LinkError:
            self.close()
            raise

    def send(self, message: Message) -> None:
        """Send a message now."""
        data = encode(message)
        with self._writing:
            self._check_alive()
            self._protocol.send_binary(data)
            self._flush()

    def receive(self, deadline: float) -> list[Message]:
        """Wait for bytes until the deadline (monotonic), and give the messages in them, if any."""
        self._check_alive()
        self._read(deadline)
        messages = []
        for event in self._protocol.events_received():
            if isinstance(event, Frame) and event.opcode in (Opcode.TEXT, Opcode.BINARY, Opcode.CONT):
                if event.opcode is not Opcode.CONT:
                    self._text = event.opcode is Opcode.TEXT
                self._parts.append(bytes(event.data))
                if event.fin:
                    data, self._parts = b"".join(self._parts), []
                    messages.append(decode(data.decode() if self._text else data, ANSWERS))
        with self._writing:
            if self._protocol.state is not State.CONNECTING:
                self._flush()  # pongs
        return messages

    def _read(self, deadline: float) -> None:
        self._socket.settimeout(max(0.001, deadline - time.monotonic()))
        try:
            data = self._socket.recv(CHUNK)
        except TimeoutError:
            raise Timeout(f"{self.url}: no sign of life within {self.timeout:g} s") from None
        except OSError as error:
            raise self._gone(error.strerror or str(error)) from None
        if data:
            self._protocol.receive_data(data)
            return
        self._protocol.receive_eof()
        reason = self._protocol.close_reason
        raise self._gone(reason or "the server closed it")

    def _flush(self) -> None:
        try:
            self._socket.settimeout(self.timeout)
            for data in self._protocol.data_to_send():
                if data:
                    self._socket.sendall(data)
        except TimeoutError:
            raise self._gone("the server does not read") from None
        except OSError as error:
            raise self._gone(error.strerror or str(error)) from None

    def _gone(self, reason: str) -> LinkError:
        self._lost = self._lost or f"{self.url}: the connection was lost: {reason}"
        self._socket.close()
        return LinkError(f"{self._lost} (arena.reconnect() tries again)")

    def _check_alive(self) -> None:
        if self._lost:
            raise LinkError(f"{self._lost} (arena.reconnect() tries again)")

    def close(self) -> None:
        """Say goodbye, if anyone listens."""
        if not self._lost:
            self._lost = f"{self.url}: the connection was closed"
            with self._writing:
                try:
                    if self._protocol.state is State.OPEN:
                        self._protocol.send_close(1000)
                        self._socket.settimeout(1.0)
                        for data in self._protocol.data_to_send():
                            self._socket.sendall(data)
                except OSError:
                    pass
            self._socket.close()


def address_of(url: str) -> tuple[str, str]:
    """The WebSocket's address and the token in a URL or a join link."""
    try:
        parts = urlsplit(url)
        scheme = {"http": "ws", "https": "wss"}.get(parts.scheme, parts.scheme)
        token = parse_qs(parts.fragment).get("token", [""])[0]
        if not parts.hostname:
            raise ValueError("it names no host")
        netloc = parts.netloc if parts.port else f"{parts.netloc}:8642" if scheme == "ws" else parts.netloc
    except ValueError as error:
        raise LinkError(f"connect: {url!r} is not a usable address: {error}") from None
    path = parts.path if parts.path not in ("", "/") else "/ws"
    return f"{scheme}://{netloc}{path}", token
