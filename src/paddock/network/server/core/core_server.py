"""CoreServer: serves an arena on a port, in the calling thread or in a background thread."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import gc
import signal
import socket
import threading
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Self

import numpy as np

from paddock.arena import Arena
from paddock.core.addresses import ANY_ADDRESS, is_loopback, own_address
from paddock.core.errors import LinkError
from paddock.core.user_limits import NO_CLASS, UserLimits
from paddock.network.origins import own_hosts
from paddock.network.server.core.access import Grant, Role, Tokens
from paddock.network.server.core.connection import Connection
from paddock.network.server.core.service import Service
from paddock.network.server.core.session import Session
from paddock.network.server.core.sessions import Sessions

PORT = 8642
BACKLOG = 256  # connections waiting to be accepted


@dataclass(frozen=True, kw_only=True)
class Settings:
    """Address, clock and limits of a server."""

    host: str = "127.0.0.1"
    port: int | None = None  # None: PORT, or any free port if that is in use; 0: any free port
    speed: float | None = 1.0  # simulated seconds per second; None for as fast as possible
    lock_step: bool = False  # the clock advances only when all clients in the lock request it
    token: str | None = None  # of supervisors; generated if needed
    devices: frozenset[str] | None = None  # that clients of this machine without a token may read; None: all
    allowed_hosts: tuple[str, ...] = ()  # further host names of this server
    most_clients: int = 256
    limits: UserLimits = NO_CLASS  # of a token with all its connections; supervisors have none
    framed_by: tuple[str, ...] = ()  # sites that may embed the page in a frame, as in a Content-Security-Policy


class CoreServer:
    """Serves one arena. No other code may step the arena while it is served.

    Args:
        arena: the arena.
        settings: address, clock and limits.
        services: what the server does besides robots, time and frames; more may be added before it serves.
    """

    sessions: Sessions
    session: Session  # the shared one

    def __init__(self, arena: Arena, settings: Settings | None = None, *, services: Iterable[Service] = ()) -> None:
        self.arena, self.settings, self.services = arena, settings or Settings(), list(services)
        self.people: dict[str, str] = {}  # full names of students, by robot
        self.tokens = Tokens(demanded=bool(self.settings.token), devices=self.settings.devices)
        self.connections: dict[Connection, None] = {}  # the oldest first
        self.hosts = own_hosts(self.settings.host, self.settings.allowed_hosts)
        self.port = PORT if self.settings.port is None else self.settings.port
        self.supervisor = self.controller = self.viewer = ""
        if self.settings.token or not self.loopback:
            self.supervisor = self.tokens.add(Grant(Role.SUPERVISOR), self.settings.token)
            self.controller = self.tokens.add(Grant(Role.CONTROLLER))
            self.viewer = self.tokens.add(Grant(Role.VIEWER))
        self.goodbye = "the server stops"  # sent to clients at the end
        self._stopped: asyncio.Event | None = None

    @property
    def loopback(self) -> bool:
        """Whether the server is reachable only from this machine."""
        return is_loopback(self.settings.host)

    @property
    def port_remark(self) -> str:
        """Why the port is not PORT, for the line with the address; empty if it is, or if it was chosen."""
        return f"; port {PORT} is in use" if self.settings.port is None and self.port != PORT else ""

    @property
    def is_full(self) -> bool:
        """Whether no further client is accepted."""
        return sum(len(session.clients) for session in self.sessions) >= self.settings.most_clients

    def url(self, *, scheme: str = "http", token: str = "") -> str:
        """Return the address of the server; with a token, a join link."""
        host = self.settings.host
        if host in ANY_ADDRESS:
            host = own_address()
        named = f"[{host}]" if ":" in host else host
        path = "/ws" if scheme == "ws" else "/"
        return f"{scheme}://{named}:{self.port}{path}" + (f"#token={token}" if token else "")

    def run(self, ready: object = None) -> None:
        """Serve until `stop`, Ctrl-C or SIGTERM, in the main thread."""
        before = signal.signal(signal.SIGTERM, lambda number, frame: self.stop())
        try:
            with contextlib.suppress(KeyboardInterrupt, asyncio.CancelledError):
                asyncio.run(self.serve(ready))
        finally:
            signal.signal(signal.SIGTERM, before)

    async def serve(self, ready: object = None) -> None:
        """Listen until `stop`; call `ready()` once clients can connect."""
        self._loop, self._stopped = asyncio.get_running_loop(), asyncio.Event()
        self.arena.prepare_sensing(camera=np.empty((1, 1)))
        settings = self.settings
        self.sessions = Sessions(tokens=self.tokens, people=self.people, limits=settings.limits, speed=settings.speed)
        self.session = Session(self.arena, self.sessions, speed=settings.speed, lock_step=settings.lock_step)
        self.sessions.shared = self.session
        try:
            self.session.serve(self.services)
            listener = await self._listen()
            self.port = listener.sockets[0].getsockname()[1]
            async with listener:
                with contextlib.ExitStack() as doors:
                    for bound in listener.sockets:
                        door = doors.enter_context(bound.dup())
                        door.setblocking(False)
                        door.listen(BACKLOG)
                        doors.callback(asyncio.create_task(self._accept(door)).cancel)
                    gc.freeze()  # a full garbage collection of all loaded modules would delay the clock by about 80 ms
                    doors.callback(gc.unfreeze)
                    if callable(ready):
                        ready()
                    self.session.clock.run_ticks()
                    await self._stopped.wait()
        finally:
            self.sessions.close()
            await self._announce_end()

    async def _announce_end(self) -> None:
        for connection in list(self.connections):
            connection.close(1001, self.goodbye)
        for _ in range(20):  # well-behaved clients close their side within a second
            if not self.connections:
                return
            await asyncio.sleep(0.05)
        for connection in list(self.connections):
            connection.transport.abort()

    async def _listen(self) -> asyncio.Server:
        host, port = self.settings.host, self.port
        loop = asyncio.get_running_loop()
        try:
            return await loop.create_server(asyncio.Protocol, host, port, start_serving=False)
        except OSError as error:
            if error.errno == errno.EADDRINUSE and self.settings.port is None:
                return await loop.create_server(asyncio.Protocol, host, 0, start_serving=False)
            if error.errno == errno.EADDRINUSE:
                raise LinkError(
                    f"port {port} on {host} is in use: stop the program that listens there, or choose another port"
                ) from None
            raise LinkError(f"cannot listen on {host}, port {port}: {error.strerror or error}") from None

    async def _accept(self, door: socket.socket) -> None:
        """Accept one connection per turn of the loop; refuse addresses with too many pending handshakes."""
        while True:
            try:
                connection, address = await self._loop.sock_accept(door)
                unauthenticated = self.session.shares.of_address(address[0])
                if unauthenticated.held and len(unauthenticated.connections) >= self.settings.most_clients:
                    connection.close()
                else:
                    await self._loop.connect_accepted_socket(partial(Connection, self, address[0]), connection)
                await asyncio.sleep(0)
            except OSError as error:  # it was closed already, or there are too many open files
                if error.errno in (errno.EMFILE, errno.ENFILE):
                    await asyncio.sleep(1.0)

    @property
    def alive(self) -> bool:
        """Whether the server is running."""
        return self._stopped is not None and not self._stopped.is_set() and not self._loop.is_closed()

    def call(self, function: Callable[[], object]) -> None:
        """Call a function in the server's thread; may be called from any thread."""
        self._loop.call_soon_threadsafe(function)

    def stop(self) -> None:
        """End `serve`; may be called from any thread."""
        if self._stopped is not None:
            with contextlib.suppress(RuntimeError):  # it has ended already
                self._loop.call_soon_threadsafe(self._stopped.set)

    @contextlib.contextmanager
    def in_background(self) -> Iterator[Self]:
        """Serve in a background thread while the block runs."""
        ready, failed = threading.Event(), []

        def work() -> None:
            try:
                asyncio.run(self.serve(ready.set))
            except BaseException as error:
                failed.append(error)
                ready.set()

        thread = threading.Thread(target=work, name="paddock-server", daemon=True)
        thread.start()
        ready.wait()
        try:
            if failed:
                raise failed[0]
            yield self
        finally:
            self.stop()
            thread.join()
