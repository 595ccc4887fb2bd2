"""WallRing: any distance sensors as the ring of sixteen sonars that wall followers know."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from paddock.control.wall.estimate import RingSonar
from paddock.core.errors import PaddockError
from paddock.core.observation import Readings

# The Pioneer P3-DX: 0 … 7 ahead from left to right, 8 … 15 behind from right to left.
FRONT = (
    (0.069, 0.136, 90.0), (0.114, 0.119, 50.0), (0.148, 0.078, 30.0), (0.166, 0.027, 10.0),
    (0.166, -0.027, -10.0), (0.148, -0.078, -30.0), (0.114, -0.119, -50.0), (0.069, -0.136, -90.0),
)  # fmt: skip
REAR = tuple((-0.088 - x, y, math.copysign(180.0, y) - heading) for x, y, heading in FRONT[::-1])
PLACES = tuple(RingSonar(number, x, y, math.radians(heading)) for number, (x, y, heading) in enumerate((*FRONT, *REAR)))
WHEEL_SEPARATION = 0.33  # [m]
ALIKE = 1.25  # robots that are larger or smaller than the Pioneer by no more than this are taken for its size
CONE = math.radians(15)  # half of the opening that beams are gathered in
TURNED = math.radians(15)  # a sensor that looks this far aside still stands for a sonar
STEEPEST = 0.6  # slope of a wall that is told from two readings
FARTHEST = 1.0  # [m] that followers which look ahead want to see
Ray = tuple[float, float, float]
Floats = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class WallRing:
    """Sensors on a robot, and what followers see of them. Followers' metres are the robot's divided by `scale`."""

    rays: tuple[Ray, ...]  # x forward, y left [m], heading [rad] of every reading
    half_cone: float  # half of what each looks at [rad]
    range: float  # [m] readings from here on mean: nothing there
    wheel_separation: float = WHEEL_SEPARATION  # [m] of the robot

    @cached_property
    def scale(self) -> float:
        """How large the robot is, in Pioneers; 1 for all that are about as large."""
        scale = self.wheel_separation / WHEEL_SEPARATION
        return 1.0 if 1 / ALIKE <= scale <= ALIKE else scale

    @property
    def gathers(self) -> bool:
        """Whether these are the many beams of a scanner, which are gathered into cones."""
        return len(self.rays) > len(PLACES)

    @cached_property
    def chosen(self) -> dict[int, int]:
        """Which reading stands for which sonar of the ring: the one that looks most nearly the same way."""
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
        """The sonars that an estimate of the wall uses, in its order; an error where some are missing."""
        wanted = [place for place in PLACES if place.number <= 6]
        if not all(place.number in self.chosen for place in wanted) or self.range < FARTHEST * self.scale:
            raise PaddockError(
                f"this wall follower wants sensors that look from the left side to the right and see {FARTHEST:g} m; "
                "pid and fuzzy do with less"
            )
        rear = [PLACES[15]] if 15 in self.chosen else []
        return tuple(self._at(place) for place in (*wanted, *rear))

    @property
    def cone(self) -> float:
        """Half of what each sonar of the ring looks at [rad]."""
        return CONE if self.gathers else self.half_cone

    def _at(self, place: RingSonar) -> RingSonar:
        """A sonar of the ring where the robot has it, in followers' metres."""
        if self.gathers:
            return place
        x, y, heading = self.rays[self.chosen[place.number]]
        return RingSonar(place.number, x / self.scale, y / self.scale, heading)

    def read(self, readings: Sequence[float] | Readings) -> list[float]:
        """Sixteen readings [followers' metres]; where nothing looks, as much as can be seen."""
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
        """The nearest thing that beams meet within the cone of each sonar."""
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
        """What a sonar far back would read, if the wall is the line through what two others see."""
        if max(seen[ahead], seen[oblique]) >= far or oblique not in self.chosen:
            return seen[ahead]
        first, second, back = self._at(PLACES[ahead]), self._at(PLACES[oblique]), PLACES[behind]
        steepest = min(math.pi / 2, abs(second.heading) + self.cone)  # the ray of the cone that meets it first
        x, y = second.x + seen[oblique] * math.cos(steepest), abs(second.y) + seen[oblique] * math.sin(steepest)
        slope = (y - abs(first.y) - seen[ahead]) / max(1e-3, x - first.x)
        if abs(slope) > STEEPEST:
            return seen[ahead]
        return max(0.0, abs(first.y) + seen[ahead] + slope * (back.x - first.x) - abs(back.y))


def _aside(heading: float, other: float) -> float:
    return abs(math.remainder(heading - other, math.tau))
