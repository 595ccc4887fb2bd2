"""What a robot believes about the wall beside it: a small Kalman filter over sonars and odometry."""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from paddock.control.wall.base import capped

Floats = NDArray[np.float64]
Spread = tuple[float, float, float, float, float, float]  # of a symmetric matrix: 00, 01, 02, 11, 12, 22


class Sonar(NamedTuple):
    """One of the ring: its number, place (x forward, y left [m]) and heading [rad]."""

    number: int
    x: float
    y: float
    heading: float

    def reach(self, bearing: float) -> float:
        """How far it sits from the axle's centre, measured in a direction [m]."""
        return self.x * math.cos(bearing) + self.y * math.sin(bearing)


# The Pioneer's sonars that matter while the wall is on the left: from beside to the other side, and far back.
RING = tuple(
    Sonar(number, x, y, math.radians(heading))
    for number, x, y, heading in (
        (0, 0.069, 0.136, 90.0),
        (1, 0.114, 0.119, 50.0),
        (2, 0.148, 0.078, 30.0),
        (3, 0.166, 0.027, 10.0),
        (4, 0.166, -0.027, -10.0),
        (5, 0.148, -0.078, -30.0),
        (6, 0.114, -0.119, -50.0),
        (15, -0.157, 0.136, 90.0),
    )
)
BESIDE, AHEAD = 0, 4
REVERSED_RING = tuple(sonar._replace(x=sonar.x + 0.088) for sonar in RING)  # what looks ahead while reversing

BEARINGS = np.radians(np.arange(95.0, -56.0, -5.0))  # where a wall is looked for, from beside to acute corners
SLANTED = math.radians(61)  # a wall whose normal is farther than this from a sonar's heading is no sure echo
SURPRISE = 0.03  # a reading that is off by no more than this is always believed [m] …
WARY = 0.012  # … or than this, along rough walls
DRIFT = (0.01, 0.05, 0.9)  # how fast distance, angle and √curvature become unsure, for each metre driven
MOST_ANGLE = 2.6  # [rad]
MOST_CURVED = 3.0  # [1/m]
SLIGHT = 0.3  # a curvature that may be noise [1/m]


class Pair(NamedTuple):
    """Two neighbouring sonars and the walls that both may see, for each bearing that such a wall may have."""

    bearings: Floats  # [rad], from beside to acute corners
    slants: tuple[Floats, Floats]  # how much shorter than a reading the square distance of the wall is
    reaches: tuple[Floats, Floats]  # how far the sonars sit from the axle's centre towards it [m]


@functools.cache
def pair(ring: tuple[Sonar, ...], k: int, half_cone: float) -> Pair:
    """Sonars k and k + 1 of a ring; walls that are too slanted to be told from others are left out."""
    bearings = np.array([b for b in BEARINGS if all(abs(b - one.heading) <= SLANTED for one in ring[k : k + 2])])
    slants = [np.cos(np.maximum(0.0, np.abs(bearings - one.heading) - half_cone)) for one in ring[k : k + 2]]
    reaches = [one.x * np.cos(bearings) + one.y * np.sin(bearings) for one in ring[k : k + 2]]
    return Pair(bearings, (slants[0], slants[1]), (reaches[0], reaches[1]))


@dataclass(slots=True)
class Belief:
    """The wall as a curve: its distance from the axle's centre, its angle and its curvature.

    Or, while `edge_near`, the wall's end as a point: then the curve is the circle around it. The filter is written
    out number by number: for three unknowns that is several times faster than matrices.
    """

    ring: tuple[Sonar, ...]
    half_cone: float  # of the sonars [rad]
    noise: float  # of the sonars, standard deviation [m]
    distance: float = 0.0  # [m]
    angle: float = 0.0  # heading towards it [rad]
    curvature: float = 0.0  # of the way along it: positive where the wall recedes [1/m]
    spread: Spread = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)  # covariance of those three
    begins: float = -math.inf  # where the wall begins and ends, ahead of the axle [m]
    ends: float = math.inf
    rough: bool = False  # whether the wall has steps and gaps
    edge_near: bool = False
    turned: float = 0.0  # around that edge [rad]

    def adopt(self, distance: float, angle: float, unsure: float) -> None:
        """Take a flat wall for the one to follow; `unsure` is the angle's standard deviation [rad]."""
        self.distance, self.angle, self.curvature = distance, angle, 0.0
        self.spread = (0.02**2, 0.0, 0.0, unsure**2, 0.0, 0.1**2)
        self.begins, self.ends, self.edge_near = -math.inf, math.inf, False

    def adopt_edge(self, ahead: float, beside: float) -> None:
        """Take an edge at this place on the robot [m] for what to follow, in a circle."""
        self.distance = math.hypot(ahead, beside)
        self.angle, self.curvature = math.atan2(ahead, beside), 1 / self.distance
        self.spread = (0.01**2, 0.0, 0.0, 0.05**2, 0.0, 0.0)
        self.edge_near, self.turned = True, 0.0

    def roll(self, left: float, right: float, wheel_separation: float) -> None:
        """Move by what the wheels rolled [m]."""
        along, turn = (left + right) / 2, (right - left) / wheel_separation
        if self.edge_near:
            self.curvature = 1 / max(0.1, self.distance)
            self.turned += turn
        middle = self.angle + turn / 2
        forward = along * math.cos(middle)
        self.distance -= along * math.sin(middle)
        self.angle += turn - self.curvature * forward
        # F P Fᵀ + Q, with F = [[1, -forward, 0], [0, 1, -along], [0, 0, 1]]
        dd, da, dc, aa, ac, cc = self.spread
        da, dc, aa, ac = da - forward * aa, dc - forward * ac, aa - along * ac, ac - along * cc
        dd -= forward * (self.spread[1] + da)
        da -= along * dc
        aa -= along * ac
        far, tilt, bend = (rate * abs(along) for rate in DRIFT)
        self.spread = (
            dd + far**2 + 1e-7,
            da,
            dc,
            aa + tilt**2 + (0.02 * turn) ** 2,
            ac,
            cc if self.edge_near else cc + bend,
        )
        self.begins -= forward
        self.ends -= forward

    def step(self, by: float, place: float) -> None:
        """The wall goes on farther away by so much [m], from a place ahead of the axle's centre on [m]."""
        dd, da, dc, aa, ac, cc = self.spread
        self.distance += by
        self.spread = (dd + 0.02**2, da, dc, aa, ac, cc)
        self.begins = place

    def look(self, seen: Sequence[float]) -> None:
        """Correct it by the sonars that look squarely at the wall, or at the edge."""
        for sonar in self.ring:
            guess = self._edge_reading(sonar) if self.edge_near else self.wall_reading(sonar)
            if guess is not None and not (self.rough and seen[sonar.number] > guess[0] + WARY):  # the rim of a gap
                self._correct(seen[sonar.number], *guess)
        self.angle = capped(self.angle, MOST_ANGLE)
        self.curvature = capped(self.curvature, MOST_CURVED)

    def _correct(self, reading: float, expected: float, by_angle: float, by_curvature: float) -> None:
        """One reading [m]: its slope is 1 by distance, and as given by angle and curvature."""
        surprise = reading - expected
        dd, da, dc, aa, ac, cc = self.spread
        d = dd + da * by_angle + dc * by_curvature
        a = da + aa * by_angle + ac * by_curvature
        c = dc + ac * by_angle + cc * by_curvature
        variance = d + a * by_angle + c * by_curvature + self.noise**2
        if abs(surprise) <= (WARY if self.rough else SURPRISE) or surprise**2 <= (4 if self.rough else 9) * variance:
            rate = surprise / variance
            self.distance += d * rate
            self.angle += a * rate
            self.curvature += c * rate
            self.spread = (
                dd - d * d / variance,
                da - d * a / variance,
                dc - d * c / variance,
                aa - a * a / variance,
                ac - a * c / variance,
                cc - c * c / variance,
            )

    def wall_reading(self, sonar: Sonar) -> tuple[float, float, float] | None:
        """What a sonar should read, and its slopes by angle and curvature; None when it cannot see it squarely."""
        angle = self.angle
        if abs(math.pi / 2 - angle - sonar.heading) > self.half_cone:
            return None
        if not self.begins + 0.02 < sonar.x < self.ends - 0.02:
            return None
        c, s = math.cos(angle), math.sin(angle)
        along = sonar.x * c - sonar.y * s
        bulge = 0.5 * along * along
        return self.distance - sonar.x * s - sonar.y * c + bulge * self.curvature, -along, bulge

    def _edge_reading(self, sonar: Sonar) -> tuple[float, float, float] | None:
        distance, bearing = self.edge_from(sonar)
        if sonar.x < 0 or abs(bearing - sonar.heading) > self.half_cone:
            return None
        return distance, 0.0, 0.0

    def edge_from(self, sonar: Sonar) -> tuple[float, float]:
        """Distance [m] and bearing [rad] of the edge, seen from a sonar."""
        x = self.distance * math.sin(self.angle) - sonar.x
        y = self.distance * math.cos(self.angle) - sonar.y
        return math.hypot(x, y), math.atan2(y, x)

    def straight_on(self, k: int) -> tuple[float, float]:
        """What sonar k should read if the wall goes on straight, and how far ahead of the axle it meets it [m]."""
        sonar = self.ring[k]
        square = self.distance - sonar.reach(math.pi / 2 - self.angle)
        aside = max(0.0, math.pi / 2 - self.angle - sonar.heading - self.half_cone)  # of the cone's steepest ray
        if aside > 1.5:
            return math.inf, math.inf
        return square / math.cos(aside), sonar.x + square * math.tan(aside)

    def bent_on(self, k: int) -> float:
        """What sonar k should read if the wall goes on in its curve [m]; infinite where it recedes from the cone."""
        sonar = self.ring[k]
        square = self.distance - sonar.reach(math.pi / 2 - self.angle)
        aside = max(0.0, math.pi / 2 - self.angle - sonar.heading - self.half_cone)  # of the cone's steepest ray
        bend = max(0.0, self.curvature - SLIGHT)
        if aside > 1.5:
            return math.inf
        rise = math.cos(aside) ** 2 - 2 * bend * square * math.sin(aside) ** 2
        if rise < 0:
            return math.inf
        # where the ray and the wall's parabola meet: square + bend/2 (r sin)² = r cos
        return 2 * square / (math.cos(aside) + math.sqrt(rise))

    def recedes(self, k: int, reading: float) -> float:
        """How much farther than this wall something is that lies along it and gives sonar k a reading [m]."""
        sonar = self.ring[k]
        steepest = min(
            math.pi / 2, sonar.heading + self.half_cone + self.angle
        )  # ray of the cone, from the wall's line
        return sonar.reach(math.pi / 2 - self.angle) + reading * math.sin(steepest) - self.distance

    def flat_wall(self, k: int, seen: Sequence[float]) -> tuple[float, float] | None:
        """Distance [m] and bearing [rad] of a flat wall that explains both sonar k and its neighbour k + 1.

        Each sonar's reading gives the wall's distance as a function of its bearing: square on while the bearing lies
        in the cone, and by the cone's nearest ray otherwise. Where both agree, there the wall is.
        """
        both = pair(self.ring, k, self.half_cone)
        distance = seen[self.ring[k].number] * both.slants[0] + both.reaches[0]
        wrong = (distance - both.reaches[1]) / both.slants[1] - seen[self.ring[k + 1].number]
        crossings = np.flatnonzero((wrong[1:] > 0) != (wrong[:-1] > 0))
        if not len(crossings):
            return None
        i = int(crossings[0])
        share = wrong[i] / (wrong[i] - wrong[i + 1])
        return (
            float(distance[i] + share * (distance[i + 1] - distance[i])),
            float(both.bearings[i] + share * (both.bearings[i + 1] - both.bearings[i])),
        )
