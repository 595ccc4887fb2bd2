"""Turn on the spot by so many degrees."""

from __future__ import annotations

import math
from dataclasses import dataclass

from paddock.control.tasks.base import Need, Speed, Task, TaskSpec
from paddock.control.tasks.view import View
from paddock.core.geometry import wrap
from paddock.core.observation import Observation, WheelSpeeds
from paddock.core.spec import Degrees, Positive
from paddock.estimate import compass_bearing

EASING = 4.0  # [1/s] over the last degrees the turn rate is this times what is left, so that no tick jumps past


@dataclass(frozen=True, kw_only=True, slots=True)
class TurnSpec(TaskSpec):
    """Wheels run in opposite directions until the bearing is reached."""

    degrees: Degrees  # counter-clockwise
    speed: Speed = 0.1  # at the rims
    within: Positive = 0.5  # degrees from the bearing that will do


class Turn(Task[TurnSpec]):
    """The target bearing is the present one plus `degrees`; more than a full turn is done in full."""

    name, parameters = "turn", TurnSpec
    needs = (Need(("compass", "encoders")),)
    drives = False

    def start(self, view: View) -> None:
        super().start(view)
        self._left = math.radians(self.spec.degrees)
        self._heading = view.believed.heading

    def decide(self, observation: Observation, elapsed: float) -> WheelSpeeds:
        heading = self.view.believed.heading
        self._left -= wrap(heading - self._heading)
        self._heading = heading
        if abs(math.degrees(self._left)) <= self.spec.within:
            return self.end(f"bearing {compass_bearing(heading):.1f}° reached")
        easing = min(EASING, 0.5 / self.view.dt)
        rim = min(self.spec.speed, self.view.max_speed, easing * abs(self._left) * self.view.wheel_separation / 2)
        rim = math.copysign(rim, self._left)
        return WheelSpeeds(-rim, rim)
