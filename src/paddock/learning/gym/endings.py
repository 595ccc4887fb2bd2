"""The shipped endings of episodes. The time limit is not an ending: it truncates an episode."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from paddock.core.jit import Kernel, kernel
from paddock.core.spec import Metres, Seconds, Share
from paddock.learning.gym.env_tables import COVERED, TOUCH
from paddock.learning.gym.rewards import arrival, arrival_numbers
from paddock.learning.gym.terms import Ending, TermContext


@kernel
def touched(signals):
    """Return whether the robot touches anything."""
    return signals[TOUCH]


@kernel
def covered(numbers, signals):
    """Return whether enough of the floor was visited."""
    return 1.0 if signals[COVERED] >= numbers[0] else 0.0


@kernel
def lost(numbers, readings, memory):
    """Return whether no ground sensor has detected the line for longer than `timeout`."""
    memory[0] += numbers[3]
    for k in range(int(numbers[1])):
        if readings[int(numbers[0]) + k] < 0.5:
            memory[0] = 0.0
    return 1.0 if memory[0] > numbers[2] else 0.0


@dataclass(frozen=True, kw_only=True, slots=True)
class GoalReached(Ending):
    """The robot is within `radius` of its goal."""

    radius: Metres | None = None  # None: 1.5 radii of the robot, 2.5 from prey
    prey: bool = False  # whether the last robot is the prey, which cannot reach the goal
    success: bool = True

    kernel: ClassVar[Kernel] = arrival
    label: ClassVar[str] = "reached"

    def numbers(self, context: TermContext) -> list[float]:
        return arrival_numbers(self.radius, self.prey, context)


@dataclass(frozen=True, kw_only=True, slots=True)
class ContactMade(Ending):
    """The robot touches anything."""

    kernel: ClassVar[Kernel] = touched
    label: ClassVar[str] = "touched"


@dataclass(frozen=True, kw_only=True, slots=True)
class FloorCovered(Ending):
    """The robots have visited a fraction of the reachable floor, or found that fraction of the food."""

    share: Share = 0.9
    success: bool = True

    kernel: ClassVar[Kernel] = covered
    label: ClassVar[str] = "covered"

    def uses_plots(self) -> bool:
        return True

    def numbers(self, context: TermContext) -> list[float]:
        return [self.share]


@dataclass(frozen=True, kw_only=True, slots=True)
class LineLost(Ending):
    """No ground sensor has detected the line for some time."""

    device: str = "floor"
    timeout: Seconds = 1.0  # simulated time without the line

    kernel: ClassVar[Kernel] = lost
    label: ClassVar[str] = "lost"
    columns: ClassVar[int] = 1

    def devices(self) -> tuple[str, ...]:
        return (self.device,)

    def numbers(self, context: TermContext) -> list[float]:
        _, first, sensor = context.slot(self.device)
        return [first, sensor.channels, self.timeout, context.seconds]
