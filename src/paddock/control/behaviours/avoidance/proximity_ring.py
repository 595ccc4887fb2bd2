"""ProximityRing: the mounts, range and response of a robot's infrared sensors."""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from paddock.core.errors import PaddockError
from paddock.core.observation import Readings

Distances = Sequence[float] | Readings
"""One distance [m] for each sensor of the ring; the ring's range, or more, if nothing is detected."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ProximityRing:
    """The sensors of a round robot, and its body. Frame: x forward, y left."""

    device: str = "proximity"  # name of the device on the robot
    mounts: tuple[tuple[float, float, float], ...]  # x, y [m], bearing [rad] of every sensor
    range: float  # [m] readings of at least this mean that nothing is detected
    radius: float  # of the body [m]
    response: tuple[tuple[float, float], ...] = ()  # distance [m] and counts, increasing distances; empty: unknown

    def __post_init__(self) -> None:
        if any(b[0] <= a[0] or b[1] >= a[1] for a, b in pairwise(self.response)):
            raise PaddockError("ProximityRing: response: expected increasing distances with decreasing counts")

    @property
    def right(self) -> tuple[int, ...]:
        """Indices of the two foremost sensors on the right, the foremost first."""
        return _list_foremost(self.mounts, -1.0)

    @property
    def left(self) -> tuple[int, ...]:
        """Indices of the two foremost sensors on the left, the foremost first."""
        return _list_foremost(self.mounts, 1.0)

    def find_obstacle(self, distances: Distances, threshold: float) -> float:
        """Return the side on which the counts of two sensors add up to more than a threshold, as on the E. coli robots.

        -1 right, 1 left, 0 none. The right side is tested first: an obstacle on both sides counts as right.
        """
        return next((side for side in (-1.0, 1.0) if self.add_counts(distances, side) > threshold), 0.0)

    def find_counted(self, counts: Sequence[float], threshold: float) -> float:
        """Return the same as `find_obstacle` for a robot that reports counts."""
        sides = ((-1.0, self.right), (1.0, self.left))
        return next((side for side, sensors in sides if sum(counts[i] for i in sensors) > threshold), 0.0)

    def add_counts(self, distances: Distances, side: float) -> float:
        """Return the sum of the counts of the two foremost sensors on a side: -1 right, 1 left."""
        sensors = self.right if side < 0 else self.left
        return sum(self.find_counts(float(distances[i])) for i in sensors)

    def find_counts(self, distance: float) -> float:
        """Return the counts for a distance [m], by linear interpolation; 0 if nothing is detected."""
        if not self.response:
            raise PaddockError("ProximityRing: response: missing: pairs of distance [m] and counts of this robot")
        if distance >= self.range:
            return 0.0
        for (near, most), (far, least) in pairwise(self.response):
            if distance <= far:
                return most + (least - most) * max(0.0, distance - near) / (far - near)
        return self.response[-1][1]

    def find_distance(self, counts: float) -> float:
        """Return the distance [m] for counts; the range if they are below the last ones of the response."""
        if not self.response:
            raise PaddockError("ProximityRing: response: missing: pairs of distance [m] and counts of this robot")
        for (near, most), (far, least) in pairwise(self.response):
            if counts >= least:
                return near + (far - near) * min(1.0, max(0.0, most - counts) / (most - least))
        return self.range

    def find_distances(self, counts: Sequence[float]) -> list[float]:
        """Return the distances [m] of all sensors, for robots that report counts only."""
        return [self.find_distance(float(number)) for number in counts]


@functools.lru_cache
def _list_foremost(mounts: tuple[tuple[float, float, float], ...], sign: float) -> tuple[int, ...]:
    there = [i for i, mount in enumerate(mounts) if sign * mount[2] > 0]
    return tuple(sorted(there, key=lambda i: abs(mounts[i][2]))[:2])


def _degrees(*mounts: tuple[float, float, float]) -> tuple[tuple[float, float, float], ...]:
    return tuple((x, y, math.radians(bearing)) for x, y, bearing in mounts)


# The values of the shipped robot `e-puck`; a test compares them.
EPUCK_RING = ProximityRing(
    mounts=_degrees(
        (0.030, -0.010, -17.2),
        (0.022, -0.025, -45.9),
        (0.000, -0.031, -90.0),
        (-0.030, -0.015, -151.5),
        (-0.030, 0.015, 151.2),
        (0.000, 0.031, 90.0),
        (0.022, 0.025, 45.8),
        (0.030, 0.010, 17.1),
    ),
    range=0.07,
    radius=0.037,
    response=(
        (0.000, 4095.00),
        (0.005, 2133.33),
        (0.010, 1465.73),
        (0.015, 601.46),
        (0.020, 383.84),
        (0.030, 234.93),
        (0.040, 158.03),
        (0.050, 120.00),
        (0.060, 104.09),
        (0.070, 67.19),
    ),
)
