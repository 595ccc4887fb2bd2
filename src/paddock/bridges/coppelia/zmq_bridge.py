"""CoppeliaSim: serves a world to programs written for CoppeliaSim's ZeroMQ remote API."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from paddock.arena import Arena
from paddock.bridges.common.bridge import LOOPBACK
from paddock.bridges.common.ports import PortBridge, describe_guard, get_time, list_some, open_port, read_ports
from paddock.bridges.coppelia.legacy import LegacySimulator
from paddock.bridges.coppelia.scene.paths import make_object_path
from paddock.core.argument_checks import HIGHEST_PORT
from paddock.core.errors import LinkError, PaddockError
from paddock.core.packages import install_extra

if TYPE_CHECKING:
    from paddock.bridges.coppelia.zmq_client import CoppeliaClient, CoppeliaConnection, StepSubscriber

SILENCE = 10.0  # timeout of a stepping client that keeps other clients waiting [s]
LONGEST_HOLD = 2.0  # seconds after which a client that waits for a step receives a keep-alive reply
LOOK = 0.5  # seconds between two checks of waiting clients
TRIES = 50  # free ports whose next port may be in use
EXPECTED = f"coppelia: expected a port from 0 to {HIGHEST_PORT}, optionally 'stopped': 23000 or 23000,stopped"


class CoppeliaServer(PortBridge):
    """Serves an arena with CoppeliaSim's ZeroMQ remote API, for the lifetime of a `with` block.

    ZeroMQ's protocol is implemented in the event loop of the arena's server, without a further thread.
    """

    def __init__(
        self, arena: Arena, port: int, *, host: str = LOOPBACK, stopped: bool = False, silence: float = SILENCE
    ) -> None:
        """
        Args:
            arena: the arena that contains the robots; it must have a `Server`.
            port: for requests, usually 23000; 0 for any free port. The next port publishes the steps of protocol 1.
            host: its address. There is no token authentication: any client that reaches the port can drive robots.
            stopped: whether time is stopped until a client calls `sim.startSimulation` or a user presses play.
            silence: timeout of a client in stepping mode that keeps other clients waiting [s].
        """
        get_time(arena, "coppelia")
        try:
            from paddock.bridges.coppelia.zmq_client import CoppeliaConnection, StepSubscriber
        except ModuleNotFoundError as error:
            if error.name != "cbor2":
                raise
            raise PaddockError(f"coppelia: cbor2 is not installed: {install_extra('coppelia')}") from None
        super().__init__("coppelia", arena, [port or _choose_port(host)], host=host, silence=silence)
        self._kinds = CoppeliaConnection, StepSubscriber  # of the port for requests and of the next port
        self.host, self.port = self.addresses[0]
        with contextlib.suppress(LinkError, OverflowError):  # the port for steps is optional
            self._sockets.append(open_port("coppelia", host, self.port + 1))
        self.stopped, self.simulator = stopped, LegacySimulator(self.live)
        self.subscribers: dict[StepSubscriber, None] = {}
        self.clients: dict[str, CoppeliaClient] = {}  # by uuid
        self.loop: asyncio.AbstractEventLoop
        self._watch: asyncio.TimerHandle
        self.time.on_start(self.begin)

    def begin(self, loop: asyncio.AbstractEventLoop) -> None:
        """Start to listen; called once the server's event loop runs."""
        self.loop = loop
        if self.stopped:
            self.time.stop()
        super().begin(loop)
        self._poll()

    def new_connection(self, port: int, loop: asyncio.AbstractEventLoop) -> CoppeliaConnection | StepSubscriber:
        """Return the connection for a new client of the port for requests or for steps."""
        requests, steps = self._kinds
        return requests(self, loop) if port == 0 else steps(self)

    def _disconnect_all(self) -> None:
        self._watch.cancel()
        super()._disconnect_all()
        for subscriber in list(self.subscribers):
            subscriber.transport.abort()

    def _poll(self) -> None:
        """Send a keep-alive reply to clients that wait long."""
        now = self.loop.time()
        for connection in list(self.connections):
            client = connection.waits_for
            if client is not None and client.held_since is not None and now - client.held_since > LONGEST_HOLD:
                client.session.hold_out()
        self._watch = self.loop.call_later(LOOK, self._poll)

    def list_clients(self) -> list[CoppeliaClient]:
        """Return all connected clients that have sent a request."""
        return list(dict.fromkeys(client for c in self.connections for client in c.clients.values()))

    def forget_client(self, client: CoppeliaClient) -> None:
        """Remove a client whose connection was lost."""
        self.clients = {uuid: other for uuid, other in self.clients.items() if other is not client}
        client.close()

    @property
    def step_count(self) -> int:
        """Number of steps since the start."""
        return round(self.arena.time / self.simulator.step)

    @property
    def publishes(self) -> bool:
        """Whether steps are published: the next port was free."""
        return len(self._sockets) == 2

    def publish_step(self) -> None:
        """Notify clients of protocol 1 of a completed step."""
        for subscriber in list(self.subscribers):
            subscriber.send_step_count(self.step_count)

    def describe(self) -> Iterator[str]:
        """Yield the address, the robots, and a warning if access is not protected."""
        robots = list_some([make_object_path(self.simulator.scene, base) for base in self.simulator.scene.list_bases()])
        steps = "" if self.publishes else f"   port {self.port + 1} is in use: no stepping in protocol 1"
        yield (
            f"CoppeliaSim's ZeroMQ remote API at {self.host}, port {self.port}: {robots}   "
            f"(coppelia://{self.host}:{self.port}){describe_guard(self.host)}{steps}"
        )


def _choose_port(host: str) -> int:
    """Return a free port whose next port is free, too; 0 if there is none."""
    for _ in range(TRIES):
        with open_port("coppelia", host, 0) as first:
            port: int = first.getsockname()[1]
            with contextlib.suppress(LinkError, OverflowError), open_port("coppelia", host, port + 1):
                return port
    return 0


def open_coppelia(arena: Arena, values: Sequence[str], host: str) -> CoppeliaServer:
    """Open the bridge `coppelia=PORT[,stopped]`: programs for CoppeliaSim's ZeroMQ remote API, usually port 23000.

    With stopped, the clock is stopped until sim.startSimulation.
    """
    ports, words = read_ports(values, ("stopped",), EXPECTED)
    if len(ports) > 1:
        raise PaddockError(f"{EXPECTED}; got {','.join(values)}")
    return CoppeliaServer(arena, ports[0], host=host, stopped="stopped" in words)
