"""Base classes of tasks: validated parameters, start, act and done, the safety rule, and the check for motion."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, ClassVar, Generic, NamedTuple, TypeVar

from paddock.control.behaviours.answers import check_wheel_speeds
from paddock.control.behaviours.tasks.context import TaskContext, cruise_speed
from paddock.core.errors import PaddockError, format_value
from paddock.core.observation import Observation, WheelSpeeds
from paddock.core.registry import Registry
from paddock.core.spec import Number, Spec
from paddock.core.user_code import locate_class, refuse_abstract

CREEP = 0.1  # minimum fraction of the commanded speed near the clearance, so that the robot reaches it
STANDING = 1e-3  # [m/s] slower motion is not limited, so that turning on the spot is always permitted
BODY_SHARE = 0.5  # fraction of the body's radius that is kept free around it
Duration = Annotated[float, Number("seconds", above=0, limit=1e6)]
Speed = Annotated[float, Number("m/s", above=0)]
STOP = WheelSpeeds(0.0, 0.0)
MOTION = 1e-6  # [m] minimum wheel travel that counts as motion


def derive_clearance(radius: float, max_speed: float, max_acceleration: float, sensor_range: float = math.inf) -> float:
    """Return the default safety distance [m] of a robot.

    It is half of the body's radius plus the braking distance from the cruise speed, at most half of the sensor range.

    Args:
        radius: radius of a circle around the body's centre that encloses the body [m].
        max_speed: of a wheel [m/s].
        max_acceleration: of a wheel [m/s²]; infinity if there is no limit.
        sensor_range: range of the sensors that measure ahead [m].
    """
    braking = cruise_speed(max_speed) ** 2 / (2 * max_acceleration)
    return min(BODY_SHARE * radius + braking, sensor_range / 2)


def too_near(context: TaskContext, observation: Observation, wheels: WheelSpeeds) -> float | None:
    """Return the smallest distance [m] in the direction of travel if it is below the clearance, else None."""
    linear = (wheels.left + wheels.right) / 2
    if not context.guarded or abs(linear) < STANDING:
        return None
    nearest = context.nearest(observation, backwards=linear < 0)
    return nearest if nearest < context.clearance else None


def limit_speed(context: TaskContext, observation: Observation, wheels: WheelSpeeds) -> WheelSpeeds:
    """Scale wheel speeds so that the motors can stop the robot within half of the distance to the clearance."""
    linear = (wheels.left + wheels.right) / 2
    if not context.guarded or abs(linear) < STANDING or math.isinf(context.max_acceleration):
        return wheels
    room = context.nearest(observation, backwards=linear < 0) - context.clearance
    share = min(1.0, max(CREEP, math.sqrt(context.max_acceleration * max(room, 0.0)) / abs(linear)))
    return WheelSpeeds(wheels.left * share, wheels.right * share)


class SensorRequirement(NamedTuple):
    """A sensor that a task needs: one of several kinds, with a number of values."""

    kinds: tuple[str, ...]
    values: int | None = None  # None: any number
    named: str | None = None  # None: any name

    def __str__(self) -> str:
        count = "" if self.values is None else f" with {self.values} values"
        called = "" if self.named is None or self.named in self.kinds else f" called {self.named!r}"
        return f"a {' or '.join(self.kinds)} sensor{count}{called}"


RANGER = SensorRequirement(("sonar", "proximity", "laser"))  # distance sensor: the first of these that the robot has
ENCODERS = SensorRequirement(("encoders",))


@dataclass(frozen=True, kw_only=True, slots=True)
class TaskSpec(Spec):
    """The parameters of a task."""


P = TypeVar("P", bound=TaskSpec)


class Task(ABC, Generic[P]):
    """An action. Call `start`, then `act` with every observation until it is `done`."""

    name: ClassVar[str]  # in reports; the name of the class unless given
    parameters: ClassVar[type[TaskSpec]] = TaskSpec
    needs: ClassVar[tuple[SensorRequirement, ...]] = ()
    keeps_distance: bool = False  # whether the task keeps its own distance to walls, without the safety rule
    ends_at_walls: bool = False  # whether an end by the safety rule counts as success
    drives: ClassVar[bool] = True  # whether the task changes the position, so that the safety rule needs sensors
    moves: ClassVar[bool] = True  # whether the task fails if the wheels have not turned

    context: TaskContext

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        cls.name = cls.__dict__.get("name", cls.__name__)

    def __init__(self, spec: P) -> None:
        self.spec = spec
        self.why = ""  # reason for the end; empty while the task runs
        self.failed = False
        self.error: float | None = None  # [m] deviation from the target, if defined

    @classmethod
    def list_needs(cls, spec: P) -> tuple[SensorRequirement, ...]:
        """Return the sensors that the task needs with these parameters."""
        return cls.needs

    @classmethod
    def check_robot(cls, spec: P, context: TaskContext) -> None:
        """Raise an error if a robot cannot execute the task with these parameters; called before anything runs."""

    def start(self, context: TaskContext) -> None:
        """Start the task at the robot's current pose and time."""
        self.context = context
        self.began: float | None = None
        self._travel_before, self._commanded = context.wheel_travel, False

    @property
    def done(self) -> bool:
        """Whether the task has ended, for any reason."""
        return bool(self.why)

    def act(self, observation: Observation) -> WheelSpeeds:
        """Return wheel speeds for an observation; stop if the task ends or the safety rule applies."""
        if self.began is None:
            self.began = observation.time
        elapsed = observation.time - self.began
        answer = self.decide(observation, elapsed)
        wheels = check_wheel_speeds(answer, type(self).decide, or_else=" or self.end(why)")
        at_goal = self.done and elapsed == 0  # there was nothing to do
        if not self.keeps_distance and not self.done:
            near = too_near(self.context, observation, wheels)
            if near is not None:
                self.end(f"{near:.3f} m from a wall", failed=not self.ends_at_walls)
            wheels = limit_speed(self.context, observation, wheels)
        if not self.done:
            self._commanded |= max(abs(wheels.left), abs(wheels.right)) * self.context.dt > MOTION
            return wheels
        if self.moves and not self.failed and not at_goal and not self.has_moved:
            self.end(f"did not move: {self.why}", failed=True)
        return STOP

    @property
    def has_moved(self) -> bool:
        """Whether the wheels have turned since the start; without encoders, whether they were commanded to."""
        if self.context.encoders is None:
            return self._commanded
        return self._travel > MOTION

    @property
    def _travel(self) -> float:
        """Wheel travel since the start [m], the mean of both wheels, forward or backwards."""
        return self.context.wheel_travel - self._travel_before

    @abstractmethod
    def decide(self, observation: Observation, elapsed: float) -> WheelSpeeds | tuple[float, float]:
        """Return the wheel speeds (left, right) [m/s] of the task, `elapsed` seconds after its start."""

    def end(self, why: str, *, failed: bool = False) -> WheelSpeeds:
        """End the task with a reason."""
        self.why, self.failed = why, failed
        return STOP


HERE = "paddock.control.behaviours.tasks"
TASKS: Registry[type[Task[Any]]] = Registry(
    "task",
    group="paddock.tasks",
    builtin={
        "turn": f"{HERE}.motions:Turn",
        "move": f"{HERE}.motions:Move",
        "stop": f"{HERE}.motions:Stop",
        "wait": f"{HERE}.motions:Wait",
        "go-to": f"{HERE}.go_to:GoTo",
        "wall-follow": f"{HERE}.following:WallFollow",
        "line-follow": f"{HERE}.following:LineFollow",
        "wander": f"{HERE}.roam:Wander",
        "avoid": f"{HERE}.roam:Avoid",
    },
    base=Task,
)


def find_task(name: str, folder: str | Path | None = None) -> type[Task[Any]]:
    """Return the task class with a name, `module:Name` or `file.py:Name`.

    Args:
        name: a registered name, or the location of the class.
        folder: the first folder to search for users' files; None: only the working directory.
    """
    task = TASKS.get(name, folder=folder)
    if not isinstance(task, type):
        raise PaddockError(f"{name}: expected a class derived from Task, got an object: leave out the parentheses")
    refuse_abstract(task, "decide(self, observation, elapsed), which returns wheel speeds")
    if not (isinstance(task.parameters, type) and issubclass(task.parameters, TaskSpec)):
        wrong = format_value(task.parameters)
        raise PaddockError(f"{locate_class(task)}: parameters: expected a class derived from TaskSpec, got {wrong}")
    return task
