"""V-REP: ports at which programs written for its legacy remote API find their robots in a served world."""

from __future__ import annotations

import asyncio
import errno
import logging
import socket
import threading
from collections.abc import Iterator, Sequence
from functools import partial

from paddock.arena import Arena
from paddock.bridges.base import LOOPBACK, Bridge
from paddock.bridges.scene_world import ArenaWorld
from paddock.bridges.vrep_connection import VrepConnection
from paddock.coppelia.legacy import LegacySimulator
from paddock.core.addresses import is_loopback
from paddock.core.errors import LinkError, PaddockError, SimulationError

HIGHEST_PORT = 65535
SILENCE = 10.0  # seconds after which time waits no longer for a client that triggers no step
CLOSING = 5.0  # seconds for the server's thread to close connections
EXPECTED = f"expected ports from 0 to {HIGHEST_PORT} with commas between them, and perhaps 'stopped': 19997,19999"

log = logging.getLogger("paddock.vrep")


class VrepServer(Bridge):
    """Serves an arena in V-REP's legacy remote API, for the lifetime of a `with` block.

    Its sockets are served in the event loop of the arena's server: a request and its answer need no other thread, and
    time does not pass in between.
    """

    def __init__(
        self, arena: Arena, *ports: int, host: str = LOOPBACK, stopped: bool = False, silence: float = SILENCE
    ) -> None:
        """
        Args:
            arena: where the robots are; it must have a `Server`.
            ports: 19997 and 19999 are usual; 0 for any that is free. Each takes any number of clients.
            host: their address. The language has no place for a token: whoever reaches a port drives robots.
            stopped: time stands still until a client calls `simxStartSimulation`, or somebody presses play.
            silence: seconds for which a synchronous client may let others wait.
        """
        if arena.time_lock is None:
            raise SimulationError("vrep: this arena is not served: make a Server(arena) first, or use `paddock serve`")
        self.arena, self.time, self.stopped, self.silence = arena, arena.time_lock, stopped, silence
        self.live = ArenaWorld(arena)
        self.simulator = LegacySimulator(self.live)
        self.connections: dict[VrepConnection, None] = {}
        self._sockets: list[socket.socket] = []
        self._servers: list[asyncio.Server] = []
        self._loop: asyncio.AbstractEventLoop | None = None
        try:
            for port in ports:
                self._sockets.append(open_port(host, port))
        except BaseException:
            self.close()
            raise
        self.addresses: list[tuple[str, int]] = [(host, s.getsockname()[1]) for s in self._sockets]
        self.time.on_start(self._begin)

    def _begin(self, loop: asyncio.AbstractEventLoop) -> None:
        """The server's event loop runs: listen."""
        self._loop = loop
        if self.stopped:
            self.time.stop()
        self._tasks = [loop.create_task(self._listen(listener)) for listener in self._sockets]

    async def _listen(self, listener: socket.socket) -> None:
        loop = asyncio.get_running_loop()
        self._servers.append(await loop.create_server(partial(VrepConnection, self, loop), sock=listener))

    def describe(self) -> Iterator[str]:
        """Where it is, and what guards it."""
        host = self.addresses[0][0]
        ports = ", ".join(str(port) for _, port in self.addresses)
        guard = "" if is_loopback(host) else "   no token guards it: whoever reaches a port drives robots"
        yield f"V-REP's remote API at {host}, port {ports}   (vrep://{host}:{self.addresses[0][1]}){guard}"

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
            connection.hang_up()


def open_port(host: str, port: int) -> socket.socket:
    """A socket that listens."""
    try:
        listener = socket.create_server((host, port), backlog=64)
    except OSError as error:
        why = "is in use" if error.errno == errno.EADDRINUSE else f"cannot be had: {error.strerror or error}"
        raise LinkError(f"vrep: port {port} on {host} {why}; choose another") from None
    listener.setblocking(False)
    return listener


def open_vrep(arena: Arena, asked: Sequence[str], host: str) -> VrepServer:
    """The bridge `vrep`: ports, and perhaps `stopped`, with commas between them."""
    words = [word.strip() for text in asked for word in text.split(",")]
    ports = [word for word in words if word != "stopped"]
    if not ports or not all(word.isdecimal() and int(word) <= HIGHEST_PORT for word in ports):
        raise PaddockError(f"vrep: {EXPECTED}; got {','.join(asked)}")
    return VrepServer(arena, *map(int, ports), host=host, stopped="stopped" in words)
