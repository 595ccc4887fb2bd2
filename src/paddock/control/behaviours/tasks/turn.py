"""Turn on the spot by an angle."""

from __future__ import annotations

import math
from dataclasses import dataclass

from paddock.control.behaviours.tasks.context import TaskContext
from paddock.control.behaviours.tasks.task import SensorRequirement, Speed, Task, TaskSpec
from paddock.core.geometry import wrap
from paddock.core.observation import Observation, WheelSpeeds
from paddock.core.spec import Degrees, Positive

EASING = 4.0  # [1/s] near the end the turn rate is this times the remaining angle, so that no tick overshoots


@dataclass(frozen=True, kw_only=True, slots=True)
class TurnSpec(TaskSpec):
    """Turn the wheels in opposite directions until the target heading is reached."""

    degrees: Degrees  # counter-clockwise
    speed: Speed = 0.1  # of the wheels
    within: Positive = 0.5  # tolerance in degrees


class Turn(Task[TurnSpec]):
    """Turns to the current heading plus `degrees`, including full turns."""

    name, parameters = "turn", TurnSpec
    needs = (SensorRequirement(("compass", "encoders")),)
    drives = False

    def start(self, context: TaskContext) -> None:
        super().start(context)
        self._left = math.radians(self.spec.degrees)
        self._heading = context.estimated_pose.heading

    def decide(self, observation: Observation, elapsed: float) -> WheelSpeeds:
        heading = self.context.estimated_pose.heading
        self._left -= wrap(heading - self._heading)
        self._heading = heading
        if abs(math.degrees(self._left)) <= self.spec.within:
            return self.end(f"heading {math.degrees(heading) % 360:.1f}° reached")
        easing = min(EASING, 0.5 / self.context.dt)
        limit = easing * abs(self._left) * self.context.wheel_separation / 2
        wheel = math.copysign(min(self.spec.speed, self.context.max_speed, limit), self._left)
        return WheelSpeeds(-wheel, wheel)
