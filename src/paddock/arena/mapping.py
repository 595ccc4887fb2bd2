"""Create mappers and localisers from robot specs: range sensors as scans, and wheel parameters."""

from __future__ import annotations

from typing import Any

import numpy as np

from paddock.arena.localisation import first_sensor, list_walls, make_travel_sensors
from paddock.arena.robot import Robot
from paddock.core.errors import PaddockError, UnknownName
from paddock.core.geometry import ORIGIN, Disc, Pose, bounding_radius, inner_radius
from paddock.perception.estimation import MotionNoise, TravelSensors
from paddock.perception.mapping import MapLocaliser, Mapper, MapTruth, OccupancyGrid, RangeReader
from paddock.simulation.robots import RobotSpec
from paddock.simulation.sensors.laser import LaserSpec
from paddock.simulation.sensors.sensor_spec import RangeSensorSpec
from paddock.simulation.worlds.world_spec import WorldSpec

KINDS = ("laser", "sonar", "proximity")  # kinds of sensors for mapping, the best first
WHEEL_ERROR = 0.01  # relative, of wheels that are not calibrated
SCAN_DISTANCE = 0.2  # typical distance between two scans [m]
CELL, FINE_CELL = 0.05, 0.01  # cell size of maps [m], for sensors with a range above 1 m, and for others
SMALL_BODY, SMALL_CELL = 0.1, 0.02  # radius below which a body passes gaps that need smaller cells [m]


def make_range_reader(spec: RobotSpec, device: str | None = None) -> RangeReader:
    """Return a reader of scans from a robot's laser, sonars or infrared sensors. None: the best one available."""
    ranging = {s.name: s for s in spec.sensors if isinstance(s, RangeSensorSpec) and s.kind in KINDS}
    if not ranging:
        raise PaddockError(f"{spec.name} has no laser, sonars or proximity sensors, which mapping requires")
    if device is None:
        device = min(ranging, key=lambda name: KINDS.index(ranging[name].kind))
    if device not in ranging:
        raise UnknownName(f"range sensor of {spec.name}", device, list(ranging))
    sensor = ranging[device]
    x, y, _, heading = np.array(sensor.mounts, float).T
    turned = np.radians(heading)
    laser = isinstance(sensor, LaserSpec)
    return RangeReader(
        device=device,
        angles=np.array(sensor.angles) if isinstance(sensor, LaserSpec) else turned,
        max_range=sensor.range,
        mount=Pose(float(x[0]), float(y[0]), float(turned[0])) if laser else ORIGIN,
        origins=None if laser else np.column_stack((x, y)),
        period=sensor.period,
        delay=sensor.delay,
        opening=0.0 if laser else sensor.opening,
    )


def make_motion_noise(spec: RobotSpec) -> MotionNoise:
    """Return the motion noise of a robot, from its slip, its encoders and the tolerance of uncalibrated wheels."""
    slip, error = spec.drive.slip_noise, 0.0 if spec.drive.measured else WHEEL_ERROR
    encoders = first_sensor(spec, "encoders")
    count = 0.0 if encoders is None else encoders.resolution / (encoders.scale or 1.0)
    return MotionNoise(wheel=error**2 * SCAN_DISTANCE, turn=error**2 * SCAN_DISTANCE, slip=slip, count=count)


def make_mapper(
    robot: Robot,
    *,
    method: str | None = None,
    device: str | None = None,
    pose: Pose = ORIGIN,
    resolution: float | None = None,
    noise: MotionNoise | None = None,
    seed: int = 0,
    **options: Any,
) -> Mapper:
    """Create a mapper for a robot of an arena and enable the sensors that it needs.

    Args:
        robot: any robot with encoders and a laser, sonars or infrared sensors.
        method: one of `MAPPING_METHODS`; None: scan-to-map for a laser, odometry for sensors with a cone.
        device: the range sensor; None: the best one available.
        pose: start pose in the frame of the map.
        resolution: side of a cell [m]; None: 5 cm, 2 cm for a body with a radius below 10 cm, or 1 cm for sensors with
            a range of at most 1 m.
        noise: motion noise; None: from the robot's type, with 1 % error for wheels that are not calibrated.
        seed: seed of all random numbers.
        options: options of the method.
    """
    travel, reader = _enable_sensors(robot, device, pose, noise)
    if resolution is None:
        cell = SMALL_CELL if bounding_radius(robot.spec.body.shape) < SMALL_BODY else CELL
        resolution = cell if reader.max_range > 1 else FINE_CELL
    if method is None:
        method = "odometry" if reader.opening > 0 else "scan-to-map"
    return Mapper(travel, reader, method=method, resolution=resolution, seed=seed, **options)


def make_map_localiser(
    robot: Robot,
    grid: OccupancyGrid,
    *,
    pose: Pose = ORIGIN,
    device: str | None = None,
    noise: MotionNoise | None = None,
    **options: Any,
) -> MapLocaliser:
    """Create a localiser for a robot of an arena in a known map and enable the sensors that it needs.

    Args:
        robot: any robot with encoders and a laser.
        grid: the map.
        pose: approximate start pose, if a covariance is given.
        device: the range sensor; None: the best one available.
        noise: motion noise; None: from the robot's type, with 1 % error for wheels that are not calibrated.
        options: options of `MapLocaliser`: seed, covariance, model, particles, …
    """
    return MapLocaliser(grid, *_enable_sensors(robot, device, pose, noise), **options)


def _enable_sensors(
    robot: Robot, device: str | None, pose: Pose, noise: MotionNoise | None
) -> tuple[TravelSensors, RangeReader]:
    """Return the encoders and the range sensor of a robot, and enable them."""
    reader = make_range_reader(robot.spec, device)
    travel = make_travel_sensors(robot.spec, pose, make_motion_noise(robot.spec) if noise is None else noise)
    robot.enable(reader.device, *(name for name in (travel.encoders, travel.gyroscope) if name is not None))
    return travel, reader


def make_map_truth(
    world: WorldSpec, spec: RobotSpec, start: Pose, *, device: str | None = None, resolution: float = CELL
) -> MapTruth:
    """Return the ground truth of a map: the reachable area, and the surfaces that the sensor can detect from it.

    Args:
        world: the world with all its walls and objects.
        spec: the robot; the inscribed disc of its body determines the reachable area.
        start: start pose.
        device: the range sensor; None: the best one available.
        resolution: side of a cell [m].
    """
    reader = make_range_reader(spec, device)
    height = min(z for _, _, z, _ in spec.sensor(reader.device).mounts)
    shape = spec.body.shape
    return MapTruth.of(
        list_walls(world, above=height),
        start[:2],
        shape.radius if isinstance(shape, Disc) else inner_radius(shape),
        max_range=reader.reach,
        resolution=resolution,
    )
