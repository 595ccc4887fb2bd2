"""Server: an arena on a port, in this thread or in one of its own."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import gc
import signal
import socket
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from paddock.arena import Arena
from paddock.core.addresses import ANY_ADDRESS, is_loopback, own_address
from paddock.core.errors import LinkError
from paddock.core.limits import NO_CLASS, ClassLimits
from paddock.core.origins import own_hosts
from paddock.core.provenance import available_threads
from paddock.recordings import ReplayArena
from paddock.referees import Referee
from paddock.server.access import Grant, Role, Tokens
from paddock.server.connection import Connection
from paddock.server.heat_desk import HeatSettings
from paddock.server.order_board import ListOrders
from paddock.server.session import Session
from paddock.server.time_lock import ServedTime

if TYPE_CHECKING:
    from paddock.server.class_desk import ClassDesk

PORT = 8642
BACKLOG = 256  # connections that wait to be accepted


@dataclass(frozen=True, kw_only=True)
class Settings:
    """How a server is to be reached and how its clock goes."""

    host: str = "127.0.0.1"
    port: int = PORT  # 0: any that is free
    any_port: bool = False  # if that one is in use, take any that is free
    speed: float | None = 1.0  # simulated seconds per second; None for flat out
    lock_step: bool = False  # time passes only when all clients want it to
    token: str | None = None  # of supervisors; made up when needed
    allowed_hosts: tuple[str, ...] = ()  # other names that lead here
    most_clients: int = 256
    limits: ClassLimits = NO_CLASS  # of a token, all its connections together; supervisors have none
    framed_by: tuple[str, ...] = ()  # sites that may have the page in a frame, as a Content-Security-Policy names them


class Server:
    """Serves one arena. The arena must not be stepped by anyone else meanwhile."""

    session: Session

    def __init__(
        self,
        arena: Arena,
        settings: Settings | None = None,
        *,
        referee: Referee | None = None,
        heats: HeatSettings | None = None,
    ) -> None:
        self.arena, self.settings = arena, settings or Settings()
        self._referee, self._heats = referee, heats or HeatSettings()
        recorded = arena.recording.people if isinstance(arena, ReplayArena) else {}
        self.people: dict[str, str] = {**recorded}  # names as people write them, by robot
        self.list_orders: ListOrders | None = None  # tells how robots are that take orders; set before it serves
        self.desk: ClassDesk | None = None  # of the class that is served; set before it serves
        self.tokens = Tokens(demanded=bool(self.settings.token))
        self.connections: dict[Connection, None] = {}  # the oldest first
        self.hosts = own_hosts(self.settings.host, self.settings.allowed_hosts)
        self.port = self.settings.port
        self.supervisor = self.controller = self.viewer = ""
        if self.settings.token or not self.loopback:
            self.supervisor = self.tokens.add(Grant(Role.SUPERVISOR), self.settings.token)
            self.controller = self.tokens.add(Grant(Role.CONTROLLER))
            self.viewer = self.tokens.add(Grant(Role.VIEWER))
        self.goodbye = "the server stops"  # what clients are told at the end
        self.time_lock = arena.time_lock = ServedTime(self.stay_awake)
        self._stopped: asyncio.Event | None = None
        self._awake_until = 0.0  # by the loop's clock; 0: it may sleep
        self._cores = available_threads()

    @property
    def loopback(self) -> bool:
        """Whether only this machine can reach it."""
        return is_loopback(self.settings.host)

    def url(self, *, scheme: str = "http", token: str = "") -> str:
        """Where it is; with a token, a join link."""
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
        """Listen; `ready()` is called once clients can come."""
        self._loop, self._stopped = asyncio.get_running_loop(), asyncio.Event()
        self.arena.prepare_sensing(camera=np.empty((1, 1)))
        speed, lock_step = self.settings.speed, self.settings.lock_step
        self.session = Session(
            self.arena,
            speed=speed,
            lock_step=lock_step,
            referee=self._referee,
            list_orders=self.list_orders,
            limits=self.settings.limits,
        )
        self.session.heats.settings = self._heats
        self.session.scoreboard.people = self.session.ownership.people = self.people
        try:
            listener = await self._listen()
            self.port = listener.sockets[0].getsockname()[1]
            self.time_lock.serve(self.session)
            if self.desk is not None:
                self.session.desk = self.desk
                self.desk.attach(self, self.session)
            async with listener:
                with contextlib.ExitStack() as doors:
                    for bound in listener.sockets:
                        door = doors.enter_context(bound.dup())
                        door.setblocking(False)
                        door.listen(BACKLOG)
                        doors.callback(asyncio.create_task(self._accept(door)).cancel)
                    gc.freeze()  # a full collection of all that is loaded would stop the clock for some 80 ms
                    doors.callback(gc.unfreeze)
                    if callable(ready):
                        ready()
                    self.session.clock.run_ticks()
                    await self._stopped.wait()
        finally:
            if self.arena.time_lock is self.time_lock:
                self.arena.time_lock = None
            self.session.close()
            await self._say_goodbye()

    async def _say_goodbye(self) -> None:
        for connection in list(self.connections):
            connection.close(1001, self.goodbye)
        for _ in range(20):  # those who are polite close their side within a second
            if not self.connections:
                return
            await asyncio.sleep(0.05)
        for connection in list(self.connections):
            connection.transport.abort()

    async def _listen(self) -> asyncio.Server:
        host, port = self.settings.host, self.settings.port
        loop = asyncio.get_running_loop()
        try:
            return await loop.create_server(lambda: Connection(self), host, port, start_serving=False)
        except OSError as error:
            if error.errno == errno.EADDRINUSE and self.settings.any_port:
                return await loop.create_server(lambda: Connection(self), host, 0, start_serving=False)
            if error.errno == errno.EADDRINUSE:
                raise LinkError(
                    f"port {port} on {host} is in use: stop what listens there, or choose another port"
                ) from None
            raise LinkError(f"cannot listen on {host}, port {port}: {error.strerror or error}") from None

    async def _accept(self, door: socket.socket) -> None:
        """Let connections in, one in each turn of the loop; none of an address where too many wait already."""
        while True:
            try:
                connection, address = await self._loop.sock_accept(door)
                strangers = self.session.shares.of_address(address[0])
                if strangers.held and len(strangers.connections) >= self.settings.most_clients:
                    connection.close()
                else:
                    await self._loop.connect_accepted_socket(lambda: Connection(self), connection)
                await asyncio.sleep(0)
            except OSError as error:  # it went away already, or there are too many open files
                if error.errno in (errno.EMFILE, errno.ENFILE):
                    await asyncio.sleep(1.0)

    def stay_awake(self, until: float) -> None:
        """Look for messages, until a time of the loop, before falling asleep: waking up takes longer than a message."""
        if self._cores < 2:
            return
        if self._awake_until == 0.0:
            self._loop.call_soon(self._look)
        self._awake_until = until

    def _look(self) -> None:
        if self._loop.time() < self._awake_until:
            self._loop.call_soon(self._look)  # between two calls, the loop looks at all connections
        else:
            self._awake_until = 0.0

    @property
    def alive(self) -> bool:
        """Whether it serves at present."""
        return self._stopped is not None and not self._stopped.is_set() and not self._loop.is_closed()

    def call(self, function: Callable[[], object]) -> None:
        """Have a function called in the server's thread, from any other."""
        self._loop.call_soon_threadsafe(function)

    def stop(self) -> None:
        """End `serve`, from any thread."""
        if self._stopped is not None:
            with contextlib.suppress(RuntimeError):  # it has ended already
                self._loop.call_soon_threadsafe(self._stopped.set)

    @contextlib.contextmanager
    def in_background(self) -> Iterator[Server]:
        """Serve in a thread of its own while the block runs."""
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
