"""CoppeliaSim: a port at which programs written for its ZeroMQ remote API find their robots in a served world."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import threading
from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING

from paddock.arena import Arena
from paddock.bridges.base import LOOPBACK, Bridge
from paddock.bridges.ports import CLOSING, HIGHEST_PORT, describe_guard, get_time, list_some, open_port, read_ports
from paddock.bridges.scene_world import ArenaWorld
from paddock.coppelia.legacy import LegacySimulator
from paddock.coppelia.paths import path_of
from paddock.core.errors import LinkError, PaddockError

if TYPE_CHECKING:
    from paddock.bridges.coppelia_client import CoppeliaClient, CoppeliaConnection, StepSubscriber

SILENCE = 10.0  # seconds for which a stepping client may let others wait
LONGEST_HOLD = 2.0  # seconds after which a client that waits for a step is told that the server is there
LOOK = 0.5  # seconds between two looks at those who wait
LONGEST_HANDSHAKE = 10.0  # seconds
EXPECTED = f"coppelia: expected a port from 0 to {HIGHEST_PORT}, and perhaps 'stopped': 23000 or 23000,stopped"


class CoppeliaServer(Bridge):
    """Serves an arena in CoppeliaSim's ZeroMQ remote API, for the lifetime of a `with` block.

    Its sockets are served in the event loop of the arena's server, which speaks ZeroMQ's protocol itself: a request and
    its answer need no other thread, and time does not pass in between.
    """

    def __init__(
        self, arena: Arena, port: int, *, host: str = LOOPBACK, stopped: bool = False, silence: float = SILENCE
    ) -> None:
        """
        Args:
            arena: where the robots are; it must have a `Server`.
            port: for requests, usually 23000; 0 for any that is free. The next port is for protocol 1's steps.
            host: its address. The language has no place for a token: whoever reaches the port drives robots.
            stopped: time stands still until a client calls `sim.startSimulation`, or somebody presses play.
            silence: seconds for which a client in stepping mode may let others wait.
        """
        time = get_time(arena, "coppelia")
        try:
            from paddock.bridges.coppelia_client import CoppeliaConnection, StepSubscriber
        except ModuleNotFoundError as error:
            if error.name != "cbor2":
                raise
            raise PaddockError("coppelia: cbor2 is not installed: pip install 'paddock[coppelia]'") from None
        self._kinds = CoppeliaConnection, StepSubscriber
        self.arena, self.time, self.stopped, self.silence = arena, time, stopped, silence
        self.live = ArenaWorld(arena)
        self.simulator = LegacySimulator(self.live)
        self.connections: dict[CoppeliaConnection, None] = {}
        self.subscribers: dict[StepSubscriber, None] = {}
        self.clients: dict[str, CoppeliaClient] = {}  # by uuid
        self.loop: asyncio.AbstractEventLoop
        self._task: asyncio.Task[None] | None = None
        self._closed = threading.Event()
        self._watch: asyncio.TimerHandle | None = None
        self._sockets = open_ports(host, port)
        self.host, self.port = host, int(self._sockets[0].getsockname()[1])
        self.time.on_start(self._begin)

    def _begin(self, loop: asyncio.AbstractEventLoop) -> None:
        """The server's event loop runs: listen."""
        self.loop = loop
        if self.stopped:
            self.time.stop()
        self._task = loop.create_task(self._serve())
        self._task.add_done_callback(lambda task: self._closed.set())
        self._look()

    async def _serve(self) -> None:
        """Listen until the bridge is closed, or the server's event loop ends."""
        servers = [
            await self.loop.create_server(partial(kind, self), sock=listener)
            for kind, listener in zip(self._kinds, self._sockets, strict=False)  # there may be no port for steps
        ]
        try:
            await asyncio.Event().wait()
        finally:
            if self._watch is not None:
                self._watch.cancel()
            for server in servers:
                server.close()
            for transport in [member.transport for group in (self.connections, self.subscribers) for member in group]:
                transport.abort()

    def _look(self) -> None:
        """Tell those who wait for long that the server is there; hang up on those who never say what they want."""
        now = self.loop.time()
        for connection in list(self.connections):
            client = connection.waits_for
            if client is not None and client.held_since is not None and now - client.held_since > LONGEST_HOLD:
                client.session.hold_out()
            elif not connection.peer.ready and now - connection.began > LONGEST_HANDSHAKE:
                connection.hang_up("it never finished ZeroMQ's handshake")
        self._watch = self.loop.call_later(LOOK, self._look)

    def list_clients(self) -> list[CoppeliaClient]:
        """All clients that have said something and are still there."""
        return list(dict.fromkeys(client for c in self.connections for client in c.clients.values()))

    def forget_client(self, client: CoppeliaClient) -> None:
        """A client's connection was lost."""
        self.clients = {uuid: other for uuid, other in self.clients.items() if other is not client}
        client.close()

    @property
    def step_count(self) -> int:
        """Steps since the start."""
        return round(self.arena.time / self.simulator.step)

    def publish_step(self) -> None:
        """Tell clients of protocol 1 that a step has passed."""
        for subscriber in list(self.subscribers):
            subscriber.tell(self.step_count)

    def describe(self) -> Iterator[str]:
        """Where it is, its robots, and what guards it."""
        robots = list_some([path_of(self.simulator.scene, base) for base in self.simulator.scene.list_bases()])
        steps = "" if len(self._sockets) == 2 else f"   port {self.port + 1} is in use: no steps in protocol 1"
        yield (
            f"CoppeliaSim's ZeroMQ remote API at {self.host}, port {self.port}: {robots}   "
            f"(coppelia://{self.host}:{self.port}){describe_guard(self.host)}{steps}"
        )

    def close(self) -> None:
        """The ports vanish, and clients are hung up on."""
        if self._task is not None and not self._task.done():
            with contextlib.suppress(RuntimeError):  # the loop has ended meanwhile
                self.loop.call_soon_threadsafe(self._task.cancel)
                self._closed.wait(CLOSING)
        for listener in self._sockets:
            listener.close()


def open_ports(host: str, port: int) -> list[socket.socket]:
    """A port for requests, and the next one for steps, if it is free."""
    first = open_port("coppelia", host, port)
    try:
        return [first, open_port("coppelia", host, first.getsockname()[1] + 1)]
    except (LinkError, OverflowError):
        return [first]


def open_coppelia(arena: Arena, asked: Sequence[str], host: str) -> CoppeliaServer:
    """The bridge `coppelia`: a port, and perhaps `stopped`, with a comma between them."""
    ports, words = read_ports(asked, ("stopped",), EXPECTED)
    if len(ports) > 1:
        raise PaddockError(f"{EXPECTED}; got {','.join(asked)}")
    return CoppeliaServer(arena, ports[0], host=host, stopped="stopped" in words)
