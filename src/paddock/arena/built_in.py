"""Default controllers, used if the user provides none."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from paddock.arena import Robot
from paddock.control.line import LinePatrol
from paddock.core.geometry import bounding_radius
from paddock.core.observation import Observation
from paddock.policies.braitenberg import explorer
from paddock.sensors.laser import LaserSpec
from paddock.sensors.proximity import ProximitySpec
from paddock.sensors.sonar import SonarSpec

AHEAD = math.radians(60)  # sensors within this angle of the heading count as looking ahead


def name_built_in(robot: Robot) -> str:
    """Return the name of the built-in controller that suits a robot's sensors."""
    strokes = bool(robot.arena.world.floor.strokes) or robot.arena.world.floor.image is not None
    if strokes and {"ground", "proximity"} <= set(robot.devices):
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
    """Return a controller that drives straight until a forward distance sensor is short, then turns on the spot."""
    fast = 0.5 * robot.spec.drive.max_speed
    size = bounding_radius(robot.spec.body.shape)
    looks = []  # devices, with a mask of the values that look ahead
    for device in robot.devices.values():
        spec = device.spec
        if isinstance(spec, LaserSpec):
            looks.append((device.name, np.abs(spec.angles) < AHEAD))
        elif isinstance(spec, ProximitySpec | SonarSpec) and not device.polled:
            headings = np.radians([mount[3] for mount in spec.mounts])
            looks.append((device.name, np.abs(headings) < AHEAD))

    def act(observation: Observation) -> tuple[float, float]:
        seen = [np.atleast_1d(getattr(observation, name))[ahead] for name, ahead in looks]
        nearest = min((float(values.min()) for values in seen if len(values)), default=math.inf)
        return (fast, fast) if nearest > 1.5 * size else (0.3 * fast, -0.3 * fast)

    return act
