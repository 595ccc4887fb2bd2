"""The shipped reward terms."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, Literal

from paddock.arena.metrics.sensing import compute_avoidance, measure_nearness, measure_offset
from paddock.core.jit import Kernel, kernel
from paddock.core.spec import Metres
from paddock.learning.gym.env_tables import FOUND, GOAL_DISTANCE, LEFT, RIGHT, TOUCH, WAY
from paddock.learning.gym.terms import RewardTerm, TermContext
from paddock.simulation.engine.kernels.surroundings import gather
from paddock.simulation.engine.model import ITEM_RADIUS, ITEM_X0, ITEM_X1, ITEM_Y0, ITEM_Y1, RADIUS
from paddock.simulation.engine.state import HEADING, X, Y

# Numbers of goal terms: index of the distance signal, a length [m], and the sign of the last robot's reward, 1 or -1.
SIGNAL, MEASURE, LAST_ROLE = range(3)
JUMP = 5.0  # a change by more than this many steps in one step means that the goal was moved


@kernel
def progress(numbers, signals, memory, fresh, motion, robot):
    """Return the decrease of the goal distance as a fraction of a step at full speed; 0 if the goal was moved."""
    away = signals[int(numbers[SIGNAL])]
    gain = (memory[0] - away) / numbers[MEASURE]
    memory[0] = away
    return 0.0 if fresh or abs(gain) > JUMP else gain * get_role(numbers, motion, robot)


@kernel
def arrival(numbers, signals, motion, robot):
    """Return 1 if the goal is reached, -1 for prey, else 0."""
    return get_role(numbers, motion, robot) if signals[int(numbers[SIGNAL])] <= numbers[MEASURE] else 0.0


@kernel
def get_role(numbers, motion, robot):
    """Return -1 for the last robot if it is the prey, else 1."""
    return numbers[LAST_ROLE] if robot == motion.shape[0] - 1 else 1.0


@kernel
def contact(signals):
    """Return whether the robot touches anything."""
    return signals[TOUCH]


@kernel
def time():
    """Return 1 for every step."""
    return 1.0


@kernel
def avoidance(numbers, readings, signals):
    """Return the reward for fast, straight motion away from obstacles: V · (1 - √Δ) · (1 - nearness)."""
    most, _ = measure_nearness(numbers[2], readings, int(numbers[0]), int(numbers[1]))
    return compute_avoidance(signals[LEFT] / numbers[3], signals[RIGHT] / numbers[3], most)


@kernel
def line(numbers, readings, signals):
    """Return the forward speed, reduced if the line is not under the middle of the row of ground sensors."""
    off_centre = measure_offset(0.5, readings, int(numbers[0]), int(numbers[1]))
    if off_centre < 0.0:
        return 0.0
    return 0.5 * (signals[LEFT] + signals[RIGHT]) / numbers[2] * (1.0 - off_centre)


@kernel
def wall(numbers, signals, model, scratch, motion, robot):
    """Return the forward speed, reduced if the wall at the robot's side is not at the target distance."""
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
    """Return the number of plots of the floor, or pieces of food, found in this step."""
    return signals[FOUND]


@dataclass(frozen=True, kw_only=True, slots=True)
class ProgressReward(RewardTerm):
    """Decrease of the goal distance, in steps at full speed: straight, or along the path through the scene."""

    to: Literal["goal", "way"] = "goal"
    prey: bool = False  # whether the last robot is the prey, which gets the opposite reward

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
    prey: bool = False  # whether the last robot is the prey, which gets the opposite reward

    kernel: ClassVar[Kernel] = arrival
    label: ClassVar[str] = "arrival"

    def numbers(self, context: TermContext) -> list[float]:
        return arrival_numbers(self.radius, self.prey, context)


def arrival_numbers(radius: float | None, prey: bool, context: TermContext) -> list[float]:
    """Return the numbers of the kernel `arrival`."""
    near = 2.5 * context.radius if prey else 1.5 * context.radius  # bodies that touch are two radii apart
    return [GOAL_DISTANCE, near if radius is None else radius, -1.0 if prey else 1.0]


@dataclass(frozen=True, kw_only=True, slots=True)
class ContactReward(RewardTerm):
    """1 while the robot touches anything; the weight is usually negative."""

    kernel: ClassVar[Kernel] = contact
    label: ClassVar[str] = "contact"


@dataclass(frozen=True, kw_only=True, slots=True)
class TimeReward(RewardTerm):
    """1 for every step; a negative weight rewards short episodes."""

    kernel: ClassVar[Kernel] = time
    label: ClassVar[str] = "time"


@dataclass(frozen=True, kw_only=True, slots=True)
class AvoidanceReward(RewardTerm):
    """V · (1 - √Δ) · (1 - nearness), the fitness of Floreano and Mondada (1994); see the metric `Avoidance`.

    The nearness is 0 for objects at a distance of two robot radii or more, or out of range.
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
    """Forward speed relative to the maximum, reduced with the distance of the line from the middle ground sensor."""

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
    """Forward speed relative to the maximum if a wall is at `distance` from the body; 0 from twice that distance on."""

    side: Literal["left", "right"] = "right"
    distance: Metres | None = None  # None: 0.8 radii of the robot

    kernel: ClassVar[Kernel] = wall
    label: ClassVar[str] = "wall"

    def numbers(self, context: TermContext) -> list[float]:
        distance = 0.8 * context.radius if self.distance is None else self.distance
        return [1.0 if self.side == "left" else -1.0, distance, context.speed]


@dataclass(frozen=True, kw_only=True, slots=True)
class DiscoveryReward(RewardTerm):
    """Number of plots of the floor, or pieces of food, that a robot found."""

    kernel: ClassVar[Kernel] = discovery
    label: ClassVar[str] = "discovery"

    def uses_plots(self) -> bool:
        return True
