"""Move straight until a wall is near."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from paddock.control.behaviours.tasks.task import Duration, Task, TaskSpec
from paddock.core.errors import SpecError
from paddock.core.observation import Observation, WheelSpeeds
from paddock.core.spec import Number


@dataclass(frozen=True, kw_only=True, slots=True)
class MoveSpec(TaskSpec):
    """Drive straight for a maximum time; the safety rule ends the task in front of a wall."""

    speed: Annotated[float, Number("m/s")] | None = None  # negative: backwards; None: 0.5, or less for slower robots
    seconds: Duration = 30.0

    def check(self) -> None:
        if self.speed == 0:
            raise SpecError("expected m/s above or below 0, got 0 (to stand still, use the task 'wait')", path="speed")


class Move(Task[MoveSpec]):
    """Drives straight; succeeds when the safety rule stops the robot at a wall."""

    name, parameters = "move", MoveSpec
    ends_at_walls = True

    def decide(self, observation: Observation, elapsed: float) -> WheelSpeeds:
        if elapsed >= self.spec.seconds - 1e-9:
            return self.end(f"{self.spec.seconds:g} s elapsed")
        speed = self.context.choose_speed(self.spec.speed)
        return WheelSpeeds(speed, speed)
