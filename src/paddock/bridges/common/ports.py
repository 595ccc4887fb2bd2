"""PortBridge: base class of bridges whose ports are served in the event loop of the arena's server."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import socket
import threading
from abc import abstractmethod
from collections import deque
from collections.abc import Callable, Collection, Sequence
from functools import partial
from typing import Any

from paddock.arena import Arena
from paddock.arena.time_lock import TimeLock
from paddock.bridges.common.bridge import Bridge
from paddock.bridges.common.scene_world import ArenaWorld
from paddock.core.addresses import is_loopback
from paddock.core.argument_checks import HIGHEST_PORT
from paddock.core.errors import LinkError, PaddockError, Refused, SimulationError

MAX_NAMED = 8  # maximum number of robots named in a description
MAX_CONNECTIONS = 64  # of a bridge
SLICE = 0.01  # seconds for which messages of one client are processed before the clock and other clients continue
CLOSING = 5.0  # timeout for closing connections in the server's thread [s]


class PortBridge(Bridge):
    """A bridge with ports that accept any number of clients.

    Requests are answered in the thread of the event loop, so no simulated time passes between request and answer.
    """

    def __init__(self, name: str, arena: Arena, ports: Sequence[int], *, host: str, silence: float) -> None:
        """
        Args:
            name: name of the bridge.
            arena: the arena that contains the robots; it must have a `Server`.
            ports: port numbers; 0 for any free port.
            host: their address. Any client that reaches a port can drive robots.
            silence: timeout of a client in the lock that keeps other clients waiting [s].
        """
        self.arena, self.time, self.silence = arena, get_time(arena, name), silence
        self.live = ArenaWorld(arena)
        self.connections: dict[Any, None] = {}  # connections of this bridge, the oldest first
        self._busy: deque[Any] = deque()  # those whose messages are processed in turn
        self._sockets: list[socket.socket] = []
        self._servers: list[asyncio.Server] = []
        self._loop: asyncio.AbstractEventLoop | None = None
        try:
            for port in ports:
                self._sockets.append(open_port(name, host, port))
        except BaseException:
            self.close()
            raise
        self.addresses: list[tuple[str, int]] = [(host, s.getsockname()[1]) for s in self._sockets]

    @abstractmethod
    def new_connection(self, port: int, loop: asyncio.AbstractEventLoop) -> asyncio.Protocol:
        """Return the connection for a new client of the n-th port."""

    def begin(self, loop: asyncio.AbstractEventLoop) -> None:
        """Start to listen. Subclasses pass this method to `time.on_start`; it is called once the event loop runs."""
        self._loop = loop
        self._task = loop.create_task(self._serve(loop))

    def serve(self, connection: Any) -> None:
        """Process messages of a connection: now, or after those of other busy connections."""
        if self._busy:
            if connection not in self._busy:
                self._busy.append(connection)
            return
        connection.work()
        if connection.has_work:
            self._busy.append(connection)
            connection.loop.call_soon(self._serve_busy)

    def _serve_busy(self) -> None:
        """Process messages of one busy connection. Then the event loop and its clock continue."""
        connection = self._busy.popleft()
        connection.work()
        if connection.has_work:
            self._busy.append(connection)
        if self._busy:
            connection.loop.call_soon(self._serve_busy)

    def make_room(self) -> None:
        """Disconnect the oldest client that has sent no message if there are too many for another one."""
        if len(self.connections) >= MAX_CONNECTIONS:
            silent = next((other for other in self.connections if other.silent), None)
            if silent is not None:
                del self.connections[silent]
                silent.disconnect("it has sent no message, and others want to connect")

    async def _serve(self, loop: asyncio.AbstractEventLoop) -> None:
        """Listen until the bridge is closed or the server's event loop ends."""
        for port, listener in enumerate(self._sockets):
            meet = partial(self.new_connection, port, loop)
            self._servers.append(await loop.create_server(meet, sock=listener))
        try:
            await asyncio.Event().wait()
        finally:
            self._disconnect_all()

    def stop_time(self, host: str) -> list[Any]:
        """Stop and reset the simulation for the clients of a host; return them. Refuse while others drive robots."""
        mine = [connection for connection in self.connections if connection.host == host]
        others = [other for other in self.connections if other not in mine and self.live.list_driven_robots(other)]
        if others:
            raise Refused(f"the simulation cannot be stopped: {', '.join(c.name for c in others)} still drive robots")
        self.time.stop([connection.member for connection in mine])
        return mine

    def close(self) -> None:
        """Close the ports and disconnect all clients."""
        if self._loop is not None:
            call_and_wait(self._loop.call_soon_threadsafe, self._close_all)
        for listener in self._sockets:
            listener.close()

    def _close_all(self) -> None:
        """Close the bridge in the thread of the event loop."""
        self._disconnect_all()

    def _disconnect_all(self) -> None:
        for server in self._servers:
            server.close()
        for connection in list(self.connections):
            connection.transport.abort()


def call_and_wait(call: Callable[[Callable[[], object]], object], function: Callable[[], object]) -> None:
    """Call a function in the thread of an event loop and wait for its end. Do nothing if the loop has ended."""
    ended = threading.Event()

    def run() -> None:
        function()
        ended.set()

    with contextlib.suppress(RuntimeError):  # the loop is closed
        call(run)
        ended.wait(CLOSING)


def get_time(arena: Arena, name: str) -> TimeLock:
    """Return the time lock of a served arena."""
    if arena.time_lock is None:
        raise SimulationError(f"{name}: this arena is not served: create a Server(arena) first, or use `paddock serve`")
    return arena.time_lock


def open_port(name: str, host: str, port: int) -> socket.socket:
    """Open a listening socket."""
    try:
        listener = socket.create_server((host, port), backlog=64)
    except OSError as error:
        why = "is in use" if error.errno == errno.EADDRINUSE else f"cannot be opened: {error.strerror or error}"
        hint = "; ports below 1024 need administrator rights" if error.errno == errno.EACCES else ""
        raise LinkError(f"{name}: port {port} on {host} {why}{hint}; choose another") from None
    listener.setblocking(False)
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)  # no delay of short answers; inherited on accept
    return listener


def split_words(values: Sequence[str]) -> list[str]:
    """Return the words of comma-separated texts."""
    return [word.strip() for text in values for word in text.split(",")]


def read_ports(values: Sequence[str], known: Collection[str], expected: str) -> tuple[list[int], set[str]]:
    """Read ports and known words from comma-separated texts."""
    words = split_words(values)
    ports = [word for word in words if word not in known]
    if not ports or not all(word.isdecimal() and int(word) <= HIGHEST_PORT for word in ports):
        raise PaddockError(f"{expected}; got {','.join(values)}")
    return [int(word) for word in ports], set(words) & set(known)


def describe_guard(host: str) -> str:
    """Return a warning for the user if an address can be reached from other machines without a token."""
    return "" if is_loopback(host) else "   no token required: any client that reaches a port can drive robots"


def list_some(names: Sequence[str]) -> str:
    """Join names of robots for the user; list only the first `MAX_NAMED`."""
    return ", ".join(names[:MAX_NAMED]) + (f" and {len(names) - MAX_NAMED} more" if len(names) > MAX_NAMED else "")
