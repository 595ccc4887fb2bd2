"""A client of CoppeliaSim's ZeroMQ remote API and its connections, in the event loop of the arena's server."""

from __future__ import annotations

import asyncio
import struct
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING

from paddock.arena.time_lock import SimulationState
from paddock.bridges.common.client_log import get_client_log
from paddock.bridges.common.connection import MessageConnection
from paddock.bridges.common.ports import MAX_CONNECTIONS
from paddock.bridges.coppelia.calls import RemoteCaller
from paddock.bridges.coppelia.zmq import RemoteSession, pack_reply, parse_request
from paddock.bridges.coppelia.zmq.session import Reply
from paddock.bridges.coppelia.zmq.zmtp import ZmtpPeer, pack_message
from paddock.core.errors import BadMessage, PaddockError, Refused

if TYPE_CHECKING:
    from paddock.bridges.coppelia.zmq_bridge import CoppeliaServer

MAX_CLIENTS = 8  # per connection
SPIN_TIME = 2e-4  # seconds within which a fast client sends its next request
STANDING = 0.01  # polling interval of a waiting call while the simulation is not running [s]
STEP_COUNT = struct.Struct("<I")

log = get_client_log("coppelia")


class CoppeliaClient:
    """A client, identified by its uuid: its session and its control of time (implements `SteppingControl`)."""

    def __init__(self, server: CoppeliaServer, home: CoppeliaConnection) -> None:
        self.server, self.home, self.host = server, home, home.host
        self.member = server.time.join(home.name, timeout=server.silence)
        self.caller = RemoteCaller(server.simulator, self)
        self.session = RemoteSession(self.caller, self._await_step)
        self.held_since: float | None = None  # since when a reply is delayed, by the loop's clock

    def close(self) -> None:
        """Clean up after disconnection. The client's robots continue their last command, as in CoppeliaSim."""
        self.session.cancel()
        self.member.leave()
        self.server.simulator.release(self)

    def _await_step(self, then: Callable[[], None], soon: bool) -> None:
        loop = self.server.loop
        if self.state != "running":
            loop.call_later(STANDING, then)
            return
        if self.caller.level > 0 and not self.member.locked:
            with suppress(Refused):  # beside clients with tokens, time does not wait
                self.member.lock(True)  # join again if it was released after its timeout
        tick = self.server.arena.tick
        ticks = self.server.simulator.ticks_of_step(tick)
        self.member.ask(ticks, (lambda: self._call_soon(then)) if soon else then)

    def _call_soon(self, then: Callable[[], None]) -> None:
        self.server.loop.call_soon(then)

    @property
    def state(self) -> SimulationState:
        return self.server.time.state

    @property
    def real_time(self) -> bool:
        return self.server.time.speed == 1

    @property
    def wall_time(self) -> float:
        return self.server.loop.time()

    def start(self) -> None:
        self.server.simulator.begin_run()
        self.server.time.run()

    def pause(self) -> None:
        if self.state == "running":
            self.server.time.pause()

    def stop(self) -> None:
        clients, live = self.server.list_clients(), self.server.live
        mine = [client for client in clients if client.host == self.host]
        others = [client.home.name for client in clients if client not in mine and live.list_driven_robots(client)]
        if others:
            raise Refused(f"the simulation cannot be stopped: {', '.join(others)} still drive robots")
        self.server.time.stop([client.member for client in mine])
        self.server.simulator.forget()
        for client in mine:
            client.caller.end_stepping()
        self.publish_step()

    def hold(self, on: bool) -> None:
        self.member.lock(on)

    def require_publishing(self) -> None:
        if not self.server.publishes:
            port = self.server.port
            raise PaddockError(
                f"stepping in protocol 1 needs port {port + 1}, too, which is in use: serve at another port than "
                f"{port}, or use a newer client"
            )

    def publish_step(self) -> None:
        self.server.publish_step()


class CoppeliaConnection(MessageConnection[list[bytes]]):
    """A connection to the port for requests. Requests are processed one after the other."""

    kind = "coppelia"
    server: CoppeliaServer

    def __init__(self, server: CoppeliaServer, loop: asyncio.AbstractEventLoop) -> None:
        self.peer = ZmtpPeer("REP")
        super().__init__(server, loop, self.peer)
        self.clients: dict[str, CoppeliaClient] = {}  # by uuid; "" in version 1
        self.waits_for: CoppeliaClient | None = None  # the client whose reply is delayed
        self._received_at = 0.0  # when data was received last, by the loop's clock

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        self.transport.write(self.peer.greeting)

    def data_received(self, data: bytes) -> None:
        now = self.loop.time()
        if now - self._received_at < SPIN_TIME:
            self.server.time.keep_awake(now + SPIN_TIME)
        self._received_at = now
        super().data_received(data)
        if self.peer.ready:
            self._greeting.cancel()
        self._write(b"")

    def leave(self) -> None:
        for client in self.clients.values():
            if client.home is self:
                self.server.forget_client(client)

    def can_work(self) -> bool:
        return self.waits_for is None and super().can_work()

    def carry_out(self, frames: list[bytes]) -> Iterator[None]:
        if b"" not in frames:
            raise BadMessage("expected an empty frame before the request, as REQ sockets send it")
        start = frames.index(b"") + 1
        envelope, body = frames[:start], b"".join(frames[start:])
        try:
            request = parse_request(body)
            client = self._find_client(request.client)
        except (BadMessage, Refused) as error:
            answer: Reply = {"err": str(error), "success": False, "error": str(error)}
            self._write(pack_message([*envelope, pack_reply(answer, 2)]))
            return
        self.waits_for, client.held_since = client, self.loop.time()
        self.server.live.client = client
        if client.state != "stopped":
            self.server.simulator.begin_run()
        client.session.handle(request, partial(self._reply, envelope, client))
        yield

    def _find_client(self, uuid: str | None) -> CoppeliaClient:
        client = self.clients.get(uuid or "")
        if client is not None and client.home is self and not client.session.ended:
            return client
        known = None if uuid is None else self.server.clients.get(uuid)
        if known is None or known.session.ended:
            if len(self.clients) >= MAX_CLIENTS and (uuid or "") not in self.clients:
                raise Refused(f"there are {MAX_CLIENTS} clients on this connection already")
            known = CoppeliaClient(self.server, self)
            if uuid is not None:
                self.server.clients[uuid] = known
        known.home = self
        self.clients[uuid or ""] = known
        return known

    def _reply(self, envelope: list[bytes], client: CoppeliaClient, reply: Reply) -> None:
        self.waits_for, client.held_since = None, None
        self._write(pack_message([*envelope, pack_reply(reply, client.session.version)]))
        if self.has_work:
            self._schedule_work()

    def _write(self, data: bytes) -> None:
        """Send pending replies of the ZMTP layer, then the data."""
        data, self.peer.replies = self.peer.replies + data, b""
        if data and not self.transport.is_closing():
            self.transport.write(data)


class StepSubscriber(asyncio.Protocol):
    """A connection to the port that publishes completed steps to clients of protocol 1."""

    def __init__(self, server: CoppeliaServer) -> None:
        self.server, self.peer, self.subscribed, self.slow = server, ZmtpPeer("PUB"), False, False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        self.server.subscribers[self] = None
        transport.write(self.peer.greeting)
        if len(self.server.subscribers) > MAX_CONNECTIONS:
            transport.abort()

    def data_received(self, data: bytes) -> None:
        try:
            messages = list(self.peer.feed(data))
        except BadMessage as error:
            log.warning("coppelia: %s; disconnected", error)
            self.transport.abort()
            return
        if self.peer.replies:
            self.transport.write(self.peer.replies)
            self.peer.replies = b""
        for frames in messages:
            self.subscribed = frames[0][:1] == b"\1"
            self.send_step_count(self.server.step_count)

    def pause_writing(self) -> None:
        self.slow = True

    def resume_writing(self) -> None:
        self.slow = False

    def connection_lost(self, error: Exception | None) -> None:
        self.server.subscribers.pop(self, None)

    def send_step_count(self, count: int) -> None:
        """Send the number of a step if the client has subscribed and reads its messages."""
        if self.subscribed and not self.slow and not self.transport.is_closing():
            self.transport.write(pack_message([STEP_COUNT.pack(count & 0xFFFFFFFF)]))
