"""Stop and wait."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from paddock.control.behaviours.tasks.task import STOP, Task, TaskSpec
from paddock.core.observation import Observation, WheelSpeeds
from paddock.core.spec import Number


@dataclass(frozen=True, kw_only=True, slots=True)
class StopSpec(TaskSpec):
    """No parameters."""


class Stop(Task[StopSpec]):
    """Stops the robot; done when the wheels are at rest."""

    name, parameters = "stop", StopSpec
    drives = moves = False

    def decide(self, observation: Observation, elapsed: float) -> WheelSpeeds:
        return self.end("at rest") if elapsed > 0 and self.context.at_rest else STOP


@dataclass(frozen=True, kw_only=True, slots=True)
class WaitSpec(TaskSpec):
    """Wait for some time."""

    seconds: Annotated[float, Number("seconds", low=0, limit=1e6)]


class Wait(Task[WaitSpec]):
    """Keeps the robot stationary; done when the time is over."""

    name, parameters = "wait", WaitSpec
    drives = moves = False

    def decide(self, observation: Observation, elapsed: float) -> WheelSpeeds:
        return self.end(f"{self.spec.seconds:g} s elapsed") if elapsed >= self.spec.seconds - 1e-9 else STOP
