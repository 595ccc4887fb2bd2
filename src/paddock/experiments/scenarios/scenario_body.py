"""Conversion of a robot's spec to the context of its tasks."""

from __future__ import annotations

import math
from collections.abc import Callable

from paddock.arena.localisation import list_rays, make_odometry
from paddock.control.behaviours.avoidance import ProximityRing
from paddock.control.behaviours.tasks import Ranger, SensorRequirement, TaskContext
from paddock.control.behaviours.tasks.task import ENCODERS, RANGER, derive_clearance
from paddock.core.geometry import Pose, bounding_radius
from paddock.experiments.scenarios.scenario_spec import OdometrySpec, Safety
from paddock.perception.estimation import Odometry
from paddock.simulation.robots import RobotSpec
from paddock.simulation.sensors.laser import LaserSpec
from paddock.simulation.sensors.proximity import ProximitySpec
from paddock.simulation.sensors.sensor_spec import RangeSensorSpec, SensorSpec

PROXIMITY = SensorRequirement(("proximity",))


def sensor_for(need: SensorRequirement, body: RobotSpec) -> SensorSpec | None:
    """Return the first sensor of a robot that meets a requirement, or None."""
    for kind in need.kinds:
        for sensor in body.sensors:
            fits = need.values in (None, sensor.channels) and need.named in (None, sensor.name)
            if sensor.kind == kind and fits and not (isinstance(sensor, RangeSensorSpec) and sensor.polled):
                return sensor
    return None


def make_task_context(
    body: RobotSpec,
    *,
    dt: float,
    safety: Safety,
    odometry: OdometrySpec,
    start: Pose,
    draw: Callable[[str], float] = lambda _: 0.5,
) -> TaskContext:
    """Return the context of a robot's tasks: dimensions, sensors, odometry and safety distance."""
    body.drive.require_turns(f"{body.name}: tasks")
    ranger, compass, encoders = (sensor_for(n, body) for n in (RANGER, SensorRequirement(("compass",)), ENCODERS))
    eyes = _ranger(ranger)
    acceleration = body.drive.max_acceleration or math.inf
    radius = bounding_radius(body.body.shape)
    reach = math.inf if eyes is None else eyes.range
    clearance = derive_clearance(radius, body.drive.max_speed, acceleration, reach)
    return TaskContext(
        dt=dt,
        odometry=_odometry(body, odometry, start),
        max_speed=body.drive.max_speed,
        max_acceleration=acceleration,
        ranger=eyes,
        rangers=_rangers(body),
        clearance=clearance if safety.min_distance is None else safety.min_distance,
        guarded=safety.enabled and eyes is not None,
        compass=compass.name if compass else None,
        encoders=encoders.name if encoders else None,
        ring=find_ring(body),
        draw=draw,
    )


def _odometry(body: RobotSpec, assumed: OdometrySpec, start: Pose) -> Odometry:
    """Return odometry with the robot's wheel dimensions, or with those that the scenario assumes."""
    odometry = make_odometry(body, start)
    if assumed.wheel_separation is not None:
        odometry.wheel_separation = assumed.wheel_separation
    if assumed.wheel_diameter is not None:
        odometry.wheel_ratio, odometry.right_to_left = assumed.wheel_diameter / body.drive.wheel_diameter, 1.0
    return odometry


def find_ring(body: RobotSpec) -> ProximityRing | None:
    """Return the robot's first ring of proximity sensors in the form that avoidances use, or None."""
    spec = sensor_for(PROXIMITY, body)
    if not isinstance(spec, ProximitySpec):
        return None
    return ProximityRing(
        device=spec.name,
        mounts=tuple(list_rays(spec)),
        range=spec.range,
        radius=bounding_radius(body.body.shape),
        response=tuple((row[0], row[1]) for row in spec.response),
    )


def _rangers(body: RobotSpec) -> dict[str, Ranger]:
    """Return the robot's first distance sensor of each kind."""
    found = {kind: _ranger(sensor_for(SensorRequirement((kind,)), body)) for kind in RANGER.kinds}
    return {kind: ranger for kind, ranger in found.items() if ranger is not None}


def _ranger(spec: SensorSpec | None) -> Ranger | None:
    if not isinstance(spec, RangeSensorSpec):
        return None
    rays, opening = list_rays(spec), 0.0 if isinstance(spec, LaserSpec) else spec.opening
    return Ranger(spec.name, tuple(ray[2] for ray in rays), spec.range, tuple(ray[:2] for ray in rays), opening)
