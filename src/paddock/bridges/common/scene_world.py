"""The live world of a bridge: gives programs for other simulators access to the robots of an arena."""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Container, Sequence
from contextlib import suppress
from typing import Any

import numpy as np
from numpy.typing import NDArray

from paddock.arena import Arena
from paddock.arena.devices import Camera, Device
from paddock.arena.episode_robot import has_left
from paddock.arena.local_body import LocalBody
from paddock.arena.robot import Robot
from paddock.core.errors import PaddockError, Refused, SimulationError
from paddock.core.geometry import Pose
from paddock.core.user_code import received_data
from paddock.simulation.engine import state as column
from paddock.simulation.robots import RobotSpec
from paddock.simulation.worlds import WorldSpec

MAX_SPAWNED = 32  # maximum number of robots that clients may add
CROWDED = 5.0  # seconds for which no place is searched after there was none, because a search takes long


class GuestBody(LocalBody):
    """A body for clients without a token: it takes no commands while a client with a token has the robot."""

    def _check_free(self) -> None:
        check_free(self.arena, self.name)

    def set_wheels(self, left: float, right: float, third: float = 0.0) -> None:
        self._check_free()
        super().set_wheels(left, right, third)

    def set_pan(self, device: Device, angle: float) -> None:
        self._check_free()
        super().set_pan(device, angle)

    def set_led(self, number: int, brightness: float) -> None:
        self._check_free()
        super().set_led(number, brightness)

    def set_tone(self, frequency: float, amplitude: float) -> None:
        self._check_free()
        super().set_tone(frequency, amplitude)

    def set_pose(self, pose: Pose) -> None:
        self._check_free()
        super().set_pose(pose)


def check_free(arena: Arena, robot: str) -> None:
    """Refuse a robot that a client with a token has claimed."""
    if owner := arena.find_owner(robot):
        raise Refused(f"robot {robot!r} is driven by {owner}, who has a token for it")


def stop_guest(robot: Robot) -> None:
    """Stop a robot whose client has left, unless it was removed or a client with a token has it."""
    if not has_left(robot):
        with suppress(Refused):
            robot.stop()


class ArenaRobot:
    """A robot of an arena. Sensors are switched on when they are first read."""

    def __init__(self, world: ArenaWorld, name: str) -> None:
        arena = world.arena
        self.world, self.arena, self.name = world, arena, name
        self.driver: object = None  # the client that sent the last wheel command
        self.handle = arena.robots.new_handle(name, GuestBody)
        self.spec = self.handle.spec

    @property
    def pose(self) -> Pose:
        return self.handle.pose

    def set_pose(self, pose: Pose) -> None:
        self.handle.set_pose(*pose)

    @property
    def wheel_speeds(self) -> tuple[float, float]:
        """Speeds of the left and right wheel [m/s at the rim]."""
        left, right = self.handle.wheels.speeds
        return left, right

    @property
    def command(self) -> tuple[float, float]:
        """Commanded speeds of the left and right wheel [m/s]."""
        left, right = self.handle.body.command
        return left, right

    def set_wheels(self, left: float, right: float) -> None:
        """Command wheel speeds [m/s]; capped at the data sheet's maximum."""
        self.driver = self.world.client
        self.handle.wheels.set(left, right)

    @property
    def travel(self) -> tuple[float, float]:
        """Distance travelled by each wheel since the start [m at the rim]."""
        row = self._row
        return float(row[column.LEFT_TRAVEL]), float(row[column.RIGHT_TRAVEL])

    @property
    def twist(self) -> tuple[float, float]:
        """Forward speed [m/s] and turn rate [rad/s] of the last tick."""
        row = self._row
        return float(row[column.FORWARD]), float(row[column.TURN])

    @property
    def touches(self) -> bool:
        """Whether it touched anything in the last tick."""
        return bool(self.handle.contacts)

    def read(self, device: str) -> NDArray[np.float64]:
        """Return the current values of a sensor in SI units."""
        return self.handle.body.read(self._enable(device), raw=False)

    def picture(self, device: str) -> NDArray[np.uint8]:
        """Return the current image of a camera, top row first, [row, column, rgb]."""
        return self.handle.body.picture(self._camera(device))

    def depth(self, device: str) -> NDArray[np.float64]:
        """Return the depth of every pixel [m]; infinity for floor and sky."""
        return self.handle.body.depth(self._camera(device))

    def read_leds(self) -> dict[str, float]:
        return self.handle.leds.read()

    def set_led(self, name: str, brightness: float) -> None:
        self.handle.leds.set(name, brightness)

    def _enable(self, name: str) -> Device:
        device = self.handle.device(name)
        if not device.enabled:
            device.enable()
        return device

    def _camera(self, name: str) -> Camera:
        device = self._enable(name)
        if not isinstance(device, Camera):
            raise PaddockError(f"{device} is not a camera")
        return device

    @property
    def _row(self) -> NDArray[np.float64]:
        with self.arena.mutex:
            row: NDArray[np.float64] = self.arena.motion[self.arena.numbers[self.name]]
        return row


class ArenaWorld:
    """An arena as the live world of a bridge, and the robots that clients added to it."""

    def __init__(self, arena: Arena) -> None:
        self.arena = arena
        self.client: object = None  # the client whose request is being processed; set by the connection
        self._robots: dict[str, ArenaRobot] = {}
        self.spawned: set[str] = set()  # names of robots that clients added
        self._crowded_until = 0.0  # no place is searched before this time

    @property
    def world(self) -> WorldSpec:
        return self.arena.world

    @property
    def layout(self) -> int:
        """Number of times that robots were added or removed."""
        return self.arena.layout

    @property
    def mark(self) -> bytes:
        """A value that changes with the sensor readings: they depend on the model and on clock, seed and motion."""
        return self.arena.state.clock.tobytes() + self.arena.motion.tobytes()

    @property
    def tick(self) -> int:
        return self.arena.tick

    @property
    def time(self) -> float:
        return self.arena.time

    @property
    def dt(self) -> float:
        return self.arena.dt

    def list_robots(self) -> Sequence[ArenaRobot]:
        """Return all robots; each robot is always the same object."""
        with self.arena.mutex:
            known = {name: robot for name, robot in self._robots.items() if not has_left(robot.handle)}
            self._robots = {name: known.get(name) or ArenaRobot(self, name) for name in self.arena.numbers}
            return list(self._robots.values())

    def list_driven_robots(self, client: object) -> list[ArenaRobot]:
        """Return the robots whose last command came from a client."""
        return [robot for robot in self._robots.values() if robot.driver is client and not has_left(robot.handle)]

    def spawn(self, kind: str | RobotSpec, *, name: str = "", **place: Any) -> str:
        """Add a robot and return its name: the given name or its type, with a number appended if that is taken."""
        if len(self.spawned & set(self.arena.numbers)) >= MAX_SPAWNED:
            raise PaddockError(f"clients have added {MAX_SPAWNED} robots already; remove one first")
        wait = self._crowded_until - time.monotonic()
        if place.get("at") is None and wait > 0:
            raise PaddockError(f"there was no room for a robot a moment ago; try again in {math.ceil(wait)} s")
        free = choose_free_name(name or str(getattr(kind, "name", kind)), self.arena.numbers)
        try:
            with received_data("a client"):
                self.arena.spawn(free, kind, **place)
        except SimulationError:
            if place.get("at") is None:
                self._crowded_until = time.monotonic() + CROWDED
            raise
        self.spawned.add(free)
        return free

    def remove(self, name: str) -> None:
        """Remove a robot, unless a client with a token has it."""
        check_free(self.arena, name)
        self.arena.remove(name)
        self.spawned.discard(name)


def choose_free_name(preferred: str, taken: Container[str]) -> str:
    """Return a name that no robot has: the requested one, with a number appended if that is taken."""
    names = itertools.chain([preferred], (f"{preferred}-{number}" for number in itertools.count(2)))
    return next(name for name in names if name not in taken)
