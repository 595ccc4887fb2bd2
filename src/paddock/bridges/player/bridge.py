"""Player: serves a world to programs written for Player and Stage."""

from __future__ import annotations

import asyncio
import operator
from collections.abc import Callable, Iterator, Sequence
from functools import partial

from paddock.arena import Arena
from paddock.bridges.common.bridge import LOOPBACK
from paddock.bridges.common.ports import PortBridge, describe_guard, list_some, read_ports
from paddock.bridges.common.scene_world import ArenaRobot
from paddock.bridges.player.connection import PlayerConnection
from paddock.bridges.player.devices import DeviceTable, RobotDevice
from paddock.bridges.player.fiducial import FiducialDevice
from paddock.bridges.player.position import PositionDevice
from paddock.bridges.player.sensors import make_sensor_devices
from paddock.bridges.player.simulation import SimulationDevice
from paddock.core.argument_checks import HIGHEST_PORT
from paddock.core.errors import PaddockError

SILENCE = 10.0  # timeout of a stepping client that keeps other clients waiting [s]
INTERVAL = 0.1  # [s] between two data messages, as in Stage
WORDS = ("stepped", "world")
EXPECTED = (
    f"player: expected comma-separated ports from 0 to {HIGHEST_PORT}, optionally 'stepped' and 'world': "
    "6665 or 6665,6666,stepped"
)


class PlayerServer(PortBridge):
    """Serves an arena with Player's protocol, for the lifetime of a `with` block."""

    def __init__(
        self,
        arena: Arena,
        *ports: int,
        host: str = LOOPBACK,
        stepped: bool = False,
        in_world: bool = False,
        silence: float = SILENCE,
    ) -> None:
        """
        Args:
            arena: the arena that contains the robots; it must have a `Server`.
            ports: usually 6665; 0 for any free port. A single port serves all robots. Of several ports, each serves one
                robot in the order of the world, and the last serves the remaining robots.
            host: their address. There is no token authentication: any client that reaches a port can drive robots.
            stepped: whether time waits until clients in pull mode request data; otherwise it runs freely.
            in_world: whether position2d reports poses in the world frame; otherwise relative to the start pose.
            silence: timeout of a stepping client that keeps other clients waiting [s].
        """
        super().__init__("player", arena, ports, host=host, silence=silence)
        self.stepped, self.in_world = stepped, in_world
        self.interval = max(1, round(INTERVAL / arena.dt))  # ticks between two data messages
        self._numbers: dict[str, int] = {}  # numbers of the fiducials, by robot
        names = list(arena.numbers)
        if len(ports) > max(1, len(names)):
            self.close()
            raise PaddockError(f"player: there are {len(ports)} ports for {len(names)} robots")
        alone = names[: len(ports) - 1]
        robots_of_port: list[Callable[[str], bool]] = [partial(operator.eq, name) for name in alone]
        robots_of_port.append(lambda name: name not in alone)
        simulation = SimulationDevice(self)
        self._tables = [DeviceTable(self.live, serves, self._make_devices, simulation) for serves in robots_of_port]
        self.time.on_start(self.begin)

    def _make_devices(self, robot: ArenaRobot) -> list[RobotDevice]:
        return [
            PositionDevice(robot, in_world=self.in_world),
            *make_sensor_devices(robot),
            FiducialDevice(robot, self._numbers),
        ]

    def new_connection(self, port: int, loop: asyncio.AbstractEventLoop) -> PlayerConnection:
        """Return the connection for a new client."""
        return PlayerConnection(self, loop, self._tables[port], self.addresses[port][1])

    def describe(self) -> Iterator[str]:
        """Yield the address and the robots of each port, and a warning if access is not protected."""
        names, last = list(self.arena.numbers), len(self.addresses) - 1
        for k, (host, port) in enumerate(self.addresses):
            robots = list_some(
                [f"position2d:{i} {n}" for i, n in enumerate(names[k:] if k == last else names[k : k + 1])]
            )
            yield f"Player at {host}, port {port}: {robots}   (player://{host}:{port}){describe_guard(host)}"


def open_player(arena: Arena, values: Sequence[str], host: str) -> PlayerServer:
    """Open the bridge `player=PORT[,PORT…][,stepped][,world]`: programs for Player and Stage, usually port 6665.

    One port serves all robots, several serve one robot each. With stepped, the clock waits for their reads; with world,
    poses are in the world frame.
    """
    ports, words = read_ports(values, WORDS, EXPECTED)
    return PlayerServer(arena, *ports, host=host, stepped="stepped" in words, in_world="world" in words)
