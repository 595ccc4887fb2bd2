"""MessageConnection: a client of a bridge whose messages are processed one after the other in the event loop."""

from __future__ import annotations

import asyncio
import socket
import time
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Iterable, Iterator
from typing import ClassVar, Generic, Protocol, TypeVar

from paddock.bridges.common.client_log import get_client_log
from paddock.bridges.common.ports import MAX_CONNECTIONS, SLICE, PortBridge
from paddock.core.errors import BadMessage, PaddockError

DONE = object()

Message = TypeVar("Message")
MessageOut = TypeVar("MessageOut", covariant=True)


class MessageSource(Protocol[MessageOut]):
    """Splits a stream of bytes into messages."""

    def feed(self, data: bytes) -> Iterable[MessageOut]:
        """Add bytes and return the messages that they complete. Raise BadMessage for invalid data."""


class MessageConnection(ABC, asyncio.Protocol, Generic[Message]):
    """The connection of a client: its bytes, its messages, and its membership in the time lock.

    A client that sends invalid data is disconnected. While a client does not read its replies, its messages are not
    processed. Messages of a client that sends many are interleaved with those of other clients.
    """

    kind: ClassVar[str]  # name in logs
    greeting: ClassVar[float] = 10.0  # timeout of the first message [s]
    most_waiting: ClassVar[int] = 100  # maximum number of queued messages

    def __init__(self, server: PortBridge, loop: asyncio.AbstractEventLoop, source: MessageSource[Message]) -> None:
        self.server, self.loop, self.host, self.name = server, loop, "", self.kind
        self.log = get_client_log(self.kind)
        self._source = source
        self._messages: deque[Message] = deque()
        self._job: Iterator[None] | None = None  # the message that is being processed
        self.deaf = False  # the write buffer is full because the client does not read
        self.silent = True  # no message has been received
        self._greeting = loop.call_later(self.greeting, self.disconnect, f"it sent no message for {self.greeting:g} s")

    # ---- implemented by each kind of client

    @abstractmethod
    def carry_out(self, message: Message) -> Iterator[None]:
        """Process a message and reply. Yield in between so that messages of other clients can be processed."""

    @abstractmethod
    def leave(self) -> None:
        """Clean up after the client has disconnected."""

    def begin_turn(self) -> None:
        """Prepare for processing messages of this client."""
        self.server.live.client = self

    # ---- the wire

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        peer = transport.get_extra_info("peername") or ("?", 0)  # the client may have disconnected already
        self.host, self.name = peer[0], f"{self.kind} {peer[0]}:{peer[1]}"
        self.member = self.server.time.join(
            self.name, timeout=self.server.silence, address=self.host, resume=self._schedule_work
        )
        self.server.make_room()
        self.server.connections[self] = None
        line = transport.get_extra_info("socket")
        line.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        if len(self.server.connections) > MAX_CONNECTIONS:
            self.disconnect(f"there are {MAX_CONNECTIONS} clients already")

    def data_received(self, data: bytes) -> None:
        try:
            self._messages.extend(self._source.feed(data))
        except BadMessage as error:
            self.disconnect(error)
            return
        if self._messages:
            self.silent = False
            self._greeting.cancel()
        if len(self._messages) > self.most_waiting:
            self.disconnect("it sends messages without waiting for answers")
        elif self._job is None:
            self.server.serve(self)

    def pause_writing(self) -> None:
        self.deaf = True

    def resume_writing(self) -> None:
        self.deaf = False
        self._schedule_work()

    def connection_lost(self, error: Exception | None) -> None:
        self._greeting.cancel()
        self._messages.clear()
        try:
            self.leave()
        finally:
            self.member.leave()
            self.server.connections.pop(self, None)

    def disconnect(self, why: object) -> None:
        """Close the connection immediately and log the reason."""
        self.log.warning("%s: %s; disconnected", self.name, why)
        self.transport.abort()

    # ---- messages

    def can_work(self) -> bool:
        """Whether messages can be processed now."""
        return not (self.deaf or self.member.held or self.transport.is_closing())

    @property
    def has_work(self) -> bool:
        """Whether there are messages that can be processed now."""
        return bool(self._job or self._messages) and self.can_work()

    def work(self) -> None:
        """Process messages in order until one has to wait or `SLICE` has elapsed."""
        self.member.charge(self._work)
        if self._job or self._messages or self.deaf:
            self.transport.pause_reading()
        elif not self.transport.is_closing():
            self.transport.resume_reading()

    def _work(self) -> None:
        end = time.perf_counter() + SLICE
        while self.has_work and time.perf_counter() < end:
            if self._job is None:
                self._job = self.carry_out(self._messages.popleft())
            self._go_on(end)

    def _schedule_work(self) -> None:
        """Continue to process messages after those of other clients."""
        self.loop.call_soon(self.server.serve, self)

    def _go_on(self, end: float) -> None:
        """Continue with the current message until it is finished, has to wait, or `end` has passed."""
        try:
            with self.server.arena.mutex:  # no other thread can add or remove robots in between
                self.begin_turn()
                while self._job is not None and self.can_work() and time.perf_counter() < end:
                    if next(self._job, DONE) is DONE:
                        self._job = None
        except PaddockError as error:
            self._job = None
            self.disconnect(error)
        except Exception:
            self._job = None
            self.log.exception("%s: a message could not be processed", self.name)
            self.disconnect("the server failed to process a message")
