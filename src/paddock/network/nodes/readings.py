"""Readings on the bus: conversion of an observation to messages, and back in another process."""

from __future__ import annotations

import math
from collections.abc import Collection

import numpy as np

from paddock.arena.devices import choose_display
from paddock.core.observation import Observation, Slot
from paddock.network.nodes.node_messages import (
    InsMessage,
    ModuleMessage,
    RangeScannerMessage,
    ReadingsMessage,
    SonarMessage,
    to_numbers,
)
from paddock.perception.mapping.scan import Floats
from paddock.simulation.robots import RobotSpec
from paddock.simulation.sensors.inertial import InertialSpec
from paddock.simulation.sensors.laser import LaserSpec
from paddock.simulation.sensors.sensor_spec import RangeSensorSpec, SensorSpec
from paddock.simulation.sensors.sonar import SonarSpec

SAME_TIME = 1e-6  # [s]
SAME_PLACE = 0.1  # [m] by which an echo and a laser range may differ: noise, and motion between the measurements
CONE_EDGE = 0.05  # [rad] by which a cone may be wider than in its data sheet
SensorMessage = SonarMessage | RangeScannerMessage | InsMessage | ReadingsMessage


def make_message(sensor: SensorSpec, values: list[float], time: float) -> SensorMessage:
    """Create the message with a device's reading for the module `SENSOR`."""
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
    """Return the values of a device in the format of an observation."""
    if isinstance(message, InsMessage):
        return [message.location[0], message.location[1], message.orientation[2]]
    assert isinstance(message, SonarMessage | RangeScannerMessage | ReadingsMessage)
    return [math.inf if value is None else value for value in message.values]


class ObservationBuilder:
    """Builds observations from readings. A device without a new reading keeps its previous values.

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
        """Store a reading; return False if the message is not a reading of the robot's devices or is outdated."""
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
        """Array of all newest values, and the time of each device's reading [s]."""
        return self._row, self._there

    @readings.setter
    def readings(self, readings: tuple[Floats, dict[str, float]]) -> None:
        self._row, self._there = readings

    def find_oldest(self, devices: Collection[str]) -> float:
        """Return the oldest time of the devices' newest readings [s]; -inf if one has none, or without devices."""
        return min((self._there.get(device, -math.inf) for device in devices), default=-math.inf)

    @property
    def measured_at(self) -> float:
        """Oldest time of all newest readings [s]."""
        return self.find_oldest(self._there)

    @property
    def is_whole(self) -> bool:
        """Whether all newest readings have the same time; a lost or late message leaves an older one."""
        times = self._there.values()
        return bool(times) and max(times) - min(times) <= SAME_TIME

    def observe(self, time: float) -> Observation:
        """Return an observation with all newest readings, at a time [s]."""
        return Observation(time, self._row.copy(), {name: self._slots[name] for name in self._there})


class PointReader:
    """Converts the readings of a robot's range sensors to points in the plane."""

    def __init__(self, spec: RobotSpec) -> None:
        self.beams: dict[str, tuple[Floats, float]] = {}  # x, y [m], direction [rad] of beams; range without return
        self.cones: dict[str, float] = {}  # half the opening angle of wide beams [rad]
        for sensor in spec.sensors:
            if isinstance(sensor, RangeSensorSpec) and sensor.channels:
                self.beams[sensor.name] = np.array(list_beams(sensor)), min(sensor.nothing, sensor.range)
                if isinstance(sensor, SonarSpec):
                    self.cones[sensor.name] = sensor.opening / 2

    def read(self, observation: Observation) -> Floats:
        """Return the points [m] in the robot's frame, shape (n, 2).

        An echo may come from any point of an arc. If a laser beam ends on this arc, the echo is assigned to that point.
        Otherwise it is assumed to be on the axis of the sonar.
        """
        thin, wide = [np.empty((0, 2))], []
        for name in observation:
            if name in self.beams:
                beams, most = self.beams[name]
                ranges = np.asarray(getattr(observation, name), float).reshape(-1)  # of one beam, a plain number
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
        """Whether a beam points backwards."""
        return any((np.cos(beams[:, 2]) < -0.7).any() for beams, _ in self.beams.values())


def find_unexplained(points: Floats, beams: Floats, ranges: Floats, half: float) -> tuple[Floats, Floats]:
    """Return the beams and ranges [m] of echoes that no point [m] explains; `half` is half the opening angle [rad]."""
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
    """Return origin x, y [m] and direction [rad] of each beam of a device."""
    if isinstance(sensor, LaserSpec):
        x, y, _, heading = sensor.mounts[0]
        return [(x, y, math.radians(heading) + angle) for angle in sensor.angles]
    return [(x, y, math.radians(heading)) for x, y, _, heading in sensor.mounts]
