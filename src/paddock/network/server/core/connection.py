"""Connection: one TCP connection, which is either an HTTP request for a file of the page or a WebSocket.

The `websockets` package performs the handshake and parses all frames that are not plain messages. This module reads and
writes in the event loop's callbacks, so that a step in lock-step needs no switch between tasks or threads.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import socket
from collections import deque
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, cast

from websockets.http11 import Request, Response
from websockets.protocol import State
from websockets.server import ServerProtocol

from paddock.core.addresses import is_loopback
from paddock.core.errors import BadMessage, LinkError, PaddockError, Refused, VersionMismatch
from paddock.network.origins import foreign_header
from paddock.network.protocol import MINOR, MessageDecoder, encode
from paddock.network.protocol.encoding import Malformed, MessageReader, frame
from paddock.network.protocol.messages import REQUESTS, Hello
from paddock.network.server.core.access import TooManyGuesses
from paddock.network.server.core.client import Client, describe_loss, refusal
from paddock.network.server.core.downloads import PIECE, Download, DownloadBody
from paddock.network.server.core.fair_shares import FairQueue
from paddock.network.server.core.page_files import make_headers, respond_with_file

if TYPE_CHECKING:
    from paddock.network.server.core.core_server import CoreServer

MAX_BYTES = 1024 * 1024  # of a message
MAX_BEFORE_HELLO = 4096  # bytes of the first message
MAX_AT_ONCE = 32 * 1024  # bytes per read
MAX_AFTER_CLOSE = 64 * 1024  # bytes that are accepted after the server has closed the connection
MAX_HEAD_BYTES = 32 * 1024  # of an HTTP request
MAX_PER_SECOND = 100_000  # messages of a client; further ones are delayed
GUESS_DELAY = 1.0  # seconds until a client is told that too many wrong tokens came from its address
IO_TIMEOUT = 10.0  # seconds for a hello, and for a full buffer to be read
TURN = 0.01  # seconds for one client's messages before other clients have their turn
SPIN_TIME = 0.0002  # seconds of polling for the next message before the loop sleeps, while a client answers that fast
PING_PERIOD, REAL_PING_PERIOD = 5.0, 0.3  # seconds, for simulated and for real robots
STOP, GIVE_UP = 3, 60  # ping periods without an answer until a client's robots stop, and until it is disconnected
BLOCKING = {"stuck", "share"}  # reasons not to handle received messages
HOST_GONE = 15_000  # milliseconds without a TCP acknowledgement after which the peer's host counts as lost
NO_HELLO, NOT_ALLOWED, OTHER_VERSION = 4400, 4401, 4426  # application-specific close codes
FULL = "there are too many clients already; try again later"
FORWARDED = ("Forwarded", "X-Forwarded-For", "Via")  # headers of proxies: the client is not on this machine

log = logging.getLogger("paddock.server")
quiet = logging.getLogger("paddock.server.websockets")
quiet.setLevel(logging.CRITICAL)
decode = MessageDecoder(REQUESTS).decode


class Connection(asyncio.Protocol):
    """Handles one TCP connection from its acceptance to its end."""

    def __init__(self, server: CoreServer, peer: str) -> None:
        self.server, self.session = server, server.session  # the shared one
        self._peer = peer  # address; a transport does not know it if the client has disconnected already
        self.protocol = ServerProtocol(max_size=MAX_BYTES, logger=quiet)
        self._head: bytes | None = b""  # of the HTTP request, as far as received
        self._reader = MessageReader(self.protocol, masked=True, limit=MAX_BEFORE_HELLO)
        self._inbox: deque[tuple[bool, bytes]] = deque()  # complete messages as (is text, data)
        self._held: set[str] = set()  # reasons not to read
        self._newer = self._proxied = False  # the client's minor version is newer; there is a proxy in between
        self._ended = self._closed = False  # the peer has ended its stream; this side has closed
        self._unheard = 0  # bytes received after closing
        self._loop = asyncio.get_running_loop()
        self._received_at = self._pinged_at = self._loop.time()  # times of the last data and of the last ping
        self._requests_before = 0  # frames received until the last ping
        self._unanswered = self._unasked = 0  # pings since the last data, and since the last request
        self._second, self._frames = 0, 0  # current second, and frames received when it began
        self._timers: dict[str, asyncio.TimerHandle] = {}
        self._body: DownloadBody | None = None  # of a file of a service

    # ---- the transport's callbacks

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast(asyncio.Transport, transport)
        self.transport.set_write_buffer_limits(high=MAX_BYTES)
        if hasattr(transport, "max_size"):  # of asyncio's own loops: 256 KiB may be thousands of messages
            transport.max_size = MAX_AT_ONCE
        connected = transport.get_extra_info("socket")
        if hasattr(socket, "TCP_USER_TIMEOUT"):
            connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, HOST_GONE)
        self.requests = FairQueue(self.session.shares, self, self._peer)
        if self.requests.share.held:
            self.hold("share")
        self.server.connections[self] = None
        if len(self.server.connections) > 2 * self.server.settings.most_clients:
            self._drop_oldest_unauthenticated()
        self._after("hello", IO_TIMEOUT, lambda: self.close(NO_HELLO, "no hello in time"))
        self._after("ping", self._period, self._ping)

    def _drop_oldest_unauthenticated(self) -> None:
        """Close the oldest connection without a hello, of the address that has most, to make room for new ones."""
        unauthenticated = (other for other in self.server.connections if other.requests.client is None)
        oldest = max(unauthenticated, key=lambda other: len(other.requests.share.connections))
        del self.server.connections[oldest]
        oldest.transport.abort()

    def data_received(self, data: bytes) -> None:
        now = self._loop.time()
        if now - self._received_at < SPIN_TIME:
            self.session.clock.keep_awake(now + SPIN_TIME)
        self._received_at = now
        self.requests.charge(self._take, data)
        self._end_turn()

    def _take(self, data: bytes) -> None:
        if self._head is not None:
            data = self._read_head(data)
        if self.protocol.state in (State.CONNECTING, State.CLOSED):
            return  # a file was sent, or the connection is closed
        if self.protocol.state is State.CLOSING:
            self._unheard += len(data)
            if self._unheard > MAX_AFTER_CLOSE:
                self.transport.abort()
                return
        messages = self._reader.feed(data)
        self._count()
        if not messages:
            self.requests.charge_reading()
        if len(messages) == 1 and not self._inbox and not self._held:
            self._handle(*messages[0])
        elif messages:
            self._inbox.extend(messages)
            self._work()
        if self._reader.has_replies:
            self._reader.has_replies = False
            self._flush()  # pongs, or a close frame

    def _end_turn(self) -> bool:
        """Pause this connection if its share is used up."""
        over = self.requests.is_over()
        if over:
            self.hold("share")
        return over

    def eof_received(self) -> bool:
        self._ended = True
        self.protocol.receive_eof()
        self._flush()
        return False

    def connection_lost(self, exc: Exception | None) -> None:
        for timer in self._timers.values():
            timer.cancel()
        self._close_body()
        self.server.connections.pop(self, None)
        self._inbox.clear()
        client = self.requests.client
        if client is not None:
            if self.protocol.close_rcvd is None and self.protocol.close_sent is None:
                client.loss = describe_loss(exc, ended=self._ended)
            self.session.shares.charge(self.requests.share, client.session.drop, client)
        self.requests.close()

    def pause_writing(self) -> None:
        """Stop handling a client that does not read, and disconnect it after a timeout."""
        self.hold("stuck")
        self._after("stuck", IO_TIMEOUT, self.transport.abort)

    def resume_writing(self) -> None:
        self._timers.pop("stuck").cancel()
        self.release("stuck")

    def hold(self, why: str) -> None:
        """Pause reading from this client. A used-up share does not pause clients in the lock: they must step."""
        if why == "share" and self.requests.is_locked:
            return
        if not self._held:
            self.transport.pause_reading()
        self._held.add(why)

    def release(self, why: str) -> None:
        """Resume reading, unless another reason remains."""
        self._held.discard(why)
        if self._inbox or (self.requests.waiting and not self.requests.share.held):
            if not self._held & BLOCKING:
                self.hold("busy")
                self._after("turn", 0.0, self._go_on)
        elif not self._held and not self.transport.is_closing():
            self.transport.resume_reading()
            if self._body is not None:
                self._after("turn", 0.0, partial(self.requests.charge, self._send_piece))

    # ---- HTTP

    def _read_head(self, data: bytes) -> bytes:
        """Collect the HTTP request and answer it; return the data after it.

        The protocol receives the data after the head only when it has answered. Otherwise it would handle broken frames
        or a second request in the wrong state.
        """
        assert self._head is not None
        gathered = self._head + data
        head, end, rest = gathered.partition(b"\r\n\r\n")
        if not end:
            self._head, rest = gathered, b""
            if len(gathered) <= MAX_HEAD_BYTES:
                return b""
        self._head = None
        self.protocol.receive_data(head + end)  # a head that is too long is answered with 431, or closed
        self._flush()
        for event in self.protocol.events_received():
            if isinstance(event, Request):
                self._respond(event)
        return rest

    def _respond(self, request: Request) -> None:
        host, origin = (request.headers.get_all(name) for name in ("Host", "Origin"))
        reached_at = self.transport.get_extra_info("sockname")[0]
        self._proxied = any(name in request.headers for name in FORWARDED)
        problem = foreign_header(
            host[0] if host else None,
            origin[0] if origin else None,
            hosts=self.server.hosts,
            reached_at=reached_at,
            proxied=self._proxied,
        )
        if len(host) > 1 or len(origin) > 1:
            response = self.protocol.reject(400, "Host and Origin: expected one of each\n")
        elif problem:
            response = self.protocol.reject(403, f"{problem}\n")
        elif request.method != "GET":
            response = self.protocol.reject(405, "expected GET\n")
            response.headers["Allow"] = "GET"
        elif download := self.session.find_file(request.path.partition("?")[0], host[0]):
            self._download(download)
            return
        elif request.path.partition("?")[0] != "/ws":
            response = respond_with_file(self.protocol, request.path, self.server.settings.framed_by)
        elif self.server.is_full:
            response = self.protocol.reject(503, f"{FULL}\n")
        else:
            response = self.protocol.accept(request)
        self.protocol.send_response(response)
        self._flush()

    def _download(self, download: Download) -> None:
        """Send a file of a service as soon as it is ready."""
        for timer in ("hello", "ping"):
            self._timers.pop(timer).cancel()
        self.transport.set_write_buffer_limits(high=PIECE)

        def begin(content: asyncio.Future[bytes | Path | None]) -> None:
            if not self.transport.is_closing():
                self.requests.charge(self._begin_body, download.type, content)

        download.content.add_done_callback(begin)

    def _begin_body(self, kind: str, content: asyncio.Future[bytes | Path | None]) -> None:
        try:
            found = content.result()
            if found is None:
                self.protocol.send_response(self.protocol.reject(404, "no such file\n"))
                self._flush()
                return
            self._body = DownloadBody(found)
        except (PaddockError, OSError, asyncio.CancelledError) as error:
            log.warning("a file of this server cannot be sent: %s", error)
            self.protocol.send_response(self.protocol.reject(503, f"{error}\n"))
            self._flush()
            return
        headers = make_headers(kind, self._body.size, self.server.settings.framed_by)
        self.transport.write(Response(200, "OK", headers).serialize())
        self._pieces = iter(self._body)
        self._send_piece()

    def _send_piece(self) -> None:
        """Write one piece of the file; others follow when the client has read it and other clients had their turn."""
        if self._held or self._body is None or self.transport.is_closing():
            return
        piece = next(self._pieces, b"")
        if piece:
            self.transport.write(piece)
            if not self._end_turn():
                self._after("turn", 0.0, partial(self.requests.charge, self._send_piece))
        else:
            self._close_body()
            self.transport.close()
            self._after("closing", IO_TIMEOUT, self.transport.abort)

    def _close_body(self) -> None:
        if self._body is not None:
            self._body.close()
        self._body = None

    # ---- WebSocket

    def _work(self) -> None:
        """Handle received messages for one turn; then other clients have theirs."""
        began = self._loop.time()
        self.requests.handle_waiting()
        while self._inbox and not self._held & BLOCKING:
            self._handle(*self._inbox.popleft())
            if not self._inbox or self._end_turn():
                break
            if self._loop.time() - began > TURN:
                self.hold("busy")
                self._after("turn", 0.0, self._go_on)
                return
        if "busy" in self._held and not self._inbox:
            self.release("busy")

    def _go_on(self) -> None:
        self.requests.charge(self._work)
        self._end_turn()

    def _handle(self, text: bool, data: bytes) -> None:
        if self._closed or self.transport.is_closing():
            return
        if self.protocol.state is not State.OPEN and self.protocol.close_rcvd is None:  # else sent before the close
            return
        client = self.requests.client
        try:
            message = decode(data.decode() if text else data, newer=self._newer)
        except UnicodeDecodeError:
            self._refuse(BadMessage("not valid JSON: expected UTF-8"), None, text)
            return
        except Malformed as error:
            self._refuse(BadMessage(str(error)), error.id, text)
            return
        if client is not None:
            client.encoding, client.received = "json" if text else "msgpack", len(data)
            self.requests.handle(client, message)
        elif isinstance(message, Hello):
            self._hello(message, text)
        else:
            self._refuse(BadMessage(f"{message.type}: expected a hello first"), getattr(message, "id", None), text)

    def _hello(self, hello: Hello, text: bool) -> None:
        peer = self._peer
        try:
            if self.server.is_full:  # others may have come between the upgrade and the hello
                raise Refused(FULL)
            local = is_loopback(peer) and not self._proxied
            grant = self.server.tokens.grant(hello.token, local=local, address=peer)
            share = self.session.shares.of_grant(grant, peer)
            client = Client(hello.name, grant, share, self.write, self.transport.get_write_buffer_size, self.close)
            client.encoding = "json" if text else "msgpack"
            self.server.sessions.find(grant, hello.copy).admit(client, hello)
        except TooManyGuesses as error:
            self._closed = True  # nothing else is read; a late answer makes guessing slow
            self._after("hello", GUESS_DELAY, partial(self._reject, error, hello, text))
            return
        except LinkError as error:
            self._reject(error, hello, text)
            return
        self.requests.accept(client)
        self._newer = hello.minor > MINOR
        self._reader.limit = int(min(MAX_BYTES, self.session.supervision.longest_message(client)))
        self._timers.pop("hello").cancel()

    def _reject(self, error: LinkError, hello: Hello, text: bool) -> None:
        """Answer a hello that is refused, and close the connection."""
        self.session.note_refusal(f"a client at {self._peer}", str(error), self._peer)
        self._refuse(error, hello.id, text)
        self.close(OTHER_VERSION if isinstance(error, VersionMismatch) else NOT_ALLOWED, str(error))

    def _refuse(self, error: PaddockError, id: int | None, text: bool) -> None:
        """Send an error. A client without a valid hello is disconnected, because its messages cost time."""
        self.write(encode(refusal(error, id), "json" if text else "msgpack"), text)
        if self.requests.client is not None:
            self.requests.client.encoding = "json" if text else "msgpack"
            self.requests.charge_invalid()
        elif isinstance(error, BadMessage):
            self.close(NO_HELLO, "expected a hello")

    def write(self, data: bytes, text: bool) -> None:
        """Send a message, unless the connection is closed."""
        if self.protocol.state is State.OPEN and not self.transport.is_closing():
            self.transport.write(frame(data, text=text))

    def close(self, code: int, reason: str) -> None:
        """Close the connection with a code and a reason."""
        self._closed = True
        if self.protocol.state is State.OPEN:
            self.protocol.send_close(code, reason.encode()[:120].decode(errors="ignore"))
            self._flush()
            self._after("closing", IO_TIMEOUT, self.transport.abort)
        else:
            self.transport.abort()

    def _flush(self) -> None:
        for data in self.protocol.data_to_send():
            if data:
                self.transport.write(data)
            elif self.transport.can_write_eof() and not self.transport.is_closing():
                with contextlib.suppress(OSError):  # the peer may have disconnected already
                    self.transport.write_eof()
        if self.protocol.close_expected():
            self._after("closing", 1.0, self.transport.abort)

    # ---- limits

    def _count(self) -> None:
        now = int(self._received_at)
        if now != self._second:
            self._second, self._frames = now, self._reader.frames
        elif self._reader.frames - self._frames >= MAX_PER_SECOND and "rate" not in self._held:
            self.hold("rate")
            self._after("rate", 1.0, lambda: self.release("rate"))

    def _ping(self) -> None:
        """Send a ping, and stop the robots of a client that does not respond, for example at a breakpoint.

        A background thread may answer the pings of a program that hangs: without requests, such a client is idle.
        Time is counted in pings: nobody can answer a paused connection, or a server that is busy or suspended.
        """
        period, limits = self._period, self.session.limits
        self._after("ping", period, self._ping)
        paused = bool(self._held)  # a paused connection cannot receive
        self._unanswered = 0 if paused or self._received_at >= self._pinged_at else self._unanswered + 1
        self._unasked = 0 if paused or self._requests_before != self._reader.frames else self._unasked + 1
        self._pinged_at, self._requests_before = self._loop.time(), self._reader.frames
        silent = self._unanswered * period
        if silent > GIVE_UP * PING_PERIOD:
            self.transport.abort()
        elif self.protocol.state is State.OPEN:
            client = self.requests.client
            if client is not None:
                if silent > (STOP * period if self.server.arena.is_real else limits.silence):
                    client.session.on_silence(client, "does not respond")
                elif limits.idle and self._unasked * period > limits.idle and client.step_id is None:
                    client.session.on_silence(client, f"has sent no request for {limits.idle:g} s")
            self.protocol.send_ping(b"")
            self._flush()

    @property
    def _period(self) -> float:
        """Seconds between two pings."""
        if self.server.arena.is_real:
            return REAL_PING_PERIOD
        limits = self.session.limits
        return min(PING_PERIOD, limits.silence / STOP, (limits.idle or limits.silence) / STOP)

    def _after(self, what: str, seconds: float, then: object) -> None:
        if what in self._timers:
            self._timers[what].cancel()
        self._timers[what] = self._loop.call_later(seconds, then)  # type: ignore[arg-type]
