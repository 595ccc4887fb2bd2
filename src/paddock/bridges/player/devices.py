"""Devices of a port of Player's protocol: the base classes, and the table of available devices."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from typing import ClassVar

from paddock.arena.episode_robot import has_left
from paddock.bridges.common.scene_world import ArenaRobot, ArenaWorld
from paddock.bridges.player.wire import MessageType, PlayerInterface
from paddock.bridges.player.wire import interfaces as layout
from paddock.core.errors import Refused
from paddock.core.geometry import compute_bounds

Answer = Callable[[bytes], bytes]
Act = Callable[[bytes], None]
Vector = tuple[float, ...]


class PlayerDevice:
    """A device with its requests, commands and data. Call its methods in the thread of the server's event loop."""

    interface: ClassVar[PlayerInterface]

    def __init__(self) -> None:
        self.requests: dict[int, Answer] = {layout.CAPABILITY: self._know}  # by subtype; the answer is a payload
        self.commands: dict[int, Act] = {}  # by subtype

    def publish(self) -> Iterator[tuple[int, bytes]]:
        """Yield the subtype and payload of each data message."""
        yield from ()

    def forget(self, client: object) -> None:
        """Handle a client that unsubscribed or disconnected."""

    @property
    def gone(self) -> bool:
        """Whether the device was removed from the world."""
        return False

    def _know(self, data: bytes) -> bytes:
        type, subtype = layout.TYPE_AND_SUBTYPE.unpack(data)
        known = {MessageType.COMMAND: list(self.commands), MessageType.REQUEST: list(self.requests)}
        if subtype not in known.get(type, []):
            raise Refused(f"unknown message of type {type} and subtype {subtype}")
        return b""


class RobotDevice(PlayerDevice):
    """A device on a robot."""

    def __init__(self, robot: ArenaRobot) -> None:
        super().__init__()
        self.robot = robot

    @property
    def gone(self) -> bool:
        return has_left(self.robot.handle)


class DeviceTable:
    """The devices of a port, numbered within each interface in the order of robots and of their sensors.

    Numbers are permanent. The numbers of a removed robot are not reused; robots that are added later get new ones.
    """

    def __init__(
        self,
        live: ArenaWorld,
        serves: Callable[[str], bool],
        make: Callable[[ArenaRobot], list[RobotDevice]],
        simulation: PlayerDevice,
    ) -> None:
        """
        Args:
            live: the world.
            serves: returns whether this port serves the robot with a name.
            make: creates the devices of a robot.
            simulation: the device that does not belong to a robot.
        """
        self._live, self._serves, self._make = live, serves, make
        self._layout: int | None = None  # the layout that the table was built for
        self._known: list[ArenaRobot] = []
        self._counts: Counter[PlayerInterface] = Counter()
        self._devices: dict[tuple[int, int], PlayerDevice] = {}
        self._add(simulation)

    def _add(self, device: PlayerDevice) -> None:
        number = self._counts[device.interface]
        self._counts[device.interface] += 1
        self._devices[device.interface, number] = device

    def list(self) -> dict[tuple[int, int], PlayerDevice]:
        """Return all available devices by interface and number."""
        if self._layout != self._live.layout:
            self._layout = self._live.layout
            self._devices = {place: device for place, device in self._devices.items() if not device.gone}
            robots = [robot for robot in self._live.list_robots() if self._serves(robot.name)]
            for robot in robots:
                if robot not in self._known:  # compare robots, not names: a removed robot may have had the same name
                    for device in self._make(robot):
                        self._add(device)
            self._known = robots
        return self._devices

    def find(self, interface: int, number: int) -> PlayerDevice:
        """Return a device, or raise Refused if it does not exist."""
        device = self.list().get((interface, number))
        if device is None:
            raise Refused(f"device {name_device(interface, number)} does not exist")
        return device


def name_device(interface: int, number: int) -> str:
    """Return the usual name of a device: position2d:0."""
    known = interface in set(PlayerInterface)
    return f"{PlayerInterface(interface).name.lower() if known else interface}:{number}"


def measure_body(robot: ArenaRobot) -> tuple[Vector, Vector]:
    """Return the centre of a body as a 3D pose, and its width, length and height [m]."""
    x0, y0, x1, y1 = compute_bounds(robot.spec.body.shape)
    return flat_pose((x0 + x1) / 2, (y0 + y1) / 2), (y1 - y0, x1 - x0, robot.spec.body.height)


def flat_pose(x: float, y: float, heading: float = 0.0, *, z: float = 0.0) -> Vector:
    """Return the 3D pose of an upright object."""
    return x, y, z, 0.0, 0.0, heading
