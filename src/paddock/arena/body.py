"""Body: one way to reach a robot. Handles ask it to do and to tell; where the robot really is, only it knows."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from paddock.core.errors import DeviceRefused, SimulationError
from paddock.core.geometry import Pose
from paddock.core.motion import Motion
from paddock.core.observation import Observation, Readings, WheelSpeeds
from paddock.robots import RobotSpec

if TYPE_CHECKING:
    from paddock.arena.devices import Camera, Device
    from paddock.arena.robot import Robot

PoseSource = Literal["truth", "odometry"]  # simulations know the truth; real robots count the turns of their wheels


class Body(ABC):
    """What every way to reach a robot can do. Values were checked by the handles; devices are known and enabled."""

    name: str
    spec: RobotSpec

    # ---- doing

    @abstractmethod
    def set_wheels(self, left: float, right: float) -> None:
        """Wheel speeds [m/s], within the data sheet's limit."""

    @abstractmethod
    def set_pan(self, device: Device, angle: float) -> None:
        """Turn a pivoting device [rad]."""

    @abstractmethod
    def set_lamp(self, number: int, brightness: float) -> None:
        """0 off … 1 full."""

    @abstractmethod
    def set_tone(self, frequency: float, amplitude: float) -> None:
        """Frequency [Hz] and amplitude at 1 m; both 0 for silence."""

    @abstractmethod
    def switch(self, device: Device, on: bool) -> None:
        """A device is about to be enabled or disabled."""

    @abstractmethod
    def poll_only(self, device: Device, on: bool) -> None:
        """A range sensor is about to be computed only when asked, or always again."""

    @abstractmethod
    def set_pose(self, pose: Pose) -> None:
        """Put the robot elsewhere, if it can be."""

    # ---- telling

    @abstractmethod
    def sense(self, robot: Robot) -> Observation:
        """All devices that are active now."""

    @abstractmethod
    def read(self, device: Device, *, raw: bool) -> Readings:
        """The values of one device."""

    @abstractmethod
    def picture(self, camera: Camera) -> NDArray[np.uint8]:
        """The present picture, upright, [row, column, rgb]."""

    def depth(self, camera: Camera) -> NDArray[np.float64]:
        """Distance [m] ahead of every pixel."""
        raise DeviceRefused(f"{camera} measures no depth")

    pose_source: PoseSource = "truth"

    @property
    @abstractmethod
    def pose(self) -> Pose:
        """Where it is, as far as `pose_source` knows."""

    @property
    @abstractmethod
    def contacts(self) -> tuple[float, ...]:
        """Bearings on the body [rad] of what it touched in the last tick."""

    @property
    @abstractmethod
    def wheel_speeds(self) -> WheelSpeeds:
        """How fast the wheels turn [m/s]."""

    @property
    @abstractmethod
    def command(self) -> WheelSpeeds:
        """Commanded wheel speeds [m/s]."""

    def motion(self) -> Motion:
        """Pose, wheel speeds and contacts at the same moment."""
        return Motion(self.pose, self.wheel_speeds, len(self.contacts))

    @abstractmethod
    def pan_angle(self, device: Device) -> float:
        """The present angle of a pivoting device [rad]."""

    @property
    @abstractmethod
    def lamps(self) -> tuple[float, ...]:
        """The brightness of every lamp."""

    @property
    @abstractmethod
    def tone(self) -> tuple[float, float]:
        """Frequency [Hz] and amplitude that sound at present."""


class Gone:
    """Stands where a body was that left its arena: whatever it is asked for is refused."""

    def __init__(self, body: Body) -> None:
        self.name, self.spec = body.name, body.spec

    def __getattr__(self, name: str) -> Any:
        raise SimulationError(f"robot {self.name!r} has left the arena")
