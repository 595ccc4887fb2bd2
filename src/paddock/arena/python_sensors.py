"""Sensors of kinds in plain Python: their ideal values. The stages of a reading follow in the kernel `sense`."""

from __future__ import annotations

import math
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from paddock.core.errors import SimulationError, format_value
from paddock.core.geometry import Pose, wrap
from paddock.core.observation import Readings, WheelSpeeds
from paddock.core.user_code import error_location, explain_error
from paddock.simulation.engine import model as m
from paddock.simulation.engine.state import HEADING, LEFT_SPEED, PANS, RIGHT_SPEED, X
from paddock.simulation.robots import RobotSpec
from paddock.simulation.sensors.sense import measure_distance, sample_tick
from paddock.simulation.sensors.sensor_spec import RangeSensorSpec, SensorSpec

if TYPE_CHECKING:
    from paddock.arena.arena import Arena


def list_python_sensors(robot: RobotSpec) -> list[tuple[int, SensorSpec]]:
    """Return the numbers and specs of a robot's sensors of kinds in plain Python."""
    return [(number, sensor) for number, sensor in enumerate(robot.sensors) if sensor.measure is not None]


def measure_in_python(arena: Arena, robot: int, enabled: NDArray[np.uint8], readings: Readings) -> None:
    """Write the ideal values of a robot's enabled sensors in plain Python into its row of readings."""
    first = int(arena.model.types[int(arena.model.robots[arena.model.robot_variant[robot], m.TYPE]), m.FIRST_DEVICE])
    for number, sensor in list_python_sensors(arena.built.robots[robot]):
        if enabled[number]:
            start = arena.model.devices[first + number, m.FIRST_VALUE]
            readings[start : start + sensor.channels] = _measure(SensorView(arena, robot, first + number, sensor))


def _measure(view: SensorView) -> Readings:
    """Return the values of `measure`; an error in it names its line and the sensor."""
    spec = view.spec
    whose = f"{view.name}.{spec.name}: measure of {type(spec).__name__}"
    try:
        values = np.atleast_1d(np.asarray(spec.measure(view), np.float64))
    except Exception as error:
        where = error_location(error)
        raise SimulationError(f"{f'{where}: ' if where else ''}{whose}: {explain_error(error)}") from error
    if values.shape != (spec.channels,) or np.isnan(values).any():
        numbers = "a number" if spec.channels == 1 else f"a list of {spec.channels} numbers, one for each mount"
        raise SimulationError(f"{whose}: expected {numbers}, got {format_value(values.tolist())}")
    return values


class SensorView:
    """What a sensor of a kind in plain Python may measure: its robot and the world at the time of the sample."""

    def __init__(self, arena: Arena, robot: int, device: int, spec: SensorSpec) -> None:
        self._arena, self._robot, self._device = arena, robot, device
        self.spec = spec
        self.name = arena.world.robots[robot].name
        self.world = arena.world
        tick = sample_tick.function(arena.model, arena.state, 0, device)
        self.time = float(tick * arena.dt)
        self._motion = arena.state.motion[0, int(tick) % arena.state.motion.shape[1]]

    @property
    def pose(self) -> Pose:
        """Pose of the robot."""
        return Pose(*self._motion[self._robot, X : HEADING + 1].tolist())

    @property
    def wheels(self) -> WheelSpeeds:
        """Actual wheel speeds of the robot [m/s]."""
        return WheelSpeeds(*self._motion[self._robot, LEFT_SPEED : RIGHT_SPEED + 1].tolist())

    @cached_property
    def others(self) -> dict[str, Pose]:
        """Poses of the other robots by name."""
        poses = self._motion[:, X : HEADING + 1].tolist()
        return {name: Pose(*poses[row]) for name, row in self._arena.numbers.items() if row != self._robot}

    def mount(self, number: int = 0) -> Pose:
        """Return the pose of a mount in the world, with its pan angle if it pivots."""
        x, y, _, degrees = self.spec.mounts[number]
        at, c, s = self.pose, math.cos(self.pose.heading), math.sin(self.pose.heading)
        pan = int(self._arena.model.devices[self._device, m.PAN])
        turned = math.radians(degrees) + (float(self._motion[self._robot, PANS + pan]) if pan >= 0 else 0.0)
        return Pose(at.x + c * x - s * y, at.y + s * x + c * y, wrap(at.heading + turned))

    def distance(self, number: int = 0) -> float:
        """Return the distance [m] from a mount to the nearest surface ahead of it; infinity beyond the range.

        Surfaces are found within the `range` of a kind derived from `RangeSensorSpec`, or the `reach` of another.
        """
        arena, spec = self._arena, self.spec
        channel = range(len(spec.mounts))[number]
        ahead = measure_distance(arena.model, arena.state, arena.scratch, 0, self._robot, self._device, channel)
        return float(ahead) if ahead <= (spec.range if isinstance(spec, RangeSensorSpec) else spec.reach) else math.inf
