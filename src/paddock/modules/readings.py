"""Readings on the bus: from an observation to messages, and back to an observation in another process."""

from __future__ import annotations

import math
from collections.abc import Collection

import numpy as np
from numpy.typing import NDArray

from paddock.arena.devices import choose_display
from paddock.core.observation import Observation, Slot
from paddock.modules.messages import (
    InsMessage,
    ModuleMessage,
    RangeScannerMessage,
    ReadingsMessage,
    SonarMessage,
    to_numbers,
)
from paddock.robots import RobotSpec
from paddock.sensors.base import RangeSensorSpec, SensorSpec
from paddock.sensors.inertial import InertialSpec
from paddock.sensors.laser import LaserSpec
from paddock.sensors.sonar import SonarSpec

Floats = NDArray[np.float64]
SAME_TIME = 1e-6  # [s]
SAME_PLACE = 0.1  # [m] by which an echo and a laser's range may differ: noise, and the way between their measurements
CONE_EDGE = 0.05  # [rad] by which a cone may be wider than its data sheet says
SensorMessage = SonarMessage | RangeScannerMessage | InsMessage | ReadingsMessage


def make_message(sensor: SensorSpec, values: list[float], time: float) -> SensorMessage:
    """A device's reading as a message for the module `SENSOR`."""
    numbers = to_numbers(values)
    if isinstance(sensor, SonarSpec):
        return SonarMessage(destination="SENSOR", time=time, values=numbers, device=sensor.name, max_range=sensor.range)
    if isinstance(sensor, LaserSpec):
        step = sensor.angles[1] - sensor.angles[0]
        return RangeScannerMessage(
            destination="SENSOR", time=time, values=numbers, device=sensor.name, max_range=sensor.range,
            fov=sensor.opening, resolution=step,
        )  # fmt: skip
    if isinstance(sensor, InertialSpec):
        x, y, heading = values
        return InsMessage(
            destination="SENSOR", time=time, location=(x, y, 0.0), orientation=(0.0, 0.0, heading), device=sensor.name
        )
    return ReadingsMessage(destination="SENSOR", time=time, device=sensor.name, values=numbers)


def read_values(message: ModuleMessage) -> list[float]:
    """The values of a device, as an observation has them."""
    if isinstance(message, InsMessage):
        return [message.location[0], message.location[1], message.orientation[2]]
    assert isinstance(message, SonarMessage | RangeScannerMessage | ReadingsMessage)
    return [math.inf if value is None else value for value in message.values]


class ObservationBuilder:
    """Puts a robot's readings together again. A device that says nothing shows what it showed before.

    Args:
        spec: the robot.
    """

    def __init__(self, spec: RobotSpec) -> None:
        self._slots: dict[str, Slot] = {}
        first = 0
        for sensor in spec.sensors:
            self._slots[sensor.name] = Slot(first, first + sensor.channels, choose_display(sensor))
            first += sensor.channels
        self._row = np.full(first, np.nan)
        self._there: dict[str, float] = {}  # time of each device's newest reading [s]

    def take(self, message: ModuleMessage) -> bool:
        """Take a reading; False if it is none, of no device of the robot, or older than the one before."""
        if not isinstance(message, SensorMessage):
            return False
        slot, values = self._slots.get(message.device), read_values(message)
        if slot is None or len(values) != slot.last - slot.first:
            return False
        if message.time < self._there.get(message.device, -math.inf):
            return False
        self._row[slot.first : slot.last] = values
        self._there[message.device] = message.time
        return True

    @property
    def readings(self) -> tuple[Floats, dict[str, float]]:
        """All newest values in a row, and the time of each device's [s]."""
        return self._row, self._there

    @readings.setter
    def readings(self, readings: tuple[Floats, dict[str, float]]) -> None:
        self._row, self._there = readings

    def find_oldest(self, devices: Collection[str]) -> float:
        """When the device was read whose newest reading is the oldest [s]; -inf: one has none, or there are none."""
        return min((self._there.get(device, -math.inf) for device in devices), default=-math.inf)

    @property
    def measured_at(self) -> float:
        """When the oldest of all newest readings was taken [s]."""
        return self.find_oldest(self._there)

    @property
    def is_whole(self) -> bool:
        """Whether all newest readings were taken at one time: a message that is lost or late leaves an older one."""
        times = self._there.values()
        return bool(times) and max(times) - min(times) <= SAME_TIME

    def look(self, time: float) -> Observation:
        """All readings at a time [s]."""
        return Observation(time, self._row.copy(), {name: self._slots[name] for name in self._there})


class PointReader:
    """What a robot's range sensors meet, as points on its floor plan."""

    def __init__(self, spec: RobotSpec) -> None:
        self.beams: dict[str, tuple[Floats, float]] = {}  # x, y [m] and direction [rad] of each beam; what is nothing
        self.cones: dict[str, float] = {}  # half the opening of beams that are wide [rad]
        for sensor in spec.sensors:
            if isinstance(sensor, RangeSensorSpec) and sensor.channels:
                self.beams[sensor.name] = np.array(list_beams(sensor)), min(sensor.nothing, sensor.range)
                if isinstance(sensor, SonarSpec):
                    self.cones[sensor.name] = sensor.opening / 2

    def read(self, observation: Observation) -> Floats:
        """The points [m] in the robot's frame, shape (n, 2).

        An echo comes from anywhere on an arc. Where a laser meets something there, that is its place; else it is taken
        to be on the axis.
        """
        thin, wide = [np.empty((0, 2))], []
        for name in observation:
            if name in self.beams:
                beams, most = self.beams[name]
                ranges = np.asarray(getattr(observation, name), float)
                met = np.isfinite(ranges) & (ranges < most)
                if name in self.cones:
                    wide.append((beams[met], ranges[met], self.cones[name]))
                else:
                    thin.append(_reach_out(beams[met], ranges[met]))
        points = np.concatenate(thin)
        echoes = [_reach_out(*find_unexplained(points, *echo)) for echo in wide]
        return np.concatenate((points, *echoes))

    @property
    def sees_behind(self) -> bool:
        """Whether a beam looks backwards."""
        return any((np.cos(beams[:, 2]) < -0.7).any() for beams, _ in self.beams.values())


def find_unexplained(points: Floats, beams: Floats, ranges: Floats, half: float) -> tuple[Floats, Floats]:
    """Beams and ranges of echoes [m] that come from none of some points [m]; the beams open by twice `half` [rad]."""
    away = points[None, :, :] - beams[:, None, :2]
    aside = np.arctan2(away[..., 1], away[..., 0]) - beams[:, 2:]
    aside = np.abs((aside + math.pi) % math.tau - math.pi)
    off = np.abs(np.hypot(away[..., 0], away[..., 1]) - ranges[:, None])
    new = ~((aside < half + CONE_EDGE) & (off < SAME_PLACE)).any(axis=1)
    return beams[new], ranges[new]


def _reach_out(beams: Floats, ranges: Floats) -> Floats:
    x, y, direction = beams.T
    return np.column_stack((x + ranges * np.cos(direction), y + ranges * np.sin(direction)))


def list_beams(sensor: RangeSensorSpec) -> list[tuple[float, float, float]]:
    """Where each beam of a device begins [m], and its direction [rad]."""
    if isinstance(sensor, LaserSpec):
        x, y, _, heading = sensor.mounts[0]
        return [(x, y, math.radians(heading) + angle) for angle in sensor.angles]
    return [(x, y, math.radians(heading)) for x, y, _, heading in sensor.mounts]
