"""Blacklist: places that were tried in vain, each for a while, longer each time."""

from __future__ import annotations

import math
from dataclasses import dataclass

from paddock.core.geometry import Point


@dataclass
class FailedPlace:
    """A place that was tried."""

    place: Point  # [m]
    tries: int
    until: float  # it is left alone [s]


class Blacklist:
    """Places that are left alone.

    Args:
        radius: what is nearer than this to such a place is the same [m].
        seconds: how long a place is left alone after its second failure; twice as long after its third. The first is
            forgiven: there may be a better view.
    """

    def __init__(self, radius: float = 0.4, seconds: float = 60.0) -> None:
        self.radius, self.seconds = radius, seconds
        self.failures: list[FailedPlace] = []

    def find(self, place: Point) -> FailedPlace | None:
        """The failure at a place, if there was any."""
        near = [failure for failure in self.failures if math.dist(failure.place, place) <= self.radius]
        return min(near, key=lambda failure: math.dist(failure.place, place)) if near else None

    def add(self, place: Point, time: float) -> None:
        """A place was tried in vain."""
        failure = self.find(place)
        if failure is None:
            failure = FailedPlace(place, 0, time)
            self.failures.append(failure)
        failure.tries += 1
        failure.until = time + self.seconds * (failure.tries - 1)

    def holds(self, place: Point, time: float) -> bool:
        """Whether a place is left alone at a time."""
        failure = self.find(place)
        return failure is not None and time < failure.until

    def pardon(self, place: Point, time: float, tries: int = 3) -> bool:
        """Let a place be tried again at once, unless it was so often already; whether it may."""
        failure = self.find(place)
        if failure is not None and failure.tries < tries:
            failure.until = time
            return True
        return False
