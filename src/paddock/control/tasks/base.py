"""What all tasks share: parameters that check themselves; start, act, done; and the safety rule."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Annotated, ClassVar, Generic, NamedTuple, TypeVar

from paddock.control.tasks.safety import slowed, too_near
from paddock.control.tasks.view import View
from paddock.core.observation import Observation, WheelSpeeds
from paddock.core.spec import Number, Spec

Duration = Annotated[float, Number("seconds", above=0, limit=1e6)]
Speed = Annotated[float, Number("m/s", above=0)]
STOP = WheelSpeeds(0.0, 0.0)


class Need(NamedTuple):
    """A sensor that a task cannot do without: any of these kinds, with that many values."""

    kinds: tuple[str, ...]
    values: int | None = None  # None: any number
    named: str | None = None  # None: any name

    def __str__(self) -> str:
        count = "" if self.values is None else f" with {self.values} values"
        called = "" if self.named is None or self.named in self.kinds else f" called {self.named!r}"
        return f"a {' or '.join(self.kinds)} sensor{count}{called}"


RANGER = Need(("sonar", "proximity", "laser"))  # what looks ahead: the first of these that a robot has
WHEEL_TRAVEL = Need(("encoders",))


@dataclass(frozen=True, kw_only=True, slots=True)
class TaskSpec(Spec):
    """The parameters of a task."""


P = TypeVar("P", bound=TaskSpec)


class Task(ABC, Generic[P]):
    """One thing to do. `start` it, then ask it to `act` on every observation until it is `done`."""

    name: ClassVar[str]
    parameters: ClassVar[type[TaskSpec]]
    needs: ClassVar[tuple[Need, ...]] = ()
    keeps_distance: ClassVar[bool] = False  # whether it looks after its own distance to walls
    ends_at_walls: ClassVar[bool] = False  # whether the safety rule is how it is meant to end
    drives: ClassVar[bool] = True  # whether it goes anywhere, so that the safety rule needs eyes

    view: View

    def __init__(self, spec: P) -> None:
        self.spec = spec
        self.why = ""  # it ended; empty while it goes on
        self.failed = False
        self.error: float | None = None  # [m] how far off its aim it is, where that makes sense

    def start(self, view: View) -> None:
        """Begin, at the place and time where the robot is now."""
        self.view = view
        self.began: float | None = None

    @property
    def done(self) -> bool:
        """Whether it has ended, for whatever reason."""
        return bool(self.why)

    def act(self, observation: Observation) -> WheelSpeeds:
        """Rim speeds for this observation; the robot is stopped where the task ends or would be unsafe."""
        if self.began is None:
            self.began = observation.time
        wheels = self.decide(observation, observation.time - self.began)
        if not self.keeps_distance and not self.done:
            near = too_near(self.view, observation, wheels)
            if near is not None:
                self.end(f"{near:.3f} m from a wall")
                self.failed = not self.ends_at_walls
            wheels = slowed(self.view, observation, wheels)
        return STOP if self.done else wheels

    @abstractmethod
    def decide(self, observation: Observation, elapsed: float) -> WheelSpeeds:
        """What the task itself wants, `elapsed` seconds after its start."""

    def end(self, why: str, *, failed: bool = False) -> WheelSpeeds:
        """Be done."""
        self.why, self.failed = why, failed
        return STOP
