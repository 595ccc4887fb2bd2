"""The Vorarlberg e-puck framework's controllers for robots that meet on a line: the stock and the improved one.

They follow the framework's description, for sensors with a range of 0.05 m. Its proximity indices 0 … 7 are those of
the e-puck in V-REP, clockwise from the left side: left, four at the front from left to right, right, and two at the
rear. Only this numbering matches "the right side sensor (index 5)" and "the centre-front sensors (2, 3)". The e-puck's
own numbers ps0 … ps7 go clockwise from the right of the front: index k is ps(k + 5 mod 8).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from paddock.control.behaviours.distance import require_positive
from paddock.control.behaviours.line import DARK
from paddock.core.argument_checks import all_finite
from paddock.core.errors import PaddockError
from paddock.core.observation import Observation, WheelSpeeds

RANGE = 0.05  # [m] objects farther away are ignored
CLOSE = 0.25 * RANGE
FROM_LEFT = (5, 6, 7, 0, 1, 2, 3, 4)  # ps number of the framework's proximity index
LEFT, FRONT, CENTRE, RIGHT = 0, slice(1, 5), (2, 3), 5  # the framework's indices
FRONT_WEIGHTS = np.array([1.0, 2.0, -2.0, -1.0])  # for the left wheel; mirrored for the right one
SIDE_WEIGHTS = (-1.0, 0.0)  # for the wheel on the sensor's side, and for the other one


class StockCrossing:
    """Line following if nothing is in front, Braitenberg avoidance otherwise.

    Two robots that meet behave like mirror images of each other. Both turn to the same side and drive on in parallel,
    or they block each other head-on. `state` is the active behaviour: line, side or front.
    """

    def __init__(self, speed: float = 0.08) -> None:
        self.speed = require_positive(f"{type(self).__name__}: speed", speed)
        self.state = "line"

    def act(self, observation: Observation) -> WheelSpeeds:
        """Return the wheel speeds for one observation."""
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
            left, right = self.along_sides(seen)
        return WheelSpeeds(self.speed * left, self.speed * right)

    def on_line(self, dark: Sequence[bool]) -> tuple[float, float]:
        """Return wheel speeds as fractions of `speed`: an outer sensor on the line slows the wheel on its side."""
        return 0.25 if dark[0] else 1.0, 0.25 if dark[2] else 1.0

    def along_sides(self, seen: NDArray[np.float64]) -> tuple[float, float]:
        """Keep the distance to objects on both sides."""
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
        """Avoid objects in front like a Braitenberg vehicle."""
        near = 1 - seen[FRONT] / RANGE
        return 1.0 + float(FRONT_WEIGHTS @ near), 1.0 + float(FRONT_WEIGHTS[::-1] @ near)


class ImprovedCrossing(StockCrossing):
    """The framework's improvement: always turn left, keep the passed object on the right, return to the line.

    As published, a robot that detects nothing drives straight on. If this leads away from the line, as for the robot
    that passes on the outside of a closed line, it is lost. `curve` is our addition: how much the robot then turns to
    the right, 0 … 1.
    """

    def __init__(self, speed: float = 0.08, curve: float = 0.0) -> None:
        super().__init__(speed)
        if not (all_finite(curve) and 0 <= curve <= 1):
            raise PaddockError(f"ImprovedCrossing: curve: expected a number from 0 to 1, got {curve!r}")
        self.curve = curve

    def on_line(self, dark: Sequence[bool]) -> tuple[float, float]:
        """Turn sharply if the line leaves the middle, and rotate to the left if all sensors are on the line."""
        left, middle, right = dark
        if left and middle and right:
            return -1.0, 1.0
        if middle and right:
            return 1.0, -0.75
        if middle and left:
            return -0.75, 1.0
        return 0.2 if left else 1.0, 0.2 if right else 1.0

    def along_sides(self, seen: NDArray[np.float64]) -> tuple[float, float]:
        """Keep the distance to objects on the right side only."""
        if seen[RIGHT] <= CLOSE:
            return 1.0, 1.0
        if seen[RIGHT] >= RANGE:
            return 1.0, 1.0 - self.curve
        own, other = SIDE_WEIGHTS
        near = 1 - float(seen[RIGHT]) / RANGE
        return 1.0 + other * near, 1.0 + own * near

    def in_front(self, seen: NDArray[np.float64]) -> tuple[float, float]:
        """Turn left, or use Braitenberg avoidance if the object is very close."""
        if max(seen[k] for k in CENTRE) > CLOSE:
            return -0.5, 1.0
        return super().in_front(seen)
