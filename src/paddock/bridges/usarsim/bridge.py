"""USARSim: serves a world to programs written for USARSim."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from paddock.arena import Arena
from paddock.arena.robot import Robot
from paddock.bridges.common.bridge import LOOPBACK, Bridge
from paddock.bridges.common.emulator_server import EmulatorServer
from paddock.bridges.common.ports import describe_guard
from paddock.bridges.common.scene_world import ArenaWorld
from paddock.bridges.usarsim.image_server import UsarImages, find_camera
from paddock.bridges.usarsim.robot_session import UsarRobot
from paddock.core.argument_checks import HIGHEST_PORT
from paddock.core.errors import PaddockError

NAME, IMAGES = "usarsim", "usarsim images"
SWEEPS = ("counterclockwise", "clockwise")
EXPECTED = f"expected a port from 0 to {HIGHEST_PORT}, optionally scan=clockwise and camera=PORT: 3000,camera=5003"


class UsarSimServer(Bridge):
    """Serves an arena with USARSim's protocol, for the lifetime of a `with` block. Each connection drives one robot."""

    def __init__(
        self, arena: Arena, port: int, *, host: str = LOOPBACK, clockwise: bool = False, image_port: int | None = None
    ) -> None:
        """
        Args:
            arena: the arena that contains the robots. Existing robots of a requested class are assigned first; further
                ones are added.
            port: usually 3000; 0 for any free port.
            host: its address. There is no token authentication: any client that reaches the port can drive robots.
            clockwise: whether scanners sweep from left to right; otherwise from right to left.
            image_port: port of the image server, usually 5003; None: no image server.
        """
        self.arena, self.clockwise, self.robots, self.viewers = arena, clockwise, list[UsarRobot](), list[UsarImages]()
        self._live = ArenaWorld(arena)
        self._shown: UsarRobot | None = None
        self._server = EmulatorServer()
        self._server.listen_each(NAME, self._add_robot, host, port)
        if image_port is not None:
            self._server.listen_each(IMAGES, self._add_viewer, host, image_port)
        self.address, self.image_address = self._server.addresses[NAME], self._server.addresses.get(IMAGES)
        self._end_ticks = arena.on_tick(self._tick)
        self._server.start()

    def _add_robot(self, send: Callable[[bytes], None]) -> UsarRobot:
        self.robots = [robot for robot in self.robots if not robot.gone]
        robot = UsarRobot(
            self._live,
            send,
            lambda: {r.robot.name for r in self.robots if r.robot is not None},
            clockwise=self.clockwise,
            show=self._show,
        )
        self.robots.append(robot)
        return robot

    def _add_viewer(self, send: Callable[[bytes], None]) -> UsarImages:
        self.viewers = [viewer for viewer in self.viewers if not viewer.gone]
        self.viewers.append(UsarImages(self._find_shown, send))
        return self.viewers[-1]

    def _show(self, name: str) -> bool:
        """Select the robot that the image server shows; return whether it has a camera and a server exists."""
        named = [robot for robot in self.robots if robot.name == name and not robot.gone]
        found = bool(named and self.image_address and named[0].robot and find_camera(named[0].robot))
        self._shown = named[0] if found else self._shown
        return found

    def _find_shown(self) -> Robot | None:
        """Return the robot that a client selected, otherwise the first with a camera."""
        chosen = [self._shown] if self._shown is not None and not self._shown.gone else []
        robots = (client.robot for client in [*chosen, *self.robots] if client.robot is not None)
        return next((robot for robot in robots if find_camera(robot) is not None), None)

    def _tick(self) -> None:
        for robot in self.robots:
            robot.tick()
        for viewer in self.viewers:
            if not viewer.gone:
                viewer.tick(self.arena.time)

    def describe(self) -> Iterator[str]:
        """Yield the address, and a warning if access is not protected."""
        host, port = self.address
        images = "" if self.image_address is None else f", images at port {self.image_address[1]}"
        yield f"USARSim at {host}, port {port}{images}   (usarsim://{host}:{port}){describe_guard(host)}"

    def close(self) -> None:
        """Close the ports and remove the robots that were added for clients."""
        self._end_ticks()
        self._server.close()


def open_usarsim(arena: Arena, values: Sequence[str], host: str) -> UsarSimServer:
    """Open the bridge `usarsim=PORT[,camera=PORT][,scan=clockwise]`: programs written for USARSim.

    They usually use port 3000, and 5003 for the camera's image server. With scan=clockwise, scanners sweep clockwise.
    """
    if len(values) != 1:
        raise PaddockError(f"usarsim: expected this bridge once, got {', '.join(values)}")
    port, *options = values[0].split(",")
    settings = dict(option.partition("=")[::2] for option in options)
    sweep, image_port = settings.pop("scan", SWEEPS[0]), settings.pop("camera", None)
    ports = [port, *([] if image_port is None else [image_port])]
    if settings or sweep not in SWEEPS or not all(text.isdecimal() and int(text) <= HIGHEST_PORT for text in ports):
        raise PaddockError(f"usarsim: {EXPECTED}; got {values[0]}")
    return UsarSimServer(
        arena,
        int(port),
        host=host,
        clockwise=sweep == "clockwise",
        image_port=None if image_port is None else int(image_port),
    )
