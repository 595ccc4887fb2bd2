"""V-REP: ports at which programs written for its legacy remote API find their robots in a served world."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence

from paddock.arena import Arena
from paddock.bridges.base import LOOPBACK
from paddock.bridges.ports import HIGHEST_PORT, PortBridge, describe_guard, list_some, read_ports
from paddock.bridges.vrep_connection import VrepConnection
from paddock.coppelia.legacy import LegacySimulator

SILENCE = 10.0  # seconds after which time waits no longer for a client that triggers no step
EXPECTED = f"vrep: expected ports from 0 to {HIGHEST_PORT} with commas between them, and perhaps 'stopped': 19997,19999"


class VrepServer(PortBridge):
    """Serves an arena in V-REP's legacy remote API, for the lifetime of a `with` block."""

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
        super().__init__("vrep", arena, ports, host=host, silence=silence)
        self.stopped, self.simulator = stopped, LegacySimulator(self.live)
        self.time.on_start(self.begin)

    def begin(self, loop: asyncio.AbstractEventLoop) -> None:
        """The server's event loop runs: listen."""
        if self.stopped:
            self.time.stop()
        super().begin(loop)

    def new_connection(self, port: int, loop: asyncio.AbstractEventLoop) -> VrepConnection:
        """What serves a client."""
        return VrepConnection(self, loop)

    def describe(self) -> Iterator[str]:
        """Where it is, its robots, and what guards it."""
        host = self.addresses[0][0]
        ports = ", ".join(str(port) for _, port in self.addresses)
        robots = list_some([base.name for base in self.simulator.scene.list_bases()])
        yield (
            f"V-REP's remote API at {host}, port {ports}: {robots}   (vrep://{host}:{self.addresses[0][1]})"
            f"{describe_guard(host)}"
        )


def open_vrep(arena: Arena, asked: Sequence[str], host: str) -> VrepServer:
    """The bridge `vrep`: ports, and perhaps `stopped`, with commas between them."""
    ports, words = read_ports(asked, ("stopped",), EXPECTED)
    return VrepServer(arena, *ports, host=host, stopped="stopped" in words)
