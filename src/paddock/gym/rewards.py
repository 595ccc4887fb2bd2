"""The shipped terms of rewards."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, Literal

from paddock.core.jit import Kernel, kernel
from paddock.core.spec import Metres
from paddock.engine.kernels.surroundings import gather
from paddock.engine.model import ITEM_RADIUS, ITEM_X0, ITEM_X1, ITEM_Y0, ITEM_Y1, RADIUS
from paddock.engine.state import HEADING, X, Y
from paddock.gym.tables import FOUND, GOAL_DISTANCE, LEFT, RIGHT, TOUCH, WAY
from paddock.gym.terms import RewardTerm, TermContext
from paddock.metrics.sensing import nearest_of


@kernel
def progress(numbers, signals, memory, fresh):
    """How much nearer the goal came, as a share of what is possible in a step."""
    away, before = signals[int(numbers[0])], memory[0]
    memory[0] = away
    return 0.0 if fresh else (before - away) / numbers[1]


@kernel
def arrival(numbers, signals):
    """Whether the goal is reached."""
    return 1.0 if signals[int(numbers[0])] <= numbers[1] else 0.0


@kernel
def contact(signals):
    """Whether the robot touches anything."""
    return signals[TOUCH]


@kernel
def time():
    """A step is a step."""
    return 1.0


@kernel
def avoidance(numbers, readings, signals):
    """Swift, straight and careful motion: V · (1 - √Δ) · (1 - nearness)."""
    most, _ = nearest_of(numbers[2], readings, int(numbers[0]), int(numbers[1]))
    left, right = signals[LEFT] / numbers[3], signals[RIGHT] / numbers[3]
    difference = min(1.0, 0.5 * abs(left - right))
    return max(0.0, 0.5 * (left + right)) * (1.0 - math.sqrt(difference)) * (1.0 - most)


@kernel
def line(numbers, readings, signals):
    """Forward speed while the line lies under the middle of the row of ground sensors."""
    first, count = int(numbers[0]), int(numbers[1])
    weight, moment = 0.0, 0.0
    for k in range(count):
        dark = max(0.0, 0.5 - readings[first + k])
        weight += dark
        moment += dark * (2.0 * k - (count - 1.0))
    if weight == 0.0:
        return 0.0
    off_centre = abs(moment) / (weight * max(1.0, count - 1.0))
    return 0.5 * (signals[LEFT] + signals[RIGHT]) / numbers[2] * (1.0 - off_centre)


@kernel
def wall(numbers, signals, model, scratch, motion, robot):
    """Forward speed while a wall stands beside the robot, at the wanted distance."""
    pose, radius = motion[robot], model.robots[robot, RADIUS]
    c, s = math.cos(pose[HEADING]), math.sin(pose[HEADING])
    side, wanted, speed = numbers[0], numbers[1], numbers[2]
    segments, discs = gather(model, motion, scratch, robot, pose[X], pose[Y], c, s, radius + 2.0 * wanted, 0)
    nearest = math.inf
    for k in range(segments + discs):
        row = scratch.segments[k] if k < segments else scratch.discs[k - segments]
        ex, ey = row[ITEM_X1] - row[ITEM_X0], row[ITEM_Y1] - row[ITEM_Y0]
        length = max(ex * ex + ey * ey, 1e-12)
        t = min(1.0, max(0.0, -(row[ITEM_X0] * ex + row[ITEM_Y0] * ey) / length))
        x, y = row[ITEM_X0] + t * ex, row[ITEM_Y0] + t * ey
        if side * y > 0.0:
            nearest = min(nearest, math.hypot(x, y) - row[ITEM_RADIUS])
    share = max(0.0, 1.0 - abs(nearest - radius - wanted) / wanted)
    return share * 0.5 * (signals[LEFT] + signals[RIGHT]) / speed


@kernel
def discovery(signals):
    """Plots of the floor that were found in this step."""
    return signals[FOUND]


@dataclass(frozen=True, kw_only=True, slots=True)
class ProgressReward(RewardTerm):
    """How much nearer the goal came, in steps at full speed: straight, or on the way through the scene."""

    to: Literal["goal", "way"] = "goal"

    kernel: ClassVar[Kernel] = progress
    label: ClassVar[str] = "progress"
    columns: ClassVar[int] = 1

    def numbers(self, context: TermContext) -> list[float]:
        return [GOAL_DISTANCE if self.to == "goal" else WAY, context.speed * context.seconds]


@dataclass(frozen=True, kw_only=True, slots=True)
class ArrivalReward(RewardTerm):
    """1 within `radius` of the goal."""

    to: Literal["goal", "way"] = "goal"
    radius: Metres = 0.05

    kernel: ClassVar[Kernel] = arrival
    label: ClassVar[str] = "arrival"

    def numbers(self, context: TermContext) -> list[float]:
        return [GOAL_DISTANCE if self.to == "goal" else WAY, self.radius]


@dataclass(frozen=True, kw_only=True, slots=True)
class ContactReward(RewardTerm):
    """1 while the robot touches anything; its weight is negative, as a rule."""

    kernel: ClassVar[Kernel] = contact
    label: ClassVar[str] = "contact"


@dataclass(frozen=True, kw_only=True, slots=True)
class TimeReward(RewardTerm):
    """1 for every step; its weight is negative where haste is wanted."""

    kernel: ClassVar[Kernel] = time
    label: ClassVar[str] = "time"


@dataclass(frozen=True, kw_only=True, slots=True)
class AvoidanceReward(RewardTerm):
    """V · (1 - √Δ) · (1 - nearness), the fitness of Floreano and Mondada (1994); see the metric `Avoidance`."""

    device: str = "proximity"

    kernel: ClassVar[Kernel] = avoidance
    label: ClassVar[str] = "avoidance"

    def devices(self) -> tuple[str, ...]:
        return (self.device,)

    def numbers(self, context: TermContext) -> list[float]:
        _, first, sensor = context.slot(self.device)
        return [first, sensor.channels, sensor.nothing, context.speed]


@dataclass(frozen=True, kw_only=True, slots=True)
class LineReward(RewardTerm):
    """Forward speed as a share of the highest, less the farther the line is from the middle of the ground sensors."""

    device: str = "ground"

    kernel: ClassVar[Kernel] = line
    label: ClassVar[str] = "line"

    def devices(self) -> tuple[str, ...]:
        return (self.device,)

    def numbers(self, context: TermContext) -> list[float]:
        _, first, sensor = context.slot(self.device)
        return [first, sensor.channels, context.speed]


@dataclass(frozen=True, kw_only=True, slots=True)
class WallReward(RewardTerm):
    """Forward speed as a share of the highest while a wall is beside the body at `distance`; nothing from twice it on."""

    side: Literal["left", "right"] = "right"
    distance: Metres = 0.03

    kernel: ClassVar[Kernel] = wall
    label: ClassVar[str] = "wall"

    def numbers(self, context: TermContext) -> list[float]:
        return [1.0 if self.side == "left" else -1.0, self.distance, context.speed]


@dataclass(frozen=True, kw_only=True, slots=True)
class DiscoveryReward(RewardTerm):
    """How many plots of the floor the robots visited for the first time."""

    kernel: ClassVar[Kernel] = discovery
    label: ClassVar[str] = "discovery"
