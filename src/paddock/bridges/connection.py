"""MessageConnection: a client of a bridge whose messages are carried out one after the other, in the event loop."""

from __future__ import annotations

import asyncio
import logging
import socket
import time
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Iterable, Iterator
from typing import ClassVar, Generic, Protocol, TypeVar

from paddock.bridges.ports import PortBridge
from paddock.core.errors import BadMessage, PaddockError

MOST_CLIENTS = 64
SLICE = 0.01  # seconds for which messages of a client are carried out before others have their turn
DONE = object()

Message = TypeVar("Message")
MessageOut = TypeVar("MessageOut", covariant=True)


class MessageSource(Protocol[MessageOut]):
    """Cuts a stream into messages."""

    def feed(self, data: bytes) -> Iterable[MessageOut]:
        """Take bytes, and give the messages that they complete; BadMessage where there can be none."""


class MessageConnection(ABC, asyncio.Protocol, Generic[Message]):
    """A client: its bytes, its messages, and its membership in time.

    Who breaks the format is hung up on, who does not read is not listened to, and who sends much waits for its turn.
    """

    kind: ClassVar[str]  # what it is called in logs
    greeting: ClassVar[float] = 10.0  # seconds for the first message
    most_waiting: ClassVar[int] = 100  # messages of one that does not wait for answers

    def __init__(self, server: PortBridge, loop: asyncio.AbstractEventLoop, source: MessageSource[Message]) -> None:
        self.server, self.loop, self.host, self.name = server, loop, "", self.kind
        self.log = logging.getLogger(f"paddock.{self.kind}")
        self._source = source
        self._messages: deque[Message] = deque()
        self._job: Iterator[None] | None = None  # the message that is carried out
        self.deaf = False  # the client does not read what it was sent
        self._greeting = loop.call_later(self.greeting, self.hang_up, f"it said nothing for {self.greeting:g} s")

    # ---- what kinds of clients do

    @abstractmethod
    def carry_out(self, message: Message) -> Iterator[None]:
        """Carry out a message and reply; it may stop in between, so that others have their turn."""

    @abstractmethod
    def leave(self) -> None:
        """The client is gone."""

    def begin_turn(self) -> None:
        """Messages of this client are carried out from now on."""
        self.server.live.client = self

    # ---- the wire

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        peer = transport.get_extra_info("peername") or ("?", 0)  # it may have gone already
        self.host, self.name = peer[0], f"{self.kind} {peer[0]}:{peer[1]}"
        self.member = self.server.time.join(self.name, timeout=self.server.silence)
        self.server.connections[self] = None
        line = transport.get_extra_info("socket")
        line.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        if len(self.server.connections) > MOST_CLIENTS:
            self.hang_up(f"there are {MOST_CLIENTS} clients already")

    def data_received(self, data: bytes) -> None:
        try:
            self._messages.extend(self._source.feed(data))
        except BadMessage as error:
            self.hang_up(error)
            return
        if self._messages:
            self._greeting.cancel()
        if len(self._messages) > self.most_waiting:
            self.hang_up("it does not wait for answers")
        elif self._job is None:
            self.work()

    def pause_writing(self) -> None:
        self.deaf = True

    def resume_writing(self) -> None:
        self.deaf = False
        self.loop.call_soon(self.work)

    def connection_lost(self, error: Exception | None) -> None:
        self._greeting.cancel()
        self._messages.clear()
        try:
            self.leave()
        finally:
            self.member.leave()
            self.server.connections.pop(self, None)

    def hang_up(self, why: object) -> None:
        """End the connection now, and tell why."""
        self.log.warning("%s: %s; hung up", self.name, why)
        self.transport.abort()

    # ---- messages

    def can_work(self) -> bool:
        """Whether messages can be carried out now."""
        return not self.deaf and not self.transport.is_closing()

    def work(self) -> None:
        """Carry out messages in their order for a little while, until one has to wait, and go on after the others."""
        end = time.perf_counter() + SLICE
        while self.can_work() and (self._job or self._messages):
            if time.perf_counter() > end:
                self.loop.call_soon(self.work)
                break
            if self._job is None:
                self._job = self.carry_out(self._messages.popleft())
            self._go_on(end)
        if self._job or self._messages or self.deaf:
            self.transport.pause_reading()
        else:
            self.transport.resume_reading()

    def _go_on(self, end: float) -> None:
        """Go on with the message that is carried out, until it is, has to wait, or time is up."""
        try:
            self.begin_turn()
            while self._job is not None and self.can_work() and time.perf_counter() < end:
                if next(self._job, DONE) is DONE:
                    self._job = None
        except PaddockError as error:
            self.hang_up(error)
        except Exception:
            self.log.exception("%s: a message could not be carried out", self.name)
            self.hang_up("a message failed at the server")
