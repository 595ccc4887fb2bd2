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

# Numbers of what looks at goals: which signal tells how far, a length [m], and the last robot's role, 1 or -1.
SIGNAL, MEASURE, LAST_ROLE = range(3)
JUMP = 5.0  # a goal that comes so many steps nearer in one was moved


@kernel
def progress(numbers, signals, memory, fresh, motion, robot):
    """How much nearer the goal came, as a share of what is possible in a step; a goal that jumps counts for nothing."""
    away = signals[int(numbers[SIGNAL])]
    gain = (memory[0] - away) / numbers[MEASURE]
    memory[0] = away
    return 0.0 if fresh or abs(gain) > JUMP else gain * role_of(numbers, motion, robot)


@kernel
def arrival(numbers, signals, motion, robot):
    """1 when the goal is reached; -1 for prey."""
    return role_of(numbers, motion, robot) if signals[int(numbers[SIGNAL])] <= numbers[MEASURE] else 0.0


@kernel
def role_of(numbers, motion, robot):
    """-1 for the last robot where that is the prey, else 1."""
    return numbers[LAST_ROLE] if robot == motion.shape[0] - 1 else 1.0


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
    prey: bool = False  # whether the last robot flees: then it earns the opposite

    kernel: ClassVar[Kernel] = progress
    label: ClassVar[str] = "progress"
    columns: ClassVar[int] = 1

    def uses_plots(self) -> bool:
        return self.to == "way"

    def numbers(self, context: TermContext) -> list[float]:
        return [
            GOAL_DISTANCE if self.to == "goal" else WAY,
            context.speed * context.seconds,
            -1.0 if self.prey else 1.0,
        ]


@dataclass(frozen=True, kw_only=True, slots=True)
class ArrivalReward(RewardTerm):
    """1 within `radius` of the goal [m]."""

    radius: Metres | None = None  # None: 1.5 radii of the robot, 2.5 from prey
    prey: bool = False  # whether the last robot flees: then it earns the opposite

    kernel: ClassVar[Kernel] = arrival
    label: ClassVar[str] = "arrival"

    def numbers(self, context: TermContext) -> list[float]:
        return arrival_numbers(self.radius, self.prey, context)


def arrival_numbers(radius: float | None, prey: bool, context: TermContext) -> list[float]:
    """What the kernel `arrival` wants to know."""
    near = 2.5 * context.radius if prey else 1.5 * context.radius  # bodies that touch are two radii apart
    return [GOAL_DISTANCE, near if radius is None else radius, -1.0 if prey else 1.0]


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
    """V · (1 - √Δ) · (1 - nearness), the fitness of Floreano and Mondada (1994); see the metric `Avoidance`.

    What is two radii of the robot away, or out of range, is not near.
    """

    device: str = "ranges"

    kernel: ClassVar[Kernel] = avoidance
    label: ClassVar[str] = "avoidance"

    def devices(self) -> tuple[str, ...]:
        return (self.device,)

    def numbers(self, context: TermContext) -> list[float]:
        _, first, sensor = context.slot(self.device)
        return [first, sensor.channels, min(sensor.nothing, 2.0 * context.radius), context.speed]


@dataclass(frozen=True, kw_only=True, slots=True)
class LineReward(RewardTerm):
    """Forward speed as a share of the highest, less the farther the line is from the middle of the ground sensors."""

    device: str = "floor"

    kernel: ClassVar[Kernel] = line
    label: ClassVar[str] = "line"

    def devices(self) -> tuple[str, ...]:
        return (self.device,)

    def numbers(self, context: TermContext) -> list[float]:
        _, first, sensor = context.slot(self.device)
        return [first, sensor.channels, context.speed]


@dataclass(frozen=True, kw_only=True, slots=True)
class WallReward(RewardTerm):
    """Forward speed as a share of the highest while a wall is `distance` beside the body; none from twice that on."""

    side: Literal["left", "right"] = "right"
    distance: Metres | None = None  # None: 0.8 radii of the robot

    kernel: ClassVar[Kernel] = wall
    label: ClassVar[str] = "wall"

    def numbers(self, context: TermContext) -> list[float]:
        distance = 0.8 * context.radius if self.distance is None else self.distance
        return [1.0 if self.side == "left" else -1.0, distance, context.speed]


@dataclass(frozen=True, kw_only=True, slots=True)
class DiscoveryReward(RewardTerm):
    """How many plots of the floor, or pieces of food, a robot found."""

    kernel: ClassVar[Kernel] = discovery
    label: ClassVar[str] = "discovery"

    def uses_plots(self) -> bool:
        return True
