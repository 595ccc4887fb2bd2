"""Controllers by name: the built-in ones, and ControllerChoice, which can be stored in a file with its parameters."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from paddock.arena import Robot
from paddock.arena.base_arena import BaseArena
from paddock.arena.controllers import (
    ANSWERING,
    Drivers,
    check_file_parameters,
    check_parameters,
    chosen_controllers,
    load_file,
    make_controller,
    report_error_location,
)
from paddock.control.behaviours.line import LinePatrol
from paddock.control.policies.braitenberg import DEVICES, explorer
from paddock.control.policies.policy import is_policy
from paddock.core.errors import PaddockError, UnknownName
from paddock.core.geometry import bounding_radius
from paddock.core.observation import Observation
from paddock.core.user_code import find_source, hash_sources, is_path, load_path
from paddock.simulation.robots.drives import AckermannDrive
from paddock.simulation.sensors.laser import LaserSpec
from paddock.simulation.sensors.proximity import ProximitySpec
from paddock.simulation.sensors.sensor_spec import SensorSpec
from paddock.simulation.sensors.sonar import SonarSpec

BUILT_IN = "built-in"
EXPECTED = f"{BUILT_IN}, a Python file, a policy (.npz), or module:Name of a controller class or factory"


@dataclass(frozen=True, kw_only=True)
class ControllerChoice:
    """The controller of all robots of an arena.

    The name is `built-in` for the default of `paddock run`, a Python file as for `paddock run -c`, a stored policy, or
    `module:Name` or `file.py:Name` for a class or a function that creates a controller.
    """

    name: str
    folder: str  # absolute; searched first for files and modules
    parameters: Mapping[str, Any]  # keyword arguments of the controller class or factory

    @property
    def path(self) -> Path:
        """Path of the file, if the name is a file."""
        return Path(self.folder) / self.name

    def make(self, arena: BaseArena) -> Drivers:
        """Create a controller for every robot of an arena."""
        if is_path(self.name):
            maker = load_path(self.name, self.folder, what="controller")
            controllers = {name: make_controller(maker, robot, self.parameters) for name, robot in arena.robots.items()}
            return Drivers(
                controllers=controllers,
                devices={
                    name: made.devices if is_policy(made) else tuple(arena[name].devices)
                    for name, made in controllers.items()
                },
            )
        if self.path.suffix == ".py":
            return chosen_controllers(arena, self.path, None, parameters=self.parameters)
        self.check_parameters()
        policy = None if self.name == BUILT_IN else self.path
        return chosen_controllers(arena, None, policy, otherwise=choose_built_in)

    def check_parameters(self) -> None:
        """Raise if a parameter does not exist; needs no arena."""
        if not self.parameters:
            return
        if is_path(self.name):
            check_parameters(load_path(self.name, self.folder, what="controller"), self.parameters)
        elif self.path.suffix == ".py":
            check_file_parameters(load_file(self.path), self.path, self.parameters)
        else:
            raise PaddockError(
                f"{self.name}: unknown parameter {next(iter(self.parameters))!r}: this controller has no parameters"
            )

    def report_error_locations(self) -> AbstractContextManager[None]:
        """Context manager for the run: errors in the controller's file are reported with their location."""
        return report_error_location(self.path if self.path.suffix == ".py" else None, *ANSWERING)

    def describe(self) -> dict[str, Any]:
        """Return everything that determines its behaviour; code and policies as hashes of their files."""
        source = self.find_source()
        return {
            "name": self.name if source is None else self.path.name,
            "source": None if source is None else hash_sources(source),
            "parameters": dict(self.parameters),
        }

    def find_source(self) -> Path | None:
        """Return the source file of the controller, or None if it is built in."""
        if self.name == BUILT_IN:
            return None
        if not is_path(self.name):
            return self.path
        return find_source(self.name, self.folder)


def find_controller(name: str, folder: str | Path, parameters: Mapping[str, Any]) -> ControllerChoice:
    """Return the choice with this name, or raise if it does not exist. Files are searched in a folder."""
    chosen = ControllerChoice(name=name, folder=str(Path(folder).absolute()), parameters=parameters)
    if is_path(name):
        load_path(name, chosen.folder, what="controller")
    elif name != BUILT_IN and chosen.path.suffix not in (".py", ".npz"):
        raise UnknownName("controller", name, (BUILT_IN,), expected=EXPECTED)
    elif name != BUILT_IN and not chosen.path.is_file():
        raise PaddockError(f"{chosen.path}: no such file: expected {EXPECTED}")
    return chosen


AHEAD = math.radians(60)  # sensors within this angle of the heading count as looking ahead
BESIDE = 0.5  # distance of walls to the side from which the robot steers away, in radii of its body
GAPS = np.radians(
    [0, *(side * angle for angle in range(10, 81, 10) for side in (1, -1))]
)  # where a car looks for a way
SIDEWAYS = 4.0  # largest acceleration of a car in a curve [m/s²]
WIDTH = math.radians(12)  # half the angle that has to be free
BACKING = 50  # ticks for which a car drives backwards
SLOWER = 0.3  # speed of the inner wheel while it steers away, as a fraction of the outer wheel's


def name_built_in(robot: Robot) -> str:
    """Return the name of the built-in controller that suits a robot's sensors."""
    world, devices = robot.arena.known_world, robot.devices
    has_lines = world is not None and (bool(world.floor.strokes) or world.floor.image is not None)
    has_ring = "proximity" in devices and _is_ring_of_epuck(devices["proximity"].spec)
    if has_lines and has_ring and "ground" in devices and devices["ground"].spec.channels == 3:
        return "line patrol"
    if not robot.spec.drive.turns_on_spot:
        return "gap driver"
    return "explorer" if has_ring else "wanderer"


def _is_ring_of_epuck(spec: SensorSpec) -> bool:
    """Whether a sensor has the eight directions that the e-puck's controllers expect, and at least its range."""
    clockwise = [-mount[3] % 360 for mount in spec.mounts]
    in_order = len(clockwise) == 8 and all(first < second for first, second in pairwise(clockwise))
    return isinstance(spec, ProximitySpec) and in_order and spec.range >= DEVICES["proximity"][0]


def choose_built_in(robot: Robot) -> Any:
    """Return the built-in controller that suits a robot's sensors."""
    match name_built_in(robot):
        case "line patrol":
            return LinePatrol()
        case "explorer":
            return explorer(0.6 * robot.spec.drive.max_speed)
        case "gap driver":
            return GapDriver(robot)
        case _:
            return wanderer(robot)


def wanderer(robot: Robot) -> Callable[[Observation], tuple[float, float]]:
    """Return a controller that drives straight, turns on the spot before obstacles and steers away from side walls.

    The distances follow from the size of the body. A robot with a single beam ahead needs its beams to the sides: a
    wall that it approaches at a small angle is far away in the beam ahead.
    """
    fast = 0.5 * robot.spec.drive.max_speed
    size = bounding_radius(robot.spec.body.shape)
    # Devices, with the readings below which the robot turns or steers away; 0 for beams in other directions.
    front: list[tuple[str, NDArray[np.float64]]] = []
    left: list[tuple[str, NDArray[np.float64]]] = []
    right: list[tuple[str, NDArray[np.float64]]] = []
    for device in robot.devices.values():
        spec = device.spec
        if not isinstance(spec, LaserSpec | ProximitySpec | SonarSpec) or device.polled:
            continue
        headings = np.radians([mount[3] for mount in spec.mounts])
        if isinstance(spec, LaserSpec):
            headings = headings[0] + np.array(spec.angles)
        headings = np.arctan2(np.sin(headings), np.cos(headings))
        free = spec.nothing if isinstance(spec, SonarSpec) else spec.range  # the reading without an obstacle
        front.append((device.name, np.where(np.abs(headings) < AHEAD, min(1.5 * size, free), 0.0)))
        if isinstance(spec, LaserSpec):
            continue
        limits = np.array([min(_distance_to_circle(mount, (1 + BESIDE) * size), free) for mount in spec.mounts])
        for side, turned in ((left, headings), (right, -headings)):
            side.append((device.name, limits * (np.abs(turned - math.pi / 2) <= math.pi / 2 - AHEAD)))

    def is_near(observation: Observation, side: list[tuple[str, NDArray[np.float64]]]) -> bool:
        return any(bool((np.atleast_1d(getattr(observation, name)) < limits).any()) for name, limits in side)

    def act(observation: Observation) -> tuple[float, float]:
        if is_near(observation, front):
            return 0.3 * fast, -0.3 * fast
        near_left, near_right = is_near(observation, left), is_near(observation, right)
        if near_left == near_right:  # nothing beside the robot, or a narrow corridor
            return fast, fast
        return (fast, SLOWER * fast) if near_left else (SLOWER * fast, fast)

    return act


class GapDriver:
    """A controller of a car: it steers towards the longest way ahead, and backs out where there is none."""

    def __init__(self, robot: Robot) -> None:
        drive = robot.spec.drive
        assert isinstance(drive, AckermannDrive)
        self.drive, self.size = drive, bounding_radius(robot.spec.body.shape)
        self.steering = math.radians(drive.max_steering_deg)
        lasers = [device.spec for device in robot.devices.values() if isinstance(device.spec, LaserSpec)]
        self.laser = lasers[0] if lasers else None
        self._back = 0

    def reset(self) -> None:
        """Forget that the car was backing."""
        self._back = 0

    def act(self, observation: Observation) -> tuple[float, float, float]:
        """Return the speed of both sides [m/s] and the steering angle [rad]."""
        if self.laser is None:
            return 0.0, 0.0, 0.0
        ranges = getattr(observation, self.laser.name)
        angles = np.add(self.laser.angles, math.radians(self.laser.mounts[0][3]))
        free = [ranges[np.abs(angles - way) < WIDTH].min(initial=self.laser.range) for way in GAPS]
        way, ahead = float(GAPS[int(np.argmax(free))]), free[0]
        self._back = self._back - 1 if self._back else BACKING if ahead < self.size else 0
        if self._back:
            return -self.size, -self.size, -math.copysign(self.steering, way)
        angle = max(-self.steering, min(self.steering, way))
        curve = math.sqrt(SIDEWAYS * self.drive.wheelbase / max(1e-6, abs(math.tan(angle))))
        speed = min(0.5 * self.drive.max_speed, 0.5 * float(ahead), curve)
        return speed, speed, angle


def _distance_to_circle(mount: Sequence[float], radius: float) -> float:
    """Return the distance [m] from a mount inside a circle around the robot's centre to the circle, along the beam."""
    x, y, _, heading_deg = mount
    heading = math.radians(heading_deg)
    along = x * math.cos(heading) + y * math.sin(heading)
    return max(0.0, math.sqrt(max(0.0, along**2 + radius**2 - x**2 - y**2)) - along)
