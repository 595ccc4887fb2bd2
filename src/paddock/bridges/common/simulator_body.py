"""SimulatorBody: base class for a robot in another simulator."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from paddock.arena.devices import Device
from paddock.bridges.common.drive_watchdog import DriveWatchdog, StopLine
from paddock.bridges.common.simulator_client import SimulatorClient
from paddock.core.errors import DeviceRefused
from paddock.core.motion import Motion
from paddock.core.observation import Observation, Readings, WheelSpeeds
from paddock.network.client.single import WatchedBody

if TYPE_CHECKING:
    from paddock.arena.robot import Robot


STANDING = WheelSpeeds(0.0, 0.0)


class SimulatorBody(WatchedBody):
    """Controls one robot in another simulator. The robot has no LEDs and no speaker there."""

    language: ClassVar[str]  # name of the simulator's protocol, for messages

    def __init__(self, silence: float) -> None:
        """`silence`: seconds without a call of the program after which a driving robot is stopped."""
        self.watchdog = DriveWatchdog(self.open_stop_line, silence)
        self._speeds = STANDING

    # ---- actuators

    def set_wheels(self, left: float, right: float, third: float = 0.0) -> None:
        self.renew_watchdog()
        with self.watchdog.driving(bool(left or right)):
            self.send_wheels(left, right)
        self._speeds = WheelSpeeds(left, right)

    @abstractmethod
    def send_wheels(self, left: float, right: float) -> None:
        """Send wheel speeds [m/s] to the simulator."""

    @abstractmethod
    def open_stop_line(self) -> StopLine:
        """Return a connection to the simulator for the watchdog, and the bytes that stop the robot."""

    def renew_watchdog(self) -> None:
        """Reset the watchdog, and note whether it has stopped the robot."""
        if self.watchdog.renew():
            self._speeds = STANDING

    def raise_pending_error(self) -> None:
        self.renew_watchdog()  # only calls of the program get here, not reads of a background thread
        super().raise_pending_error()

    def set_pan(self, device: Device, angle: float) -> None:
        raise DeviceRefused(f"{device} cannot pivot: {self.language} has no command to turn it")

    def set_led(self, number: int, brightness: float) -> None:
        raise DeviceRefused(f"{self.name}.leds: {self.language} has none")

    def set_tone(self, frequency: float, amplitude: float) -> None:
        raise DeviceRefused(f"{self.name}.speaker: {self.language} has none")

    def switch(self, device: Device, on: bool) -> None:
        """Do nothing: all devices can always be read."""

    def poll_only(self, device: Device, on: bool) -> None:
        """Do nothing: `Robot.chosen` decides."""

    # ---- sensors and state

    def sense(self, robot: Robot) -> Observation:
        self.raise_pending_error()
        pictures = {camera.name: self.picture(camera) for camera in robot.chosen.cameras} or None
        return self._observe(robot, pictures)

    def look(self, robot: Robot) -> Observation:
        return self._observe(robot, None)

    def _observe(self, robot: Robot, pictures: dict[str, NDArray[np.uint8]] | None) -> Observation:
        slots, length, _, _ = robot.chosen
        row: Readings = np.empty(length)
        with self._reading():
            values = self._read_all([robot.devices[name] for name in slots])
            time = robot.arena.time
        for slot, numbers in zip(slots.values(), values, strict=True):
            row[slot.first : slot.last] = numbers
        return Observation(time, row, slots, pictures)

    def read(self, device: Device, *, raw: bool) -> Readings:
        self.raise_pending_error()
        with self._reading():
            return np.array(self._read_all([device])[0], np.float64)

    def _reading(self) -> AbstractContextManager[object]:
        """Return a context in which all readings belong to the same time step."""
        return nullcontext()

    @abstractmethod
    def _read_all(self, devices: Sequence[Device]) -> list[list[float]]:
        """Return the values of some devices."""

    @property
    def contacts(self) -> tuple[float, ...]:
        raise DeviceRefused(f"{self.name}.contacts: {self.language} does not report contacts")

    def motion(self) -> Motion:
        return Motion(self.pose, self._speeds, math.nan)

    def pan_angle(self, device: Device) -> float:
        return 0.0

    @property
    def leds(self) -> tuple[float, ...]:
        return ()

    @property
    def tone(self) -> tuple[float, float]:
        return 0.0, 0.0


class SteppedBody(SimulatorBody):
    """A robot in a simulator whose time is polled."""

    client: SimulatorClient

    @property
    def connected(self) -> bool:
        return self.client.connected

    @abstractmethod
    def forget(self) -> None:
        """Discard the state after a restart of the simulation."""
