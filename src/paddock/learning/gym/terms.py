"""Base classes of rewards and endings: each has a kernel, a label and its own numbers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

from paddock.core.errors import DeviceRefused, PaddockError, UnknownName, with_article
from paddock.core.geometry import bounding_radius
from paddock.core.jit import Kernel
from paddock.core.spec import Spec
from paddock.simulation.robots import RobotSpec
from paddock.simulation.sensors.camera import CameraSpec
from paddock.simulation.sensors.ground import GroundSpec
from paddock.simulation.sensors.sensor_spec import RangeSensorSpec, SensorSpec

# Aliases of the first device of a kind, independent of its name on the robot.
ALIASES: dict[str, Callable[[SensorSpec], bool]] = {
    "ranges": lambda sensor: isinstance(sensor, RangeSensorSpec) and not sensor.polled,
    "floor": lambda sensor: isinstance(sensor, GroundSpec),
}


class TermSlot(NamedTuple):
    """The position of a device's values in a row of readings."""

    number: int
    first: int
    sensor: SensorSpec


class TermContext(NamedTuple):
    """Data of the environment that is available to a term."""

    robot: RobotSpec
    speed: float  # maximum wheel speed [m/s]
    seconds: float  # duration of a step

    @property
    def radius(self) -> float:
        """Radius of the robot's body, around its axle's centre [m]."""
        return bounding_radius(self.robot.body.shape)

    def slot(self, device: str) -> TermSlot:
        """Return the slot of a device by name or alias; raise an error for cameras and unknown names."""
        first = 0
        for number, sensor in enumerate(self.robot.sensors):
            camera = isinstance(sensor, CameraSpec)
            if sensor.name == device or (device in ALIASES and not camera and ALIASES[device](sensor)):
                if camera:
                    raise DeviceRefused(f"{self.robot.name}.{device} is a camera: rewards and endings use no pictures")
                return TermSlot(number, first, sensor)
            first += sensor.channels
        names = [sensor.name for sensor in self.robot.sensors]
        if device in ALIASES:
            raise PaddockError(
                f"{with_article(self.robot.name)} has no device for {device!r}, only {', '.join(names)}: use "
                "another robot, or an environment that observes other devices"
            )
        raise UnknownName(f"device of {self.robot.name}", device, names)


@dataclass(frozen=True, kw_only=True, slots=True)
class Term(Spec):
    """A number for every robot after every step, computed by a kernel.

    The kernel's parameters are some of `numbers, readings, signals, robot_state, memory, marks, fresh, model, scratch,
    motion, robot`. It is called once with `fresh` at the start of an episode, to initialise its memory. Memory and
    marks are zero then.
    """

    kernel: ClassVar[Kernel]
    label: ClassVar[str]  # its name in `info`
    columns: ClassVar[int] = 0  # numbers that it stores per robot
    marks: ClassVar[int] = 0  # bytes that it stores per robot

    def numbers(self, context: TermContext) -> list[float]:
        """Return the constant numbers of the kernel."""
        return []

    def devices(self) -> tuple[str, ...]:
        """Return the names of the devices whose readings it uses."""
        return ()

    def uses_plots(self) -> bool:
        """Return whether it uses signals about plots of the floor or path lengths through the scene."""
        return False


@dataclass(frozen=True, kw_only=True, slots=True)
class RewardTerm(Term):
    """A term of the reward; its kernel returns a number, usually from -1 to 1, which is multiplied by `weight`."""

    weight: float = 1.0


@dataclass(frozen=True, kw_only=True, slots=True)
class Ending(Term):
    """A condition that ends an episode; its kernel returns 1 if it is met, else 0."""

    success: bool = False  # whether this ending counts as success
