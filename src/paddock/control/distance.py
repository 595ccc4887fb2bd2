"""Keep a distance to what is beside the robot; for the e-puck's ring of proximity sensors."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from paddock.core.errors import PaddockError, UnknownName
from paddock.core.numeric import all_finite
from paddock.core.observation import Observation, WheelSpeeds

Side = Literal["left", "right"]

SIDE_RANGE = 0.060  # what is farther aside than this is not followed [m]
FREE = 0.052  # ahead of the robot there is room from here on [m]
BLIND = 0.060  # way from where the sensor at 45° loses a thing to where the one at 90° finds it [m]
AROUND = 0.700  # way of the outer wheel once around where something must be, and a little more [m]
FRONT, AHEAD, ASLANT, BESIDE = (0, 7), (0, 1, 6, 7), {"left": 6, "right": 1}, {"left": 5, "right": 2}  # ps numbers


class KeepDistance:
    """Drives along something, or around it, and turns away from what is ahead.

    Between the sensor at 45° and the one at 90° it sees nothing. So what was seen ahead is driven past before it turns
    to the side where it must be. As long as it has found nothing, and when it has gone around where it last saw
    something and it is not there any more, it drives straight on.
    """

    def __init__(self, speed: float = 0.08, distance: float = 0.030, side: Side = "left") -> None:
        if side not in BESIDE:
            raise UnknownName("side", side, BESIDE)
        self.speed, self.side = require_positive("KeepDistance: speed", speed), side
        self.distance = require_positive("KeepDistance: distance", distance)
        self.reset()

    def reset(self) -> None:
        """Forget what was seen."""
        self._unseen = BLIND  # way [m] since something was seen ahead
        self._alone = AROUND  # way [m] since something was seen ahead or at its side
        self._time: float | None = None

    def act(self, observation: Observation) -> WheelSpeeds:
        """One decision."""
        elapsed = 0.0 if self._time is None else observation.time - self._time
        self._time = observation.time
        near, way = observation.proximity, self.speed * elapsed
        self.remember_ahead(near, way)
        self._alone = 0.0 if self._unseen == 0.0 or near[BESIDE[self.side]] < SIDE_RANGE else self._alone + way
        turn = self.choose_turn(near) if self._alone < AROUND else 0.0
        if min(near[k] for k in FRONT) < self.distance:
            turn = -2.0  # on the spot
        return steer(self.speed, turn if self.side == "left" else -turn)

    def remember_ahead(self, near: NDArray[np.float64], way: float) -> None:
        """Remember how far the robot has driven since something was ahead of it."""
        self._unseen = 0.0 if min(near[k] for k in AHEAD) < FREE else self._unseen + way

    def choose_turn(self, near: NDArray[np.float64]) -> float:
        """How much to turn to its side, see `steer`; negative: away from it."""
        aslant, beside = float(near[ASLANT[self.side]]), float(near[BESIDE[self.side]])
        if aslant < self.distance:
            return -0.8
        if beside < SIDE_RANGE:
            return max(-0.5, min(0.55, 0.25 + 20.0 * (beside - self.distance)))
        return 0.0 if self._unseen < BLIND else 0.55


def require_positive(what: str, number: float) -> float:
    """A number > 0, or an error that names it."""
    if not (all_finite(number) and number > 0):
        raise PaddockError(f"{what}: expected a finite number > 0, got {number!r}")
    return float(number)


def steer(speed: float, turn: float) -> WheelSpeeds:
    """Full speed for one wheel, less for the other: 0 straight, 1 around the left wheel, 2 left on the spot."""
    return WheelSpeeds(speed * min(1.0, 1.0 - turn), speed * min(1.0, 1.0 + turn))
