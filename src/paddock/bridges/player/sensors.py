"""Sensors of a robot: Player's sonar, laser, ranger, ir, bumper and camera interfaces."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from paddock.bridges.common.scene_world import ArenaRobot
from paddock.bridges.player.devices import RobotDevice, Vector, flat_pose
from paddock.bridges.player.wire import PlayerInterface
from paddock.bridges.player.wire import interfaces as layout
from paddock.core.errors import Refused
from paddock.core.geometry import bounding_radius
from paddock.simulation.sensors.bumper import BumperSpec
from paddock.simulation.sensors.camera import CameraSpec
from paddock.simulation.sensors.laser import LaserSpec
from paddock.simulation.sensors.proximity import ProximitySpec
from paddock.simulation.sensors.sensor_spec import RangeSensorSpec, SensorSpec
from paddock.simulation.sensors.sonar import SonarSpec

NO_SIZE = (0.0, 0.0, 0.0)
RGB888, RAW = 5, 0  # format and compression of images


class SensorDevice(RobotDevice):
    """Base class of a robot's sensors."""

    def __init__(self, robot: ArenaRobot, spec: SensorSpec) -> None:
        super().__init__(robot)
        self.spec = spec
        self.poses: list[Vector] = [flat_pose(x, y, math.radians(turn), z=z) for x, y, z, turn in spec.mounts]

    @property
    def frequency(self) -> float:
        """Sampling rate [Hz]."""
        return 1 / (self.spec.period or self.robot.arena.dt)


class RangeDevice(SensorDevice):
    """A sensor that measures distances."""

    def __init__(self, robot: ArenaRobot, spec: RangeSensorSpec) -> None:
        super().__init__(robot, spec)
        self.range = spec.range

    def read(self) -> NDArray[np.float64]:
        """Return ranges [m]; the maximum range where nothing was detected."""
        values = self.robot.read(self.spec.name)
        return np.where(np.isfinite(values), values, self.range)

    @property
    def angles(self) -> Vector:
        """First angle, last angle and angular step of a scanner [rad]; for a ring, those of each cone."""
        if not isinstance(self.spec, LaserSpec):
            return -self.spec.opening / 2, self.spec.opening / 2, 0.0
        angles = self.spec.angles
        return angles[0], angles[-1], angles[1] - angles[0]


class SonarDevice(RangeDevice):
    """A ring of sonars."""

    interface = PlayerInterface.SONAR

    def __init__(self, robot: ArenaRobot, spec: RangeSensorSpec) -> None:
        super().__init__(robot, spec)
        self.requests |= {1: lambda data: layout.POSES.pack(self.poses), 2: lambda data: b""}

    def publish(self) -> Iterator[tuple[int, bytes]]:
        yield 1, layout.RANGES.pack(self.read())


class IrDevice(SonarDevice):
    """A ring of infrared sensors. Raw values are reported as voltages."""

    interface = PlayerInterface.IR

    def publish(self) -> Iterator[tuple[int, bytes]]:
        ranges, handle = self.read(), self.robot.handle
        raw = handle.body.read(handle.device(self.spec.name), raw=True)
        yield 1, layout.VOLTAGES_AND_RANGES.pack(raw, ranges)


class LaserDevice(RangeDevice):
    """A laser scanner. Its settings can be read but not changed."""

    interface = PlayerInterface.LASER

    def __init__(self, robot: ArenaRobot, spec: RangeSensorSpec) -> None:
        super().__init__(robot, spec)
        self._scans = 0
        self.requests |= {
            1: lambda data: layout.GEOMETRY.pack(self.poses[0], NO_SIZE),
            2: self._pack_settings,
            3: self._pack_settings,
            4: lambda data: b"",
            5: lambda data: layout.NUMBER.pack(0),
        }

    def _pack_settings(self, data: bytes) -> bytes:
        return layout.LASER_SETTINGS.pack(*self.angles, self.range, self.spec.resolution, 0, self.frequency)

    def publish(self) -> Iterator[tuple[int, bytes]]:
        self._scans += 1
        yield 1, layout.SCAN.pack(*self.angles, self.range, self.read(), b"", self._scans)


class RangerDevice(RangeDevice):
    """Any sensor that measures distances: one scanning element, or many fixed elements."""

    interface = PlayerInterface.RANGER

    def __init__(self, robot: ArenaRobot, spec: RangeSensorSpec) -> None:
        super().__init__(robot, spec)
        self.requests |= {
            1: self._pack_geometry,
            2: lambda data: b"",
            3: self._switch_intensities,
            4: self._pack_settings,
            5: self._pack_settings,
        }

    def _pack_geometry(self, data: bytes) -> bytes:
        at_centre = flat_pose(0.0, 0.0)
        if isinstance(self.spec, LaserSpec):
            return layout.RANGER_GEOMETRY.pack(self.poses[0], NO_SIZE, [at_centre], [NO_SIZE])
        return layout.RANGER_GEOMETRY.pack(at_centre, NO_SIZE, self.poses, [NO_SIZE] * len(self.poses))

    def _pack_settings(self, data: bytes) -> bytes:
        return layout.RANGER_SETTINGS.pack(*self.angles, 0.0, self.range, self.spec.resolution, self.frequency)

    def _switch_intensities(self, data: bytes) -> bytes:
        if layout.NUMBER.unpack(data)[0]:
            raise Refused("this ranger does not measure intensities")
        return b""

    def publish(self) -> Iterator[tuple[int, bytes]]:
        yield 1, layout.RANGER_RANGES.pack(self.read())


class BumperDevice(SensorDevice):
    """Bumpers: 1 if pressed, otherwise 0."""

    interface = PlayerInterface.BUMPER

    def __init__(self, robot: ArenaRobot, spec: SensorSpec) -> None:
        super().__init__(robot, spec)
        self.requests |= {1: self._pack_geometry}

    def _pack_geometry(self, data: bytes) -> bytes:
        radius = bounding_radius(self.robot.spec.body.shape)
        return layout.BUMPER_GEOMETRY.pack([(*pose, radius * self.spec.opening, radius) for pose in self.poses])

    def publish(self) -> Iterator[tuple[int, bytes]]:
        yield 1, layout.BUMPS.pack((self.robot.read(self.spec.name) > 0.5).astype(np.uint8).tobytes())


class CameraDevice(SensorDevice):
    """A camera with uncompressed RGB images."""

    interface = PlayerInterface.CAMERA

    def publish(self) -> Iterator[tuple[int, bytes]]:
        picture = self.robot.picture(self.spec.name)
        height, width, _ = picture.shape
        yield 1, layout.PICTURE.pack(width, height, 24, RGB888, 1, RAW, picture.tobytes())


def make_sensor_devices(robot: ArenaRobot) -> Iterator[SensorDevice]:
    """Yield the Player devices for each sensor of a robot."""
    for spec in robot.spec.sensors:
        if isinstance(spec, SonarSpec | LaserSpec | ProximitySpec):
            yield RangerDevice(robot, spec)
        if isinstance(spec, SonarSpec):
            yield SonarDevice(robot, spec)
        elif isinstance(spec, LaserSpec):
            yield LaserDevice(robot, spec)
        elif isinstance(spec, ProximitySpec):
            yield IrDevice(robot, spec)
        elif isinstance(spec, BumperSpec):
            yield BumperDevice(robot, spec)
        elif isinstance(spec, CameraSpec):
            yield CameraDevice(robot, spec)
