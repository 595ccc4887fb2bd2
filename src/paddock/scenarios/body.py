"""A robot's spec as its tasks see it."""

from __future__ import annotations

import math
from collections.abc import Callable

from paddock.control.tasks import Need, Ranger, View
from paddock.control.tasks.base import RANGER, WHEEL_TRAVEL
from paddock.core.geometry import Pose
from paddock.estimate import Odometry
from paddock.robots import RobotSpec
from paddock.scenarios.spec import Belief, Safety
from paddock.sensors.base import RangeSensorSpec, SensorSpec
from paddock.sensors.laser import LaserSpec

CLEARANCE = 0.23  # [m] as in the wall-following study of De Montfort University (2019)


def sensor_for(need: Need, body: RobotSpec) -> SensorSpec | None:
    """The first sensor of a robot that a need is met by."""
    for kind in need.kinds:
        for sensor in body.sensors:
            fits = need.values in (None, sensor.channels) and need.named in (None, sensor.name)
            if sensor.kind == kind and fits and not (isinstance(sensor, RangeSensorSpec) and sensor.polled):
                return sensor
    return None


def view_of(
    body: RobotSpec,
    *,
    dt: float,
    safety: Safety,
    belief: Belief,
    start: Pose,
    chance: Callable[[str], float] = lambda _: 0.5,
) -> View:
    """What the tasks of a robot may know."""
    ranger, compass, encoders = (sensor_for(n, body) for n in (RANGER, Need(("compass",)), WHEEL_TRAVEL))
    eyes = _ranger(ranger)
    clearance = CLEARANCE if eyes is None else min(CLEARANCE, eyes.range / 2)
    return View(
        dt=dt,
        odometry=Odometry(
            wheel_separation=belief.wheel_separation or body.drive.wheel_separation,
            wheel_ratio=(belief.wheel_diameter or body.drive.wheel_diameter) / body.drive.wheel_diameter,
            pose=start,
        ),
        max_speed=body.drive.max_speed,
        max_acceleration=body.drive.max_acceleration or math.inf,
        ranger=eyes,
        clearance=clearance if safety.min_distance is None else safety.min_distance,
        guarded=safety.enabled and eyes is not None,
        compass=compass.name if compass else None,
        encoders=encoders.name if encoders else None,
        chance=chance,
    )


def _ranger(spec: SensorSpec | None) -> Ranger | None:
    if not isinstance(spec, RangeSensorSpec):
        return None
    if isinstance(spec, LaserSpec):
        bearings = [math.radians(spec.mounts[0][3]) + angle for angle in spec.angles]
    else:
        bearings = [math.radians(mount[3]) for mount in spec.mounts]
    return Ranger(spec.name, tuple(bearings), spec.range)
