"""What rewards and endings have in common: a kernel each, told by name, with numbers of their own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

from paddock.core.errors import DeviceRefused, UnknownName
from paddock.core.jit import Kernel
from paddock.core.spec import Spec
from paddock.robots import RobotSpec
from paddock.sensors.base import SensorSpec
from paddock.sensors.camera import CameraSpec


class Slot(NamedTuple):
    """Where a device's values lie in a row of readings."""

    number: int
    first: int
    sensor: SensorSpec


class TermContext(NamedTuple):
    """What a term may want to know about its environment."""

    robot: RobotSpec
    speed: float  # of the wheels at most [m/s]
    seconds: float  # length of a step

    def slot(self, device: str) -> Slot:
        """Where to find a device; cameras and unknown names are refused."""
        first = 0
        for number, sensor in enumerate(self.robot.sensors):
            if sensor.name == device:
                if isinstance(sensor, CameraSpec):
                    raise DeviceRefused(f"{self.robot.name}.{device} is a camera: rewards and endings see no pictures")
                return Slot(number, first, sensor)
            first += sensor.channels
        raise UnknownName(f"device of {self.robot.name}", device, [sensor.name for sensor in self.robot.sensors])


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


@dataclass(frozen=True, kw_only=True, slots=True)
class RewardTerm(Term):
    """A part of the reward; its kernel gives a number, mostly from -1 to 1 for a step, which counts `weight` times."""

    weight: float = 1.0


@dataclass(frozen=True, kw_only=True, slots=True)
class Ending(Term):
    """A reason for an episode to end; its kernel gives 1 when it is met, else 0."""

    success: bool = False  # whether that is what the robot should achieve
