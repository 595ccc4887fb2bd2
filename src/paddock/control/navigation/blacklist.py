"""Blacklist: positions of failed attempts, blocked for a time that increases with each failure."""

from __future__ import annotations

import math
from dataclasses import dataclass

from paddock.core.geometry import Point


@dataclass
class FailedPlace:
    """A position with failed attempts."""

    place: Point  # [m]
    tries: int
    until: float  # end of the blocking time [s]


class Blacklist:
    """Blocked positions.

    Args:
        radius: distance within which positions count as the same [m].
        seconds: blocking time after the second failure; twice as long after the third. The first failure does not
            block, because there may be a better viewpoint.
    """

    def __init__(self, radius: float = 0.4, seconds: float = 60.0) -> None:
        self.radius, self.seconds = radius, seconds
        self.failures: list[FailedPlace] = []

    def find(self, place: Point) -> FailedPlace | None:
        """Return the failure at a position, if there was any."""
        near = [failure for failure in self.failures if math.dist(failure.place, place) <= self.radius]
        return min(near, key=lambda failure: math.dist(failure.place, place)) if near else None

    def add(self, place: Point, time: float) -> None:
        """Record a failed attempt at a position."""
        failure = self.find(place)
        if failure is None:
            failure = FailedPlace(place, 0, time)
            self.failures.append(failure)
        failure.tries += 1
        failure.until = time + self.seconds * (failure.tries - 1)

    def holds(self, place: Point, time: float) -> bool:
        """Return whether a position is blocked at a time."""
        failure = self.find(place)
        return failure is not None and time < failure.until

    def unblock(self, place: Point, time: float, tries: int = 3) -> bool:
        """Unblock a position unless it has failed `tries` times; return whether it is unblocked."""
        failure = self.find(place)
        if failure is not None and failure.tries < tries:
            failure.until = time
            return True
        return False
