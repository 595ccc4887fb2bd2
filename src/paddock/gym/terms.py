"""What rewards and endings have in common: a kernel each, told by name, with numbers of their own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

from paddock.core.errors import DeviceRefused, PaddockError, UnknownName, with_article
from paddock.core.geometry import bounding_radius
from paddock.core.jit import Kernel
from paddock.core.spec import Spec
from paddock.robots import RobotSpec
from paddock.sensors.base import RangeSensorSpec, SensorSpec
from paddock.sensors.camera import CameraSpec
from paddock.sensors.ground import GroundSpec

# Names that stand for the first device of a sort, whatever the robot calls it.
ALIASES: dict[str, Callable[[SensorSpec], bool]] = {
    "ranges": lambda sensor: isinstance(sensor, RangeSensorSpec) and not sensor.polled,
    "floor": lambda sensor: isinstance(sensor, GroundSpec),
}


class TermSlot(NamedTuple):
    """Where a device's values lie in a row of readings."""

    number: int
    first: int
    sensor: SensorSpec


class TermContext(NamedTuple):
    """What a term may want to know about its environment."""

    robot: RobotSpec
    speed: float  # of the wheels at most [m/s]
    seconds: float  # length of a step

    @property
    def radius(self) -> float:
        """Of the robot's body, around its axle's centre [m]."""
        return bounding_radius(self.robot.body.shape)

    def slot(self, device: str) -> TermSlot:
        """Where to find a device, also by alias; cameras and unknown names are refused."""
        first = 0
        for number, sensor in enumerate(self.robot.sensors):
            if sensor.name == device or (device in ALIASES and ALIASES[device](sensor)):
                if isinstance(sensor, CameraSpec):
                    raise DeviceRefused(f"{self.robot.name}.{device} is a camera: rewards and endings see no pictures")
                return TermSlot(number, first, sensor)
            first += sensor.channels
        names = [sensor.name for sensor in self.robot.sensors]
        if device in ALIASES:
            raise PaddockError(
                f"{with_article(self.robot.name)} has no device for {device!r}, only {', '.join(names)}: take "
                "another robot, or an environment that observes something else"
            )
        raise UnknownName(f"device of {self.robot.name}", device, names)


@dataclass(frozen=True, kw_only=True, slots=True)
class Term(Spec):
    """A number about every robot after every step, computed by a kernel.

    The kernel's parameters are some of `numbers, readings, signals, robot_state, memory, marks, fresh, model, scratch,
    motion, robot`. It is called once with `fresh` when an episode begins, to note how things are; memory and
    marks are zero then.
    """

    kernel: ClassVar[Kernel]
    label: ClassVar[str]  # what it is called in `info`
    columns: ClassVar[int] = 0  # numbers that it remembers about a robot
    marks: ClassVar[int] = 0  # bytes …

    def numbers(self, context: TermContext) -> list[float]:
        """What its kernel wants to know."""
        return []

    def devices(self) -> tuple[str, ...]:
        """The devices whose readings it looks at."""
        return ()

    def uses_plots(self) -> bool:
        """Whether it looks at signals that tell of plots of the floor, or of ways through the scene."""
        return False


@dataclass(frozen=True, kw_only=True, slots=True)
class RewardTerm(Term):
    """A part of the reward; its kernel gives a number, mostly from -1 to 1 for a step, which counts `weight` times."""

    weight: float = 1.0


@dataclass(frozen=True, kw_only=True, slots=True)
class Ending(Term):
    """A reason for an episode to end; its kernel gives 1 when it is met, else 0."""

    success: bool = False  # whether that is what the robot should achieve
