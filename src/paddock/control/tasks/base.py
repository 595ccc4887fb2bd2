"""What all tasks share: parameters that check themselves; start, act, done; the safety rule; proof of motion."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Generic, NamedTuple, TypeVar

from paddock.control.answers import check_wheel_speeds
from paddock.control.tasks.context import TaskContext
from paddock.control.tasks.safety import limit_speed, too_near
from paddock.core.observation import Observation, WheelSpeeds
from paddock.core.spec import Number, Spec

Duration = Annotated[float, Number("seconds", above=0, limit=1e6)]
Speed = Annotated[float, Number("m/s", above=0)]
STOP = WheelSpeeds(0.0, 0.0)
MOTION = 1e-6  # [m] a wheel that has travelled less has not moved


class SensorRequirement(NamedTuple):
    """A sensor that a task needs: any of these kinds, with that many values."""

    kinds: tuple[str, ...]
    values: int | None = None  # None: any number
    named: str | None = None  # None: any name

    def __str__(self) -> str:
        count = "" if self.values is None else f" with {self.values} values"
        called = "" if self.named is None or self.named in self.kinds else f" called {self.named!r}"
        return f"a {' or '.join(self.kinds)} sensor{count}{called}"


RANGER = SensorRequirement(("sonar", "proximity", "laser"))  # what looks ahead: the first of these that a robot has
ENCODERS = SensorRequirement(("encoders",))


@dataclass(frozen=True, kw_only=True, slots=True)
class TaskSpec(Spec):
    """The parameters of a task."""


P = TypeVar("P", bound=TaskSpec)


class Task(ABC, Generic[P]):
    """A thing to do. `start` it, then ask it to `act` on every observation until it is `done`."""

    name: ClassVar[str]  # in reports; the name of the class unless given
    parameters: ClassVar[type[TaskSpec]] = TaskSpec
    needs: ClassVar[tuple[SensorRequirement, ...]] = ()
    keeps_distance: bool = False  # whether it looks after its own distance to walls
    ends_at_walls: ClassVar[bool] = False  # whether the safety rule is how it is meant to end
    drives: ClassVar[bool] = True  # whether it goes anywhere, so that the safety rule needs sensors that look ahead
    moves: ClassVar[bool] = True  # whether it has failed when the wheels have not turned

    context: TaskContext

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        cls.name = cls.__dict__.get("name", cls.__name__)

    def __init__(self, spec: P) -> None:
        self.spec = spec
        self.why = ""  # it ended; empty while it goes on
        self.failed = False
        self.error: float | None = None  # [m] how far off its aim it is, where that makes sense

    @classmethod
    def list_needs(cls, spec: P) -> tuple[SensorRequirement, ...]:
        """The sensors that the task needs with these parameters."""
        return cls.needs

    def start(self, context: TaskContext) -> None:
        """Begin, at the place and time where the robot is now."""
        self.context = context
        self.began: float | None = None
        self._travel_before, self._commanded = context.wheel_travel, False

    @property
    def done(self) -> bool:
        """Whether it has ended, for whatever reason."""
        return bool(self.why)

    def act(self, observation: Observation) -> WheelSpeeds:
        """Wheel speeds for this observation; the robot is stopped where the task ends or would be unsafe."""
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
        """Whether the wheels have turned since the start; without encoders, whether they were told to."""
        if self.context.encoders is None:
            return self._commanded
        return self.context.wheel_travel - self._travel_before > MOTION

    @abstractmethod
    def decide(self, observation: Observation, elapsed: float) -> WheelSpeeds | tuple[float, float]:
        """Wheel speeds (left, right) [m/s] that the task itself wants, `elapsed` seconds after its start."""

    def end(self, why: str, *, failed: bool = False) -> WheelSpeeds:
        """Be done."""
        self.why, self.failed = why, failed
        return STOP
