"""SandboxBody: a sandboxed controller's view of its robot, with the last observation and the commands since then."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np
from numpy.typing import NDArray

from paddock.arena.body import Body
from paddock.arena.devices import Camera, Device
from paddock.arena.robot import Robot
from paddock.core.errors import DeviceRefused, Refused, UnknownName
from paddock.core.geometry import Pose
from paddock.core.observation import Command, Observation, Readings, Slot, WheelSpeeds
from paddock.simulation.robots import RobotSpec

NOT_HERE = "not available to a controller in the sandbox"


class SandboxObservation(Observation):
    """An observation of a controller that cannot enable devices itself."""

    __slots__ = ()

    def _unknown_device(self, name: str) -> UnknownName:
        return UnknownName("enabled device", name, list(self), fix="a controller may read no others here")


class SandboxBody(Body):
    """Collects the controller's actions as a Command, and refuses devices that are not allowed."""

    def __init__(self, name: str, spec: RobotSpec, devices: Collection[str] | None) -> None:
        self.name, self.spec, self.devices = name, spec, devices
        self.slots: dict[str, Slot] = {}  # slots of the devices that are read
        self.seen: Observation = SandboxObservation(0.0, np.zeros(0), self.slots)
        self.wheels: tuple[float, float] | None = None  # speeds set since the last answer
        self._command = WheelSpeeds(0.0, 0.0)  # speeds set last
        self._pans: dict[str, float] = {}
        self._leds: dict[str, float] = {}
        self._brightness = [0.0] * len(spec.leds)
        self._tone: tuple[float, float] | None = None
        self._sounds = (0.0, 0.0)
        self._third = 0.0
        self.extras = False  # whether the command sets anything except the wheels

    def take_command(self) -> Command:
        """Return the pending command and clear it."""
        command = Command(self.wheels, self._pans, self._leds, self._tone, self._third)
        self.wheels, self._pans, self._leds, self._tone, self._third, self.extras = None, {}, {}, None, 0.0, False
        return command

    # ---- acting

    def set_wheels(self, left: float, right: float, third: float = 0.0) -> None:
        self.wheels = self._command = WheelSpeeds(left, right)
        self._third, self.extras = third, self.extras or third != 0.0

    def set_pan(self, device: Device, angle: float) -> None:
        self._pans[device.name], self.extras = float(angle), True

    def set_led(self, number: int, brightness: float) -> None:
        self._brightness[number] = self._leds[self.spec.leds[number]] = float(brightness)
        self.extras = True

    def set_tone(self, frequency: float, amplitude: float) -> None:
        self._tone = self._sounds = (float(frequency), float(amplitude))
        self.extras = True

    def switch(self, device: Device, on: bool) -> None:
        if on and self.devices is not None and device.name not in self.devices:
            raise DeviceRefused(f"{device} may not be used here: allowed are {', '.join(self.devices) or 'none'}")

    def poll_only(self, device: Device, on: bool) -> None:
        raise DeviceRefused(f"{device} cannot be polled only in the sandbox")

    def set_pose(self, pose: Pose) -> None:
        raise Refused("a controller cannot set the pose of its robot")

    # ---- sensing

    def sense(self, robot: Robot) -> Observation:
        return self.seen

    def read(self, device: Device, *, raw: bool) -> Readings:
        if raw:
            raise DeviceRefused(f"{device}: raw readings are not available in the sandbox: use read()")
        return np.atleast_1d(np.asarray(getattr(self.seen, device.name), float))

    def picture(self, camera: Camera) -> NDArray[np.uint8]:
        picture: NDArray[np.uint8] = getattr(self.seen, camera.name)
        return picture

    @property
    def pose(self) -> Pose:
        raise Refused(f"robot.pose: {NOT_HERE}")

    @property
    def contacts(self) -> tuple[float, ...]:
        raise Refused(f"robot.contacts: {NOT_HERE}")

    @property
    def wheel_speeds(self) -> WheelSpeeds:
        raise Refused(f"robot.wheels.speeds: {NOT_HERE}")

    @property
    def command(self) -> WheelSpeeds:
        return self._command

    def pan_angle(self, device: Device) -> float:
        raise Refused(f"{device}.pan_angle: {NOT_HERE}")

    @property
    def leds(self) -> tuple[float, ...]:
        return tuple(self._brightness)

    @property
    def tone(self) -> tuple[float, float]:
        return self._sounds


class SandboxArena:
    """The restricted arena of a controller: its own robot, and the time."""

    def __init__(self, body: SandboxBody, dt: float) -> None:
        self.dt, self._body = dt, body
        arena: Any = self
        self.robots = {body.name: Robot(arena, body)}

    def __getitem__(self, name: str) -> Robot:
        return self.robots[name]

    @property
    def time(self) -> float:
        """Simulated time of the last observation [s]."""
        return self._body.seen.time

    def update_watch(self, robot: Robot) -> None:
        raise Refused("observers are not called in the sandbox: use the observation in act")
