"""Robots whose wheels are not what their program takes them for."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from paddock.arena import Arena
from paddock.bridges.epuck import SimulatedHardware
from paddock.robots import RobotSpec, load_robot
from paddock.sensors.encoders import EncodersSpec


@dataclass(frozen=True, kw_only=True, slots=True)
class RobotErrors:
    """How a robot differs from its program's constants, and from how it was said to be put down."""

    start_heading: float = 0.0  # [rad] true heading less the one that the robot was told
    wheel_ratio: float = 1.0  # right wheel over left wheel
    wheel_separation: float = 0.053  # [m]
    wheel_diameter: float = 0.041  # [m] mean of both wheels


PERFECT = RobotErrors()
FITTED = RobotErrors(start_heading=-0.0663, wheel_ratio=1.00147, wheel_separation=0.0522, wheel_diameter=0.0404)
"""Fitted to the 25 points that were published for experiment 1: the causes that explain them best, not measurements."""


def build_robot(errors: RobotErrors, base: str = "e-puck-nose") -> RobotSpec:
    """An e-puck with other wheels. Its encoders count the steps of its own wheels."""
    spec = load_robot(base)
    step = math.pi * errors.wheel_diameter / 1000
    drive = replace(
        spec.drive,
        wheel_separation=errors.wheel_separation,
        wheel_diameter=errors.wheel_diameter,
        steps_per_turn=None,  # the wheels differ: whole steps of one are none of the other
        max_speed=1100 * step,
    )
    sensors = tuple(
        replace(sensor, scale=1 / step) if isinstance(sensor, EncodersSpec) else sensor for sensor in spec.sensors
    )
    return replace(spec, drive=drive, sensors=sensors)


class ImperfectHardware(SimulatedHardware):
    """A robot of `build_robot`, with its two wheels apart."""

    def __init__(self, arena: Arena, name: str, errors: RobotErrors) -> None:
        super().__init__(arena, name)
        ratio = errors.wheel_ratio
        self._sizes = 2 / (1 + ratio), 2 * ratio / (1 + ratio)  # of each wheel, over the mean
        self._scale = 1000 / (math.pi * errors.wheel_diameter)

    def read(self, device: str) -> tuple[int, ...]:
        if device != "encoders":
            return super().read(device)
        travel = self.robot.body.read(self.robot.devices["encoders"], raw=False).tolist()
        return tuple(round(metres * self._scale / size) for metres, size in zip(travel, self._sizes, strict=True))

    def set_speeds(self, left: int, right: int) -> None:
        self.robot.wheels.set(left * self._step * self._sizes[0], right * self._step * self._sizes[1])
