"""A detection, what may have caused it, and how well each cause fits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from paddock.control.avoidance import EPUCK_RING, ProximityRing
from paddock.core.geometry import Point, Pose

Cause = Literal["wall", "robot", "light"]
CAUSES: tuple[Cause, ...] = ("wall", "robot", "light")
WORST = -8.0  # no score is lower: any means may be wrong now and then
OTHER = -2.5  # score of causes that a means says nothing about
LIT = -1.0  # score of light where something solid is seen as well: the light may have made the difference


class CauseScores(NamedTuple):
    """How well each cause fits: logarithms of likelihoods, 0 at best."""

    wall: float = OTHER
    robot: float = OTHER
    light: float = OTHER


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Detection:
    """What a robot knows at the moment at which its proximity sensors see something; what it lacks is None."""

    distances: Sequence[float]  # of all sensors [m]
    side: float  # -1 right, 1 left
    threshold: float  # that the counts of this side's two sensors have exceeded
    pose: Pose | None = None  # estimated
    light: Sequence[float] | None = None  # ambient light on the same sensors [W/m²]
    others: Sequence[Point] | None = None  # where the other robots say they are [m]
    picture: NDArray[np.uint8] | None = None  # of its camera, turned to what was seen; [row, column, rgb]
    ring: ProximityRing = EPUCK_RING

    @property
    def sensors(self) -> tuple[int, ...]:
        """The side's two sensors."""
        return self.ring.right if self.side < 0 else self.ring.left

    @property
    def sensor(self) -> int:
        """The one of them that sees more."""
        return min(self.sensors, key=lambda i: self.distances[i])

    @property
    def distance(self) -> float:
        """What it reads [m]."""
        return float(self.distances[self.sensor])
