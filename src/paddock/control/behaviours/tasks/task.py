"""Base classes of tasks: validated parameters, start, act and done, the safety rule, and the check for motion."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Generic, NamedTuple, TypeVar

from paddock.control.behaviours.answers import check_wheel_speeds
from paddock.control.behaviours.tasks.context import TaskContext
from paddock.control.behaviours.tasks.safety import limit_speed, too_near
from paddock.core.observation import Observation, WheelSpeeds
from paddock.core.spec import Number, Spec

Duration = Annotated[float, Number("seconds", above=0, limit=1e6)]
Speed = Annotated[float, Number("m/s", above=0)]
STOP = WheelSpeeds(0.0, 0.0)
MOTION = 1e-6  # [m] minimum wheel travel that counts as motion


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
    ends_at_walls: ClassVar[bool] = False  # whether an end by the safety rule counts as success
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
        return self.context.wheel_travel - self._travel_before > MOTION

    @abstractmethod
    def decide(self, observation: Observation, elapsed: float) -> WheelSpeeds | tuple[float, float]:
        """Return the wheel speeds (left, right) [m/s] of the task, `elapsed` seconds after its start."""

    def end(self, why: str, *, failed: bool = False) -> WheelSpeeds:
        """End the task with a reason."""
        self.why, self.failed = why, failed
        return STOP
