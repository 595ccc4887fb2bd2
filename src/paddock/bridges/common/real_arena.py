"""RealArena: real robots in an arena for a server, with page, traces, scenarios and tokens as for simulated robots."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from paddock.arena import Arena, Robot
from paddock.arena.body import PoseSource
from paddock.arena.local_body import LocalBody
from paddock.bridges.common.robot_mirror import RobotCommand, RobotMirror
from paddock.core.errors import DeviceRefused, LinkError, SimulationError
from paddock.core.geometry import Pose
from paddock.core.observation import Readings, WheelSpeeds
from paddock.network.client import connect
from paddock.network.client.single import SingleRobot
from paddock.simulation.engine import state as column
from paddock.simulation.engine.model import FIRST_DEVICE, TYPE, Floats
from paddock.simulation.worlds.build import build
from paddock.simulation.worlds.placement import Room, start_pose
from paddock.simulation.worlds.world_spec import RobotPlacement, WorldSpec

FLOOR = WorldSpec(name="real-robots", title="Real robots", bounds=(-2.0, -2.0, 2.0, 2.0), open=True)
"""Default world in which robots are shown."""


class MirroredBody(LocalBody):
    """A real robot whose state is copied into the arrays of its arena."""

    pose_source: PoseSource = "odometry"

    def switch(self, device: Any, on: bool) -> None:
        """Do nothing: all devices are always read, and cameras on request."""

    def set_pose(self, pose: Pose) -> None:
        raise DeviceRefused(
            f"{self.name} is a real robot: its pose cannot be set; carry it to its start and restart the server"
        )


class RealArena(Arena):
    """Real robots in an arena. A thread per robot updates the arena's arrays. Time is real; nothing is simulated.

    The world is only displayed; the robots' poses in it are those of their odometry. Robots are stopped while the
    arena's time is stopped.
    """

    body_class = MirroredBody
    is_real = True

    def __init__(self, world: WorldSpec, robots: Sequence[SingleRobot]) -> None:
        """
        Args:
            world: where the robots are. A robot whose name is in the world starts at that pose, another one at a free
                pose. Other robots of the world are left out.
            robots: connected robots; the arena owns them and closes them.
        """
        super().__init__(build(replace_robots(world, robots)))
        self.mirrors: list[RobotMirror] = []
        for number, robot in enumerate(robots):
            robot.start_at(Pose(*self.poses[number].tolist()))
            self.mirrors.append(RobotMirror(robot, partial(self._get_command, number), partial(self._forget, number)))
        self._show()
        for mirror in self.mirrors:
            mirror.start()

    def _bind_kernels(self) -> None:
        """Replace the compiled kernels, because nothing is simulated."""
        self._step = self._pass_ticks
        self._sense = None

    def index(self) -> None:
        """Do nothing: no neighbour search is needed."""

    def prepare_sensing(self, camera: Floats | None = None) -> None:
        """Do nothing."""

    def close(self) -> None:
        """Stop all robots and disconnect from them."""
        for mirror in self.mirrors:
            mirror.close()

    @property
    def connected(self) -> bool:
        return all(mirror.robot.connected for mirror in self.mirrors)

    # ---- between the arrays and the robots

    def _get_command(self, number: int) -> RobotCommand:
        with self.mutex:
            wheels = self.commands[0, number, column.COMMAND_LEFT : column.COMMAND_RIGHT + 1].tolist()
            row = self.motion[number]
            leds = row[len(row) - self.built.led_count :][: len(self.built.robots[number].leds)].tolist()
            tone = float(row[column.FREQUENCY]), float(row[column.AMPLITUDE])
            return RobotCommand(self.tick, WheelSpeeds(*wheels), tuple(leds), tone)

    def _forget(self, number: int) -> None:
        """Set the commanded wheel speeds of a robot to 0."""
        with self.mutex:
            self.commands[0, number, column.COMMAND_LEFT : column.COMMAND_RIGHT + 1] = 0.0

    def _pass_ticks(self, model: Any, state: Any, commands: Any, scratch: Any, ticks: int) -> None:
        """Advance the clock and copy the reported states of the robots. The caller must hold `mutex`."""
        for _ in range(ticks):
            before = self.motion
            self.state.clock[0, column.TICK] += 1
            self.motion[...] = before
            self._show()

    def _show(self) -> None:
        for row, mirror in zip(self.motion, self.mirrors, strict=True):
            row[column.X : column.HEADING + 1] = mirror.pose
            row[column.LEFT_SPEED : column.RIGHT_SPEED + 1] = mirror.wheels
            row[column.LEFT_TRAVEL : column.RIGHT_TRAVEL + 1] = mirror.travel

    def read(self, robot: int, enabled: NDArray[np.uint8], readings: Readings, *, raw: bool = False) -> None:
        mirror = self.mirrors[robot]
        known, first = mirror.raw if raw else mirror.values, 0
        for device, on in zip(mirror.robot.devices.values(), enabled, strict=True):
            last = first + device.spec.channels
            if on and len(readings) >= last:
                values = known.get(device.name)
                readings[first:last] = np.nan if values is None else values[: last - first]
            first = last

    def take_picture(self, robot: int, device: int, depth: Floats, picture: NDArray[np.uint8]) -> None:
        model, mirror = self.model, self.mirrors[robot]
        first = int(model.types[int(model.robots[model.robot_variant[robot], TYPE]), FIRST_DEVICE])
        camera = list(mirror.robot.devices)[device - first]
        picture[...] = mirror.picture(camera)
        depth[...] = np.nan

    # ---- functions of simulations only

    def reset(self, seed: int | None = None) -> NoReturn:
        self._refuse("reset", "carry them to their start, and restart the server")

    def rewind(self) -> None:
        """Do nothing: real robots continue where they are."""

    def restore(self, snapshot: Any) -> NoReturn:
        self._refuse("restore")

    def snapshot(self) -> NoReturn:
        self._refuse("snapshot")

    def digest(self) -> NoReturn:
        self._refuse("digest")

    def _spawn(self, *robot: Any) -> NoReturn:
        self._refuse("spawn", "connect them when the arena is opened")

    def remove(self, name: str) -> NoReturn:
        self._refuse("remove")

    def _refuse(self, what: str, instead: str = "only simulations can do that") -> NoReturn:
        raise SimulationError(f"{what}: the robots of this arena are real: {instead}")

    def choose_recorded(self, driven: Any, *, all_robots: bool) -> list[Robot]:
        return list(driven)


def replace_robots(world: WorldSpec, robots: Sequence[SingleRobot]) -> WorldSpec:
    """Return the world with these robots instead of its own."""
    names = [robot.name for robot in robots]
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise LinkError(f"there are two robots called {twice!r}: name them in their addresses, ?name=red")
    room, starts = Room(world), {placed.name: placed for placed in world.robots}
    placed: list[RobotPlacement] = []
    for robot in robots:
        own = starts.get(robot.name)
        pose = room.free_pose(robot.spec) if own is None else start_pose(world, own)
        if pose is None:
            raise SimulationError(f"{world.name} has no room for robot {robot.name!r}: choose a larger world")
        room.add(robot.spec, pose, f"robot {robot.name!r}")
        at = (pose.x, pose.y)
        placed.append(
            RobotPlacement(name=robot.name, type=robot.spec, at=at) if own is None else replace(own, type=robot.spec)
        )
    return world.with_robots(*placed)


def open_real(urls: Sequence[str], world: WorldSpec = FLOOR, *, timeout: float = 10.0) -> RealArena:
    """Connect to real robots and return an arena with them; see `RealArena`."""
    with ExitStack() as stack:
        robots: list[SingleRobot] = []
        for url in urls:
            robot = connect(url, timeout=timeout)
            stack.callback(robot.close)
            if not isinstance(robot, SingleRobot):
                raise LinkError(f"{url}: expected the address of a robot, such as epuck:///dev/rfcomm0")
            robots.append(robot)
        arena = RealArena(world, robots)
        stack.pop_all()
    return arena
