"""Keep a distance to an object at the side of the robot; for the e-puck's ring of proximity sensors."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from paddock.core.argument_checks import all_finite
from paddock.core.errors import PaddockError, UnknownName
from paddock.core.observation import Observation, WheelSpeeds

Side = Literal["left", "right"]

SIDE_RANGE = 0.060  # objects farther away at the side are not followed [m]
FREE = 0.052  # the path ahead is free if all front distances exceed this [m]
BLIND = 0.060  # distance driven between losing an object with the sensor at 45° and detecting it with that at 90° [m]
AROUND = 0.700  # path of the outer wheel for slightly more than one turn around the expected position of an object [m]
FRONT, AHEAD, ASLANT, BESIDE = (0, 7), (0, 1, 6, 7), {"left": 6, "right": 1}, {"left": 5, "right": 2}  # ps numbers


class KeepDistance:
    """Drives along or around an object at its side, and turns away from objects ahead.

    The robot detects nothing between the sensors at 45° and at 90°. It therefore drives past an object that it detected
    ahead before it turns to that side. It drives straight on until it detects an object, and again after it has driven
    around the last known position of an object without detecting it.
    """

    def __init__(self, speed: float = 0.08, distance: float = 0.030, side: Side = "left") -> None:
        if side not in BESIDE:
            raise UnknownName("side", side, BESIDE)
        self.speed, self.side = require_positive("KeepDistance: speed", speed), side
        self.distance = require_positive("KeepDistance: distance", distance)
        self.reset()

    def reset(self) -> None:
        """Forget all detections."""
        self._unseen = BLIND  # distance [m] driven since an object was detected ahead
        self._alone = AROUND  # distance [m] driven since an object was detected ahead or at the side
        self._time: float | None = None

    def act(self, observation: Observation) -> WheelSpeeds:
        """Return the wheel speeds for one observation."""
        elapsed = 0.0 if self._time is None else observation.time - self._time
        self._time = observation.time
        near, way = observation.proximity, self.speed * elapsed
        self.remember_ahead(near, way)
        self._alone = 0.0 if self._unseen == 0.0 or near[BESIDE[self.side]] < SIDE_RANGE else self._alone + way
        turn = self.choose_turn(near) if self._alone < AROUND else 0.0
        if min(near[k] for k in FRONT) < self.distance:
            turn = -2.0  # on the spot
        return steer(self.speed, turn if self.side == "left" else -turn)

    def remember_ahead(self, near: NDArray[np.float64], travel: float) -> None:
        """Update the distance driven since an object was ahead of the robot."""
        self._unseen = 0.0 if min(near[k] for k in AHEAD) < FREE else self._unseen + travel

    def choose_turn(self, near: NDArray[np.float64]) -> float:
        """Return how much to turn towards `side`, see `steer`; negative: away from it."""
        aslant, beside = float(near[ASLANT[self.side]]), float(near[BESIDE[self.side]])
        if aslant < self.distance:
            return -0.8
        if beside < SIDE_RANGE:
            return max(-0.5, min(0.55, 0.25 + 20.0 * (beside - self.distance)))
        return 0.0 if self._unseen < BLIND else 0.55


def require_positive(what: str, number: float) -> float:
    """Return a number > 0, or raise an error that names it."""
    if not (all_finite(number) and number > 0):
        raise PaddockError(f"{what}: expected a finite number > 0, got {number!r}")
    return float(number)


def steer(speed: float, turn: float) -> WheelSpeeds:
    """Return full speed for one wheel, less for the other: 0 straight, 1 around the left wheel, 2 left on the spot."""
    return WheelSpeeds(speed * min(1.0, 1.0 - turn), speed * min(1.0, 1.0 + turn))
