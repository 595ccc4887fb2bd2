"""USARSim: a port at which programs written for that simulator find their robot in a served world."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Self

from paddock.arena import Arena
from paddock.bridges.base import LOOPBACK
from paddock.bridges.usarsim_robot import UsarRobot
from paddock.core.addresses import is_loopback
from paddock.core.errors import PaddockError
from paddock.epuck.emulator.server import EmulatorServer

HIGHEST_PORT = 65535
NAME = "usarsim"


class UsarSimServer:
    """Serves an arena in USARSim's language, for the lifetime of a `with` block. Each connection is one robot."""

    def __init__(self, arena: Arena, port: int, *, host: str = LOOPBACK) -> None:
        """
        Args:
            arena: where the robots are. Robots of the wanted class that stand there are taken first, then others come.
            port: 3000 is usual; 0 for any that is free.
            host: its address. The language has no place for a token: whoever reaches the port drives robots.
        """
        self.arena, self.robots = arena, list[UsarRobot]()
        self._server = EmulatorServer()
        self._server.listen_each(NAME, self._meet, host, port)
        self.address = self._server.addresses[NAME]
        self._end_ticks = arena.on_tick(self._tick)
        self._server.start()

    def _meet(self, say: Callable[[bytes], None]) -> UsarRobot:
        self.robots = [robot for robot in self.robots if not robot.gone]
        robot = UsarRobot(self.arena, say, lambda: {r.robot.name for r in self.robots if r.robot is not None})
        self.robots.append(robot)
        return robot

    def _tick(self) -> None:
        for robot in self.robots:
            robot.tick()

    def describe(self) -> Iterator[str]:
        """Where it is, and what guards it."""
        host, port = self.address
        guard = "" if is_loopback(host) else "   no token guards it: whoever reaches this port drives robots"
        yield f"USARSim at {host}, port {port}   (usarsim://{host}:{port}){guard}"

    def close(self) -> None:
        """Robots that came with their clients go, and the port vanishes."""
        self._end_ticks()
        self._server.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


def open_usarsim(arena: Arena, asked: Sequence[str], host: str) -> UsarSimServer:
    """The bridge `usarsim`: a port."""
    if len(asked) != 1 or not asked[0].isdecimal() or int(asked[0]) > HIGHEST_PORT:
        raise PaddockError(f"usarsim: expected one port from 0 to {HIGHEST_PORT}, got {', '.join(asked)}")
    return UsarSimServer(arena, int(asked[0]), host=host)
