"""Body: the interface between the handles of a robot and its backend, for example a simulation or a real robot."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from paddock.core.errors import DeviceRefused, SimulationError
from paddock.core.geometry import Pose
from paddock.core.motion import Motion, States
from paddock.core.observation import Observation, Readings, WheelSpeeds
from paddock.simulation.robots import RobotSpec

if TYPE_CHECKING:
    from paddock.arena.devices import Camera, Device
    from paddock.arena.robot import Robot

PoseSource = Literal["truth", "odometry"]  # simulations have the true pose; real robots count wheel revolutions


class Body(ABC):
    """Backend of a robot. The handles have checked all values; the devices exist and are enabled."""

    name: str
    spec: RobotSpec

    # ---- actuators

    @abstractmethod
    def set_wheels(self, left: float, right: float, third: float = 0.0) -> None:
        """Set the wheel speeds [m/s], within the data sheet's limit, and the drive's third number, if it has one."""

    @abstractmethod
    def set_pan(self, device: Device, angle: float) -> None:
        """Turn a pivoting device to an angle [rad]."""

    @abstractmethod
    def set_led(self, number: int, brightness: float) -> None:
        """Set the brightness of an LED: 0 off … 1 full."""

    @abstractmethod
    def set_tone(self, frequency: float, amplitude: float) -> None:
        """Set the frequency [Hz] and amplitude at 1 m of the tone; both 0 for silence."""

    @abstractmethod
    def switch(self, device: Device, on: bool) -> None:
        """Prepare for a device to be enabled or disabled."""

    @abstractmethod
    def poll_only(self, device: Device, on: bool) -> None:
        """Prepare for a range sensor to be computed only on `read()`, or in every `sense()` again."""

    @abstractmethod
    def set_pose(self, pose: Pose) -> None:
        """Teleport the robot, if the backend supports it."""

    # ---- sensors and state

    @abstractmethod
    def sense(self, robot: Robot) -> Observation:
        """Read all enabled devices."""

    @abstractmethod
    def read(self, device: Device, *, raw: bool) -> Readings:
        """Read the values of one device."""

    @abstractmethod
    def picture(self, camera: Camera) -> NDArray[np.uint8]:
        """Return the current image, upright, [row, column, rgb]."""

    def depth(self, camera: Camera) -> NDArray[np.float64]:
        """Return the depth [m] of every pixel."""
        raise DeviceRefused(f"{camera} measures no depth")

    pose_source: PoseSource = "truth"

    @property
    @abstractmethod
    def pose(self) -> Pose:
        """Current pose according to `pose_source`."""

    @property
    @abstractmethod
    def contacts(self) -> tuple[float, ...]:
        """Bearings on the body [rad] of the contacts in the last tick."""

    @property
    @abstractmethod
    def wheel_speeds(self) -> WheelSpeeds:
        """Actual wheel speeds [m/s]."""

    @property
    @abstractmethod
    def command(self) -> WheelSpeeds:
        """Commanded wheel speeds [m/s]."""

    def motion(self) -> Motion:
        """Return pose, wheel speeds and contacts of the same tick."""
        return Motion(self.pose, self.wheel_speeds, len(self.contacts))

    def states(self, *, everyone: bool) -> States | None:
        """Return a copy of the robot's row of the simulation's state, or of all robots' rows; None if unknown."""
        return None

    @abstractmethod
    def pan_angle(self, device: Device) -> float:
        """Return the current angle of a pivoting device [rad]."""

    @property
    @abstractmethod
    def leds(self) -> tuple[float, ...]:
        """Brightness of every LED."""

    @property
    @abstractmethod
    def tone(self) -> tuple[float, float]:
        """Frequency [Hz] and amplitude of the current tone."""


class RemovedBody:
    """Placeholder for the body of a removed robot. Every access raises an error."""

    def __init__(self, body: Body) -> None:
        self.name, self.spec = body.name, body.spec

    def __getattr__(self, name: str) -> Any:
        raise SimulationError(f"robot {self.name!r} has left the arena")
