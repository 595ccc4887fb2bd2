"""Follow a dark line on the floor."""

from __future__ import annotations

from dataclasses import dataclass

from paddock.control.behaviours.line import LinePatrol
from paddock.control.behaviours.tasks.context import TaskContext
from paddock.control.behaviours.tasks.task import Duration, SensorRequirement, Speed, Task, TaskSpec
from paddock.core.observation import Observation, WheelSpeeds

LINE_SHARE = 0.6  # of the maximum speed, if no speed is given


@dataclass(frozen=True, kw_only=True, slots=True)
class LineFollowSpec(TaskSpec):
    """Follow a line for some time."""

    seconds: Duration
    speed: Speed | None = None  # None: 0.6 of the robot's maximum speed


class LineFollow(Task[LineFollowSpec]):
    """Follows a line and passes obstacles on the right; needs the e-puck's ground and proximity sensors."""

    name, parameters = "line-follow", LineFollowSpec
    needs = (SensorRequirement(("ground",), 3, "ground"), SensorRequirement(("proximity",), 8, "proximity"))

    def start(self, context: TaskContext) -> None:
        super().start(context)
        self._patrol = LinePatrol(self.spec.speed or LINE_SHARE * context.max_speed)

    def decide(self, observation: Observation, elapsed: float) -> WheelSpeeds:
        if elapsed >= self.spec.seconds - 1e-9:
            return self.end(f"{self.spec.seconds:g} s elapsed")
        return self._patrol.act(observation)
