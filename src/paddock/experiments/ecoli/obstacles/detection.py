"""A detection, its possible causes, and the scores of the causes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from paddock.control.behaviours.avoidance import EPUCK_RING, ProximityRing
from paddock.core.geometry import Point, Pose

Cause = Literal["wall", "robot", "light"]
CAUSES: tuple[Cause, ...] = ("wall", "robot", "light")
WORST = -8.0  # lowest score, because any source may sometimes be wrong
OTHER = -2.5  # score of causes about which a source has no information
LIT = -1.0  # score of light if a solid object is detected as well: the light may have exceeded the threshold


class CauseScores(NamedTuple):
    """Score of each cause: logarithm of its likelihood, at most 0."""

    wall: float = OTHER
    robot: float = OTHER
    light: float = OTHER


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Detection:
    """The data of a robot at the time of a detection by its proximity sensors; unavailable data is None."""

    distances: Sequence[float]  # of all sensors [m]
    side: float  # -1 right, 1 left
    threshold: float  # exceeded by the sum of the counts of this side's two sensors
    pose: Pose | None = None  # estimated
    light: Sequence[float] | None = None  # ambient light on the same sensors [W/m²]
    others: Sequence[Point] | None = None  # positions reported by the other robots [m]
    picture: NDArray[np.uint8] | None = None  # of the camera, pointed at the detection; [row, column, rgb]
    ring: ProximityRing = EPUCK_RING

    @property
    def sensors(self) -> tuple[int, ...]:
        """Indices of the two sensors on the side of the detection."""
        return self.ring.right if self.side < 0 else self.ring.left

    @property
    def sensor(self) -> int:
        """Index of the one of both sensors with the shorter distance."""
        return min(self.sensors, key=lambda i: self.distances[i])

    @property
    def distance(self) -> float:
        """Distance measured by that sensor [m]."""
        return float(self.distances[self.sensor])
