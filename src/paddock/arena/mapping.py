"""What mapping needs of robots: their range sensors as scans, their wheels, as plain numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from paddock.arena.localisation import travel_sensors_of, walls_of
from paddock.arena.robot import Robot
from paddock.core.errors import PaddockError, UnknownName
from paddock.core.geometry import Disc, Pose, inner_radius
from paddock.estimate import MotionNoise
from paddock.estimate.odometry import ORIGIN
from paddock.mapping import MapLocaliser, Mapper, MapTruth, OccupancyGrid, RangeReader
from paddock.robots import RobotSpec
from paddock.sensors.base import RangeSensorSpec
from paddock.sensors.laser import LaserSpec
from paddock.worlds.spec import WorldSpec

KINDS = ("laser", "sonar", "proximity")  # of sensors that can map, the best first
WHEEL_ERROR = 0.01  # relative, of wheels that nobody has calibrated
SCAN_WAY = 0.2  # [m] about what a robot drives between two scans
CELL, FINE_CELL = 0.05, 0.01  # [m] of maps, by sensors that see further than a metre, and by others


def range_reader_of(spec: RobotSpec, device: str | None = None) -> RangeReader:
    """A robot's laser, sonars or infrared sensors as scans; None: the best that it has."""
    ranging = {s.name: s for s in spec.sensors if isinstance(s, RangeSensorSpec) and s.kind in KINDS}
    if not ranging:
        raise PaddockError(f"{spec.name} has no laser, sonars or proximity sensors: it cannot map")
    if device is None:
        device = min(ranging, key=lambda name: KINDS.index(ranging[name].kind))
    if device not in ranging:
        raise UnknownName(f"sensor of {spec.name} that maps", device, list(ranging))
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


def motion_noise_of(spec: RobotSpec) -> MotionNoise:
    """How wrong a robot's travel may be that has wheels as its data sheet says, about."""
    slip, error = spec.drive.slip_noise, 0.0 if spec.drive.measured else WHEEL_ERROR
    encoders = next((s for s in spec.sensors if s.kind == "encoders"), None)
    count = 0.0 if encoders is None else encoders.resolution / (encoders.scale or 1.0)
    return MotionNoise(wheel=error**2 * SCAN_WAY, turn=error**2 * SCAN_WAY, slip=slip, count=count)


def mapper_of(
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
    """A mapper for a robot of an arena; the sensors that it needs are enabled.

    Args:
        robot: any robot with encoders and a laser, sonars or infrared sensors.
        method: of `MAPPING_METHODS`; None: scan-to-map for a laser, odometry for what sees in cones.
        device: the range sensor; None: the best that it has.
        pose: where it starts, in the frame of the map.
        resolution: side of a cell [m]; None: 5 cm, or 1 cm for sensors that see less than a metre.
        noise: of its motion; None: as its type says, and 1 % for wheels that nobody has calibrated.
        seed: decides all that is drawn.
        options: of the method.
    """
    spec = robot.spec
    reader = range_reader_of(spec, device)
    travel = travel_sensors_of(spec, pose, motion_noise_of(spec) if noise is None else noise)
    robot.enable(reader.device, *(name for name in (travel.encoders, travel.gyroscope) if name is not None))
    if resolution is None:
        resolution = CELL if reader.max_range > 1 else FINE_CELL
    if method is None:
        method = "odometry" if reader.opening > 0 else "scan-to-map"
    return Mapper(travel, reader, method=method, resolution=resolution, seed=seed, **options)


def map_localiser_of(
    robot: Robot,
    grid: OccupancyGrid,
    *,
    pose: Pose = ORIGIN,
    device: str | None = None,
    noise: MotionNoise | None = None,
    **options: Any,
) -> MapLocaliser:
    """A localiser for a robot of an arena in a known map; the sensors that it needs are enabled.

    Args:
        robot: any robot with encoders and a laser.
        grid: the map.
        pose: about where it starts, if a covariance is given.
        device: the range sensor; None: the best that it has.
        noise: of its motion; None: as its type says, and 1 % for wheels that nobody has calibrated.
        options: of `MapLocaliser`: seed, covariance, model, particles, …
    """
    reader = range_reader_of(robot.spec, device)
    travel = travel_sensors_of(robot.spec, pose, motion_noise_of(robot.spec) if noise is None else noise)
    robot.enable(reader.device, *(name for name in (travel.encoders, travel.gyroscope) if name is not None))
    return MapLocaliser(grid, travel, reader, **options)


def map_truth_of(
    world: WorldSpec, spec: RobotSpec, start: Pose, *, device: str | None = None, resolution: float = CELL
) -> MapTruth:
    """What a robot can get to know of a world: where it can be, and the surfaces that its sensor sees from there.

    Args:
        world: with all its walls and things.
        spec: the robot; the disc in its body says where it can be.
        start: where it starts.
        device: its range sensor; None: the best that it has.
        resolution: side of a cell [m].
    """
    sensor = spec.sensor(range_reader_of(spec, device).device)
    height = min(z for _, _, z, _ in sensor.mounts)
    shape = spec.body.shape
    return MapTruth.of(
        walls_of(world, above=height),
        start[:2],
        shape.radius if isinstance(shape, Disc) else inner_radius(shape),
        max_range=range_reader_of(spec, device).max_range,
        resolution=resolution,
    )
