"""PortBridge: a bridge whose ports are served in the event loop of the arena's server."""

from __future__ import annotations

import asyncio
import errno
import socket
import threading
from abc import abstractmethod
from collections.abc import Collection, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from paddock.arena import Arena
from paddock.arena.time_lock import TimeLock
from paddock.bridges.base import Bridge
from paddock.bridges.scene_world import ArenaWorld
from paddock.core.addresses import is_loopback
from paddock.core.errors import LinkError, PaddockError, Refused, SimulationError

if TYPE_CHECKING:
    from paddock.bridges.connection import MessageConnection

HIGHEST_PORT = 65535
MOST_NAMED = 8  # robots in a line for people
CLOSING = 5.0  # seconds for the server's thread to close connections


class PortBridge(Bridge):
    """Each port takes any number of clients. A request and its answer need no other thread, and time does not pass in
    between."""

    def __init__(self, name: str, arena: Arena, ports: Sequence[int], *, host: str, silence: float) -> None:
        """
        Args:
            name: of the kind of bridge.
            arena: where the robots are; it must have a `Server`.
            ports: 0 for any that is free.
            host: their address. Whoever reaches a port drives robots.
            silence: seconds for which a client in the lock may let others wait.
        """
        self.arena, self.time, self.silence = arena, get_time(arena, name), silence
        self.live = ArenaWorld(arena)
        self.connections: dict[Any, None] = {}  # those of its own kind
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
    def new_connection(self, port: int, loop: asyncio.AbstractEventLoop) -> MessageConnection[Any]:
        """What serves a client that comes to the n-th port."""

    def begin(self, loop: asyncio.AbstractEventLoop) -> None:
        """The server's event loop runs: listen. Whoever derives from this hands it to `time.on_start`."""
        self._loop = loop
        self._tasks = [loop.create_task(self._listen(loop, port)) for port in range(len(self._sockets))]

    async def _listen(self, loop: asyncio.AbstractEventLoop, port: int) -> None:
        meet = partial(self.new_connection, port, loop)
        self._servers.append(await loop.create_server(meet, sock=self._sockets[port]))

    def stop_time(self, host: str) -> list[Any]:
        """Back to the start, for the clients of a host, which are the answer; refused while others drive robots."""
        mine = [connection for connection in self.connections if connection.host == host]
        others = [other for other in self.connections if other not in mine and self.live.robots_of(other)]
        if others:
            raise Refused(f"the simulation cannot be stopped: {', '.join(c.name for c in others)} still drive robots")
        self.time.stop([connection.member for connection in mine])
        return mine

    def close(self) -> None:
        """The ports vanish, and clients are hung up on."""
        loop, closed = self._loop, threading.Event()
        if loop is not None and not loop.is_closed():

            def close_all() -> None:
                self._close_all()
                closed.set()

            try:
                loop.call_soon_threadsafe(close_all)
                closed.wait(CLOSING)
            except RuntimeError:  # the loop has ended meanwhile
                pass
        for listener in self._sockets:
            listener.close()

    def _close_all(self) -> None:
        for server in self._servers:
            server.close()
        for connection in list(self.connections):
            connection.transport.abort()


def get_time(arena: Arena, name: str) -> TimeLock:
    """The time of a served arena."""
    if arena.time_lock is None:
        raise SimulationError(f"{name}: this arena is not served: make a Server(arena) first, or use `paddock serve`")
    return arena.time_lock


def open_port(name: str, host: str, port: int) -> socket.socket:
    """A socket that listens."""
    try:
        listener = socket.create_server((host, port), backlog=64)
    except OSError as error:
        why = "is in use" if error.errno == errno.EADDRINUSE else f"cannot be had: {error.strerror or error}"
        raise LinkError(f"{name}: port {port} on {host} {why}; choose another") from None
    listener.setblocking(False)
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)  # small answers go at once; accepted ones inherit it
    return listener


def read_ports(asked: Sequence[str], known: Collection[str], expected: str) -> tuple[list[int], set[str]]:
    """Ports and known words, as they are asked for with commas between them."""
    words = [word.strip() for text in asked for word in text.split(",")]
    ports = [word for word in words if word not in known]
    if not ports or not all(word.isdecimal() and int(word) <= HIGHEST_PORT for word in ports):
        raise PaddockError(f"{expected}; got {','.join(asked)}")
    return [int(word) for word in ports], set(words) & set(known)


def describe_guard(host: str) -> str:
    """What people should know of an address at which nobody asks for a token."""
    return "" if is_loopback(host) else "   no token guards it: whoever reaches a port drives robots"


def list_some(names: Sequence[str]) -> str:
    """Names of robots for people; of very many the first ones."""
    return ", ".join(names[:MOST_NAMED]) + (f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else "")
