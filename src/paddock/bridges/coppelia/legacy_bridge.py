"""V-REP: serves a world to programs written for V-REP's legacy remote API."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence

from paddock.arena import Arena
from paddock.bridges.common.bridge import LOOPBACK
from paddock.bridges.common.ports import PortBridge, describe_guard, list_some, read_ports
from paddock.bridges.coppelia.legacy import LegacySimulator
from paddock.bridges.coppelia.legacy_connection import VrepConnection
from paddock.core.argument_checks import HIGHEST_PORT

SILENCE = 10.0  # seconds without a trigger after which a client is released from the lock
EXPECTED = f"vrep: expected comma-separated ports from 0 to {HIGHEST_PORT}, optionally 'stopped': 19997,19999"


class VrepServer(PortBridge):
    """Serves an arena with V-REP's legacy remote API, for the lifetime of a `with` block."""

    def __init__(
        self, arena: Arena, *ports: int, host: str = LOOPBACK, stopped: bool = False, silence: float = SILENCE
    ) -> None:
        """
        Args:
            arena: the arena that contains the robots; it must have a `Server`.
            ports: usually 19997 and 19999; 0 for any free port. Each accepts any number of clients.
            host: their address. There is no token authentication: any client that reaches a port can drive robots.
            stopped: whether time is stopped until a client calls `simxStartSimulation` or a user presses play.
            silence: timeout of a synchronous client that keeps other clients waiting [s].
        """
        super().__init__("vrep", arena, ports, host=host, silence=silence)
        self.stopped, self.simulator = stopped, LegacySimulator(self.live)
        self.time.on_start(self.begin)

    def begin(self, loop: asyncio.AbstractEventLoop) -> None:
        """Start to listen; called once the server's event loop runs."""
        if self.stopped:
            self.time.stop()
        super().begin(loop)

    def new_connection(self, port: int, loop: asyncio.AbstractEventLoop) -> VrepConnection:
        """Return the connection for a new client."""
        return VrepConnection(self, loop)

    def describe(self) -> Iterator[str]:
        """Yield the address, the robots, and a warning if access is not protected."""
        host = self.addresses[0][0]
        ports = ", ".join(str(port) for _, port in self.addresses)
        robots = list_some([base.name for base in self.simulator.scene.list_bases()])
        yield (
            f"V-REP's remote API at {host}, port {ports}: {robots}   (vrep://{host}:{self.addresses[0][1]})"
            f"{describe_guard(host)}"
        )


def open_vrep(arena: Arena, values: Sequence[str], host: str) -> VrepServer:
    """Open the bridge `vrep=PORT[,PORT…][,stopped]`: programs for V-REP's remote API, usually ports 19997,19999.

    With stopped, the clock is stopped until simxStartSimulation.
    """
    ports, words = read_ports(values, ("stopped",), EXPECTED)
    return VrepServer(arena, *ports, host=host, stopped="stopped" in words)
