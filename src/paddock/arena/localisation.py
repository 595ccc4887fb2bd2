"""Create inputs of estimators from robots and worlds: wheels, encoders, gyroscopes, beams and walls."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from paddock.core.errors import PaddockError, UnknownName
from paddock.core.geometry import ORIGIN, Disc, Pose
from paddock.perception import estimation
from paddock.perception.estimation.odometry import CERTAIN, Floats, MotionNoise, Odometry
from paddock.perception.estimation.wheel_calibration import WheelCalibration
from paddock.simulation.robots import RobotSpec
from paddock.simulation.sensors.laser import LaserSpec
from paddock.simulation.sensors.sensor_spec import RangeSensorSpec, SensorSpec
from paddock.simulation.worlds.solids import solids
from paddock.simulation.worlds.world_spec import WorldSpec

if TYPE_CHECKING:
    from paddock.arena.episodes import Trace
    from paddock.perception.estimation import FreeRun, RangeModel, TravelSensors

CHORDS = 24  # line segments that approximate a cylinder


def get_wheels(spec: RobotSpec) -> WheelCalibration:
    """Return the wheel parameters for a robot's odometry: the measured ones, else those of the data sheet."""
    drive, measured = spec.drive, spec.drive.measured
    if measured is None:
        return WheelCalibration(drive.wheel_separation)
    left, right = measured.left_diameter, measured.right_diameter
    return WheelCalibration(measured.wheel_separation, (left + right) / 2 / drive.wheel_diameter, right / left)


def make_odometry(spec: RobotSpec, pose: Pose = ORIGIN, noise: MotionNoise = CERTAIN) -> Odometry:
    """Create the odometry of a robot, starting at a pose."""
    wheels = get_wheels(spec)
    return Odometry(wheels.wheel_separation, wheels.wheel_ratio, pose, right_to_left=wheels.right_to_left, noise=noise)


def make_travel_sensors(spec: RobotSpec, pose: Pose = ORIGIN, noise: MotionNoise | None = None) -> TravelSensors:
    """Return the encoders of a robot, and its gyroscope if it has one with noise.

    Args:
        spec: the robot.
        pose: start pose.
        noise: motion noise; None: from the robot's type, that is slip and the size of an encoder count.
    """
    encoders, gyroscope = first_sensor(spec, "encoders"), first_sensor(spec, "gyroscope")
    if encoders is None:
        raise PaddockError(f"{spec.name} has no encoders: use TravelSensors(encoders=None, unseen_speed=…) instead")
    if noise is None:
        noise = MotionNoise(slip=spec.drive.slip_noise, count=encoders.resolution / (encoders.scale or 1.0))
    sigma = 0.0 if gyroscope is None else gyroscope.noise / (gyroscope.scale or 1.0)
    return estimation.TravelSensors(
        make_odometry(spec, pose, noise),
        encoders.name,
        gyroscope.name if gyroscope is not None and sigma > 0 else None,
        sigma,
    )


def make_range_model(
    spec: RobotSpec, device: str, walls: Floats, *, sigma: float, sigma_relative: float = 0.0
) -> RangeModel:
    """Create the range model of a robot's proximity sensors, sonars or laser for given walls.

    Args:
        spec: the robot.
        device: the name of its sensor.
        walls: see `list_walls`.
        sigma: standard deviation of a reading [m].
        sigma_relative: additional standard deviation, relative to the range.
    """
    sensor = spec.sensor(device)
    if not isinstance(sensor, RangeSensorSpec):
        ranging = [s.name for s in spec.sensors if isinstance(s, RangeSensorSpec)]
        raise UnknownName(f"range sensor of {spec.name}", device, ranging)
    return estimation.RangeModel(
        device=device,
        beams=np.array(list_rays(sensor)),
        walls=walls,
        range=sensor.range,
        sigma=sigma,
        sigma_relative=sigma_relative,
        opening=sensor.opening if sensor.kind == "sonar" else 0.0,
    )


def list_rays(sensor: RangeSensorSpec) -> list[tuple[float, float, float]]:
    """Return the ray of each reading of a distance sensor: x forward, y left [m], heading [rad]."""
    if isinstance(sensor, LaserSpec):
        x, y, _, heading = sensor.mounts[0]
        return [(x, y, math.radians(heading) + angle) for angle in sensor.angles]
    return [(x, y, math.radians(heading)) for x, y, _, heading in sensor.mounts]


def make_free_run(trace: Trace, encoders: str = "encoders") -> FreeRun:
    """Convert a recorded run to the input of `fit_wheels`, with the true poses of a simulation.

    Args:
        trace: trace of the robot, which must not have been moved by hand or have touched anything.
        encoders: the name of its wheel encoders, which must have been enabled.
    """
    for rows, what in ((trace.jumps, "was moved by hand"), (trace.contacts > 0, "touched something")):
        if rows.any():
            when = float(trace.time[int(np.argmax(rows))])
            raise PaddockError(
                f"trace of {trace.robot}: it {what} at {when:g} s: use a part of the trace without it: trace[:100]"
            )
    travel = trace.reading(encoders)
    known = np.isfinite(travel).all(axis=1) & np.isfinite(trace.pose).all(axis=1)
    return estimation.FreeRun(travel[known], trace.pose[known])


def list_walls(world: WorldSpec, *, above: float = 0.0) -> Floats:
    """Return all surfaces as segments x0, y0, x1, y1 [m]. `above`: only objects taller than this [m]."""
    rows: list[tuple[float, float, float, float]] = []
    for piece in solids(world):
        if piece.height <= above:
            continue
        rows += [(*start, *end) for start, end in piece.edges]
        if isinstance(disc := piece.shape, Disc):
            angles = [2 * math.pi * k / CHORDS for k in range(CHORDS + 1)]
            rim = [(disc.x + disc.radius * math.cos(a), disc.y + disc.radius * math.sin(a)) for a in angles]
            rows += [(*start, *end) for start, end in pairwise(rim)]
    return np.array(rows, float).reshape(-1, 4)


def first_sensor(spec: RobotSpec, kind: str) -> SensorSpec | None:
    """Return the first sensor of a kind; None if the robot has none."""
    return next((sensor for sensor in spec.sensors if sensor.kind == kind), None)
