"""Line following with a way around obstacles: enough for a demonstration and a first lesson."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from paddock.core.observation import Observation, WheelSpeeds

DARK = 0.5  # the floor is a line below this brightness
BLOCKED = 0.035  # something ahead is in the way when nearer than this [m]
BESIDE = 0.030  # how far to pass beside it [m]


class LinePatrol:
    """Follows a dark line with three ground sensors; passes what stands on it on the right.

    Everyone passes on the right, so two robots that meet head-on pass each other like cars. For robots with
    the e-puck's `ground` and `proximity` sensors.
    """

    def __init__(self, speed: float = 0.08) -> None:
        self.speed = speed
        self.state = "follow"
        self._turn = 1.0  # where the line was last seen: 1 left, -1 right
        self._since = 0.0

    def act(self, observation: Observation) -> WheelSpeeds:
        """One decision."""
        near = observation.proximity
        left, middle, right = (value < DARK for value in observation.ground)
        line = left or middle or right
        ahead = min(near[0], near[7])
        around = observation.time - self._since
        if self.state in ("follow", "pass") and ahead < BLOCKED:
            self._enter("turn away", observation)
        elif self.state == "turn away" and min(ahead, near[1], near[6]) > 1.5 * BLOCKED:
            self._enter("pass", observation)
        elif self.state == "pass" and line and around > 1.5:
            self._enter("cross", observation)
        elif self.state == "cross" and not line:
            self._enter("align", observation)
        elif self.state == "align" and line:
            self._turn = -1.0
            self._enter("follow", observation)
        return self._wheels(left, middle, right, near)

    def _enter(self, state: str, observation: Observation) -> None:
        self.state, self._since = state, observation.time

    def _wheels(self, left: bool, middle: bool, right: bool, near: NDArray[np.float64]) -> WheelSpeeds:
        v = self.speed
        if self.state == "turn away":  # on the spot, to the right
            return WheelSpeeds(0.6 * v, -0.6 * v)
        if self.state == "pass":  # around it, keeping it on the left
            if near[6] < BESIDE:
                return WheelSpeeds(v, 0.2 * v)
            return WheelSpeeds(v, 0.7 * v) if near[5] < BESIDE else WheelSpeeds(0.45 * v, v)
        if self.state == "cross":
            return WheelSpeeds(0.7 * v, 0.7 * v)
        if self.state == "align":  # to the right, until the line is back
            return WheelSpeeds(0.5 * v, -0.3 * v)
        if left and not right:
            self._turn = 1.0
        elif right and not left:
            self._turn = -1.0
        if middle and not (left or right):
            return WheelSpeeds(v, v)
        sharp = 0.45 if middle else (0.2 if left or right else -0.4)
        return WheelSpeeds(sharp * v, v) if self._turn > 0 else WheelSpeeds(v, sharp * v)
