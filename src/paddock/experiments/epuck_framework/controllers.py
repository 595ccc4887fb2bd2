"""The Vorarlberg e-puck framework's controllers for robots that meet on a line: the one that fails, and its cure.

They are written as the framework tells them, for sensors that see 0.05 m far. Its proximity indices 0 … 7 are those of
the e-puck in V-REP, which go clockwise from the left side: left, four to the front from left to right, right, and two
to the back. Only so "the right side sensor (index 5)" and "the centre-front sensors (2, 3)" make sense. The e-puck's
own numbers ps0 … ps7 go clockwise from the right of the nose: index k is ps(k + 5 mod 8).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from paddock.control.distance import require_positive
from paddock.control.line import DARK
from paddock.core.errors import PaddockError
from paddock.core.numeric import all_finite
from paddock.core.observation import Observation, WheelSpeeds

RANGE = 0.05  # what is farther counts as nothing [m]
CLOSE = 0.25 * RANGE
FROM_LEFT = (5, 6, 7, 0, 1, 2, 3, 4)  # ps number of the framework's proximity index
LEFT, FRONT, CENTRE, RIGHT = 0, slice(1, 5), (2, 3), 5  # in the framework's numbers
FRONT_WEIGHTS = np.array([1.0, 2.0, -2.0, -1.0])  # on the left wheel; mirrored for the right one
SIDE_WEIGHTS = (-1.0, 0.0)  # on the wheel at the sensor's side, and on the other one


class StockCrossing:
    """Line following where nothing is in front, and Braitenberg avoidance.

    Two robots that meet are mirror images of each other. So both turn to the same side and drive on in parallel, or
    they stand head to head. `state` tells what it is doing: line, side or front.
    """

    def __init__(self, speed: float = 0.08) -> None:
        self.speed = require_positive(f"{type(self).__name__}: speed", speed)
        self.state = "line"

    def act(self, observation: Observation) -> WheelSpeeds:
        """One decision."""
        seen = np.minimum(observation.proximity[list(FROM_LEFT)], RANGE)
        dark = [bool(value < DARK) for value in observation.ground]
        if seen[FRONT].min() < RANGE:
            self.state = "front"
            left, right = self.in_front(seen)
        elif any(dark):
            self.state = "line"
            left, right = self.on_line(dark)
        else:
            self.state = "side"
            left, right = self.beside(seen)
        return WheelSpeeds(self.speed * left, self.speed * right)

    def on_line(self, dark: Sequence[bool]) -> tuple[float, float]:
        """Wheels as shares of the speed: an outer sensor on the line slows its own wheel."""
        return 0.25 if dark[0] else 1.0, 0.25 if dark[2] else 1.0

    def beside(self, seen: NDArray[np.float64]) -> tuple[float, float]:
        """Keeps its distance to what is beside it, on either side."""
        left, right = 1.0, 1.0
        own, other = SIDE_WEIGHTS
        if seen[LEFT] > CLOSE:
            near = 1 - float(seen[LEFT]) / RANGE
            left, right = left + own * near, right + other * near
        if seen[RIGHT] > CLOSE:
            near = 1 - float(seen[RIGHT]) / RANGE
            left, right = left + other * near, right + own * near
        return left, right

    def in_front(self, seen: NDArray[np.float64]) -> tuple[float, float]:
        """Braitenberg avoidance."""
        near = 1 - seen[FRONT] / RANGE
        return 1.0 + float(FRONT_WEIGHTS @ near), 1.0 + float(FRONT_WEIGHTS[::-1] @ near)


class ImprovedCrossing(StockCrossing):
    """The framework's cure: always turn left, keep what is passed on the right, come back to the line.

    As it is told, a robot that sees nothing drives straight on. Where that leads away from the line, as for the one
    that passes on the outside of a closed line, it is lost. `curve` is our addition: how much it then turns to the
    right, 0 … 1.
    """

    def __init__(self, speed: float = 0.08, curve: float = 0.0) -> None:
        super().__init__(speed)
        if not (all_finite(curve) and 0 <= curve <= 1):
            raise PaddockError(f"ImprovedCrossing: curve: expected a number from 0 to 1, got {curve!r}")
        self.curve = curve

    def on_line(self, dark: Sequence[bool]) -> tuple[float, float]:
        """Turns hard where the line leaves the middle, and rotates to the left where it meets it across."""
        left, middle, right = dark
        if left and middle and right:
            return -1.0, 1.0
        if middle and right:
            return 1.0, -0.75
        if middle and left:
            return -0.75, 1.0
        return 0.2 if left else 1.0, 0.2 if right else 1.0

    def beside(self, seen: NDArray[np.float64]) -> tuple[float, float]:
        """Keeps its distance on the right side only."""
        if seen[RIGHT] <= CLOSE:
            return 1.0, 1.0
        if seen[RIGHT] >= RANGE:
            return 1.0, 1.0 - self.curve
        own, other = SIDE_WEIGHTS
        near = 1 - float(seen[RIGHT]) / RANGE
        return 1.0 + other * near, 1.0 + own * near

    def in_front(self, seen: NDArray[np.float64]) -> tuple[float, float]:
        """To the left, whatever it is, unless it is very close."""
        if max(seen[k] for k in CENTRE) > CLOSE:
            return -0.5, 1.0
        return super().in_front(seen)
