"""WebSocketSource: messages of a WebSocket client, for bridges with a protocol over WebSocket."""

from __future__ import annotations

import logging
from collections.abc import Callable

from websockets.datastructures import Headers
from websockets.http11 import Request
from websockets.protocol import State
from websockets.server import ServerProtocol

from paddock.core.errors import BadMessage
from paddock.network.protocol.encoding import MessageReader, frame

MAX_HEAD_BYTES = 32 * 1024  # maximum size of the HTTP request
MAX_BYTES = 1 << 20  # maximum size of a message
END_OF_HEAD = b"\r\n\r\n"
quiet = logging.getLogger("paddock.bridges.websockets")
quiet.setLevel(logging.CRITICAL)


class WebSocketSource:
    """Performs the handshake and splits the stream into messages: whether each is text, and its bytes."""

    def __init__(
        self,
        write: Callable[[bytes], None],
        on_open: Callable[[], object],
        end: Callable[[], object],
        find_problem: Callable[[Headers], str],
    ) -> None:
        """
        Args:
            write: sends bytes.
            on_open: called after the handshake.
            end: closes the connection after sending pending bytes.
            find_problem: returns why a request with these headers is rejected; an empty text if it is accepted.
        """
        self._write, self._on_open, self._end, self._find_problem = write, on_open, end, find_problem
        self._protocol = ServerProtocol(max_size=MAX_BYTES, logger=quiet)
        self._reader = MessageReader(self._protocol, masked=True, limit=MAX_BYTES)
        self._head: bytes | None = b""  # the received part of the HTTP request; None: complete

    def feed(self, data: bytes) -> list[tuple[bool, bytes]]:
        """Add bytes and return the messages that they complete."""
        if self._head is not None:
            data = self._read_head(data)
        messages = self._reader.feed(data) if self._protocol.state is State.OPEN else []
        self._flush()
        if self._head is None and self._protocol.state is not State.OPEN:  # closed, rejected, or protocol error
            self._end()
        return messages

    def send(self, data: bytes, *, text: bool = True) -> None:
        """Send a message."""
        if self._protocol.state is State.OPEN:
            self._write(frame(data, text=text))

    def _read_head(self, data: bytes) -> bytes:
        """Collect the HTTP request and answer it; return the bytes after it."""
        assert self._head is not None
        head, end, rest = (self._head + data).partition(END_OF_HEAD)
        if not end:
            if len(head) > MAX_HEAD_BYTES:
                raise BadMessage("expected the HTTP request of a WebSocket, got a longer one")
            self._head = head
            return b""
        self._head = None
        self._protocol.receive_data(head + end)
        for event in self._protocol.events_received():
            if isinstance(event, Request):
                self._respond(event)
        if self._protocol.state is State.OPEN:
            self._on_open()
        return rest

    def _respond(self, request: Request) -> None:
        problem = self._find_problem(request.headers)
        accept, reject = self._protocol.accept, self._protocol.reject
        self._protocol.send_response(reject(403, f"{problem}\n") if problem else accept(request))

    def _flush(self) -> None:
        for data in self._protocol.data_to_send():
            if data:
                self._write(data)
