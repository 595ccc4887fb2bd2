"""WallRing: maps any distance sensors to the ring of sixteen sonars that wall followers expect."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from paddock.control.behaviours.wall.estimate import PLACES, RingSonar
from paddock.core.errors import PaddockError
from paddock.core.observation import Readings

WHEEL_SEPARATION = 0.33  # of a Pioneer P3-DX [m]
ALIKE = 1.25  # robots larger or smaller than the Pioneer by at most this factor are treated as equal in size
CONE = math.radians(15)  # half of the opening angle in which beams are combined
TURNED = math.radians(15)  # maximum angle between a sensor and the sonar that it represents
STEEPEST = 0.6  # maximum slope of a wall that is extrapolated from two readings
FARTHEST = 1.0  # [m] minimum sensor range of followers that look ahead
Ray = tuple[float, float, float]
Floats = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class WallRing:
    """Maps the sensors of a robot to a ring of sonars. Followers' metres are the robot's divided by `scale`."""

    rays: tuple[Ray, ...]  # x forward, y left [m], heading [rad] of every reading
    half_cone: float  # half of the opening angle of each sensor [rad]
    range: float  # [m] readings of at least this mean that nothing is detected
    wheel_separation: float = WHEEL_SEPARATION  # [m] of the robot

    @cached_property
    def scale(self) -> float:
        """Size of the robot relative to a Pioneer; 1 for robots of about the same size."""
        scale = self.wheel_separation / WHEEL_SEPARATION
        return 1.0 if 1 / ALIKE <= scale <= ALIKE else scale

    @property
    def gathers(self) -> bool:
        """Whether the readings are the beams of a scanner, which are combined into cones."""
        return len(self.rays) > len(PLACES)

    @cached_property
    def chosen(self) -> dict[int, int]:
        """Index of the reading for each sonar of the ring: the one with the most similar heading; -1 for a scanner."""
        if self.gathers:
            first, last = min(ray[2] for ray in self.rays), max(ray[2] for ray in self.rays)
            return {place.number: -1 for place in PLACES if first - 0.1 < place.heading < last + 0.1 and place.x > 0}
        pairs = [
            (_aside(ray[2], place.heading), place.number, k)
            for place in PLACES
            for k, ray in enumerate(self.rays)
            if (ray[0] >= 0) == (place.x >= 0)
        ]
        chosen: dict[int, int] = {}
        for aside, number, k in sorted(pairs):
            if aside <= TURNED and number not in chosen and k not in chosen.values():
                chosen[number] = k
        return chosen

    @cached_property
    def sonars(self) -> tuple[RingSonar, ...]:
        """Sonars that an estimate of the wall uses, in its order; raises an error if some are missing."""
        wanted = [place for place in PLACES if place.number <= 6]
        if not all(place.number in self.chosen for place in wanted) or self.range < FARTHEST * self.scale:
            raise PaddockError(
                f"this wall follower needs sensors from the left side to the right with a range of {FARTHEST:g} m; "
                "pid and fuzzy need less"
            )
        rear = [PLACES[15]] if 15 in self.chosen else []
        return tuple(self._at(place) for place in (*wanted, *rear))

    @property
    def cone(self) -> float:
        """Half of the opening angle of each sonar of the ring [rad]."""
        return CONE if self.gathers else self.half_cone

    def _at(self, place: RingSonar) -> RingSonar:
        """Return a sonar of the ring with its mount on the robot, in followers' metres."""
        if self.gathers:
            return place
        x, y, heading = self.rays[self.chosen[place.number]]
        return RingSonar(place.number, x / self.scale, y / self.scale, heading)

    def read(self, readings: Sequence[float] | Readings) -> list[float]:
        """Return sixteen readings [followers' metres]; the sensor range where there is no sensor."""
        ranges = np.minimum(np.asarray(readings, float), self.range)
        far = self.range / self.scale
        seen = [far] * len(PLACES)
        if self.gathers:
            self._gather(ranges, seen)
        else:
            for number, k in self.chosen.items():
                seen[number] = float(ranges[k]) / self.scale
        for ahead, oblique, behind in ((0, 1, 15), (7, 6, 8)):
            if behind not in self.chosen and ahead in self.chosen:
                seen[behind] = self._extend(seen, ahead, oblique, behind, far)
        return seen

    def _gather(self, ranges: Floats, seen: list[float]) -> None:
        """Write the nearest object that beams hit within the cone of each sonar to `seen`."""
        x0, y0, headings = np.array(self.rays).T
        there = ranges < self.range
        x = (x0[there] + ranges[there] * np.cos(headings[there])) / self.scale
        y = (y0[there] + ranges[there] * np.sin(headings[there])) / self.scale
        for number in self.chosen:
            place = PLACES[number]
            bearing = np.arctan2(y - place.y, x - place.x) - place.heading
            inside = np.cos(bearing) >= math.cos(CONE)
            if inside.any():
                seen[number] = min(seen[number], float(np.hypot(x - place.x, y - place.y)[inside].min()))

    def _extend(self, seen: list[float], ahead: int, oblique: int, behind: int, far: float) -> float:
        """Return the reading of a rear side sonar, if the wall is the line through the echoes of two others."""
        if max(seen[ahead], seen[oblique]) >= far or oblique not in self.chosen:
            return seen[ahead]
        first, second, back = self._at(PLACES[ahead]), self._at(PLACES[oblique]), PLACES[behind]
        steepest = min(math.pi / 2, abs(second.heading) + self.cone)  # the ray of the cone that hits the wall first
        x, y = second.x + seen[oblique] * math.cos(steepest), abs(second.y) + seen[oblique] * math.sin(steepest)
        slope = (y - abs(first.y) - seen[ahead]) / max(1e-3, x - first.x)
        if abs(slope) > STEEPEST:
            return seen[ahead]
        return max(0.0, abs(first.y) + seen[ahead] + slope * (back.x - first.x) - abs(back.y))


def _aside(heading: float, other: float) -> float:
    return abs(math.remainder(heading - other, math.tau))
