"""Default controllers, used if the user provides none."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from paddock.arena import Robot
from paddock.control.behaviours.line import LinePatrol
from paddock.control.policies.braitenberg import explorer
from paddock.core.geometry import bounding_radius
from paddock.core.observation import Observation
from paddock.simulation.sensors.laser import LaserSpec
from paddock.simulation.sensors.proximity import ProximitySpec
from paddock.simulation.sensors.sonar import SonarSpec

AHEAD = math.radians(60)  # sensors within this angle of the heading count as looking ahead
BESIDE = 0.5  # distance of walls to the side from which the robot steers away, in radii of its body
SLOWER = 0.3  # speed of the inner wheel while it steers away, as a fraction of the outer wheel's


def name_built_in(robot: Robot) -> str:
    """Return the name of the built-in controller that suits a robot's sensors."""
    world = robot.arena.known_world
    has_lines = world is not None and (bool(world.floor.strokes) or world.floor.image is not None)
    if has_lines and {"ground", "proximity"} <= set(robot.devices):
        return "line patrol"
    if "proximity" in robot.devices and robot.devices["proximity"].spec.channels == 8:
        return "explorer"
    return "wanderer"


def choose_built_in(robot: Robot) -> Any:
    """Return the built-in controller that suits a robot's sensors."""
    match name_built_in(robot):
        case "line patrol":
            return LinePatrol()
        case "explorer":
            return explorer(0.6 * robot.spec.drive.max_speed)
        case _:
            return wanderer(robot)


def wanderer(robot: Robot) -> Callable[[Observation], tuple[float, float]]:
    """Return a controller that drives straight, turns on the spot before obstacles and steers away from side walls.

    The distances follow from the size of the body. A robot with a single beam ahead needs its beams to the sides: a
    wall that it approaches at a small angle is far away in the beam ahead.
    """
    fast = 0.5 * robot.spec.drive.max_speed
    size = bounding_radius(robot.spec.body.shape)
    looks = []  # devices, with a mask of the values that look ahead
    # Devices, with the readings below which the robot steers away from this side; 0 for beams in other directions.
    left: list[tuple[str, NDArray[np.float64]]] = []
    right: list[tuple[str, NDArray[np.float64]]] = []
    for device in robot.devices.values():
        spec = device.spec
        if isinstance(spec, LaserSpec):
            looks.append((device.name, np.abs(spec.angles) < AHEAD))
        elif isinstance(spec, ProximitySpec | SonarSpec) and not device.polled:
            headings = np.radians([mount[3] for mount in spec.mounts])
            looks.append((device.name, np.abs(headings) < AHEAD))
            limits = np.array([_distance_to_circle(mount, (1 + BESIDE) * size) for mount in spec.mounts])
            for side, turned in ((left, headings), (right, -headings)):
                side.append((device.name, limits * (np.abs(turned - math.pi / 2) <= math.pi / 2 - AHEAD)))

    def is_near(observation: Observation, side: list[tuple[str, NDArray[np.float64]]]) -> bool:
        return any(bool((np.atleast_1d(getattr(observation, name)) < limits).any()) for name, limits in side)

    def act(observation: Observation) -> tuple[float, float]:
        seen = [np.atleast_1d(getattr(observation, name))[ahead] for name, ahead in looks]
        nearest = min((float(values.min()) for values in seen if len(values)), default=math.inf)
        if nearest <= 1.5 * size:
            return 0.3 * fast, -0.3 * fast
        near_left, near_right = is_near(observation, left), is_near(observation, right)
        if near_left == near_right:  # nothing beside the robot, or a narrow corridor
            return fast, fast
        return (fast, SLOWER * fast) if near_left else (SLOWER * fast, fast)

    return act


def _distance_to_circle(mount: Sequence[float], radius: float) -> float:
    """Return the distance [m] from a mount inside a circle around the robot's centre to the circle, along the beam."""
    x, y, _, heading_deg = mount
    heading = math.radians(heading_deg)
    along = x * math.cos(heading) + y * math.sin(heading)
    return max(0.0, math.sqrt(max(0.0, along**2 + radius**2 - x**2 - y**2)) - along)
