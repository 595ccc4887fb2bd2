"""WallEstimate: the wall at the side of a robot, from a small Kalman filter over sonars and odometry."""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from paddock.control.behaviours.wall.wall_follower import clamp

Floats = NDArray[np.float64]
Covariance = tuple[float, float, float, float, float, float]  # of a symmetric matrix: 00, 01, 02, 11, 12, 22


class RingSonar(NamedTuple):
    """A sonar of the ring: its number, position (x forward, y left [m]) and heading [rad]."""

    number: int
    x: float
    y: float
    heading: float

    def reach(self, bearing: float) -> float:
        """Return the distance of the sonar from the axle's centre, measured along a bearing [m]."""
        return self.x * math.cos(bearing) + self.y * math.sin(bearing)


# The sonars of a Pioneer P3-DX: 0 … 7 at the front from left to right, 8 … 15 at the rear from right to left.
FRONT = (
    (0.069, 0.136, 90.0), (0.114, 0.119, 50.0), (0.148, 0.078, 30.0), (0.166, 0.027, 10.0),
    (0.166, -0.027, -10.0), (0.148, -0.078, -30.0), (0.114, -0.119, -50.0), (0.069, -0.136, -90.0),
)  # fmt: skip
REAR = tuple((-0.088 - x, y, math.copysign(180.0, y) - heading) for x, y, heading in FRONT[::-1])
PLACES = tuple(RingSonar(number, x, y, math.radians(heading)) for number, (x, y, heading) in enumerate((*FRONT, *REAR)))
RING = (*PLACES[:7], PLACES[15])  # used while the wall is on the left: from the left side to the right, and at the rear
BESIDE, AHEAD = 0, 4
REVERSED_RING = tuple(
    sonar._replace(x=sonar.x + 0.088) for sonar in RING
)  # sonars in the direction of travel while reversing

BEARINGS = np.radians(np.arange(95.0, -56.0, -5.0))  # bearings of possible walls, from the left side to acute corners
SLANTED = math.radians(61)  # a wall whose normal differs by more from a sonar's heading gives no reliable echo
GATE = 0.03  # readings with a residual of at most this are always accepted [m] …
ROUGH_GATE = 0.012  # … or of at most this, along rough walls
DRIFT = (0.01, 0.05, 0.9)  # growth of the uncertainty of distance, angle and √curvature per metre driven
MAX_ANGLE = 2.6  # [rad]
MAX_CURVED = 3.0  # [1/m]
SLIGHT = 0.3  # a curvature that may be noise [1/m]


class SonarPair(NamedTuple):
    """Two neighbouring sonars, with the geometry of each wall bearing that both can detect."""

    bearings: Floats  # [rad], from the left side to acute corners
    slants: tuple[Floats, Floats]  # ratio of the perpendicular distance of the wall to a reading
    reaches: tuple[Floats, Floats]  # distance of the sonars from the axle's centre towards the wall [m]


@functools.cache
def tabulate_pair(ring: tuple[RingSonar, ...], k: int, half_cone: float) -> SonarPair:
    """Return the pair of sonars k and k + 1 of a ring, without wall bearings that are too slanted."""
    both = ring[k : k + 2]
    bearings = np.array([b for b in BEARINGS if all(abs(b - sonar.heading) <= SLANTED for sonar in both)])
    slants = [np.cos(np.maximum(0.0, np.abs(bearings - sonar.heading) - half_cone)) for sonar in both]
    reaches = [sonar.x * np.cos(bearings) + sonar.y * np.sin(bearings) for sonar in both]
    return SonarPair(bearings, (slants[0], slants[1]), (reaches[0], reaches[1]))


@dataclass(slots=True)
class WallEstimate:
    """The wall as a curve: its distance from the axle's centre, its angle and its curvature.

    While `edge_near` is true, it is the end of the wall as a point, and the curve is the circle around it. The filter
    is written out without matrices, which is several times faster for three unknowns.
    """

    ring: tuple[RingSonar, ...]
    half_cone: float  # of the sonars [rad]
    noise: float  # of the sonars, standard deviation [m]
    distance: float = 0.0  # [m]
    angle: float = 0.0  # heading towards the wall [rad]
    curvature: float = 0.0  # of the path along the wall: positive if the wall recedes [1/m]
    covariance: Covariance = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)  # of distance, angle and curvature
    begins: float = -math.inf  # positions ahead of the axle at which the wall begins and ends [m]
    ends: float = math.inf
    rough: bool = False  # whether the wall has steps and gaps
    edge_near: bool = False
    turned: float = 0.0  # angle turned around that edge [rad]

    def adopt_wall(self, distance: float, angle: float, angle_deviation: float) -> None:
        """Follow a flat wall from now on; `angle_deviation` is the angle's standard deviation [rad]."""
        self.distance, self.angle, self.curvature = distance, angle, 0.0
        self.covariance = (0.02**2, 0.0, 0.0, angle_deviation**2, 0.0, 0.1**2)
        self.begins, self.ends, self.edge_near = -math.inf, math.inf, False

    def adopt_edge(self, ahead: float, beside: float) -> None:
        """Circle around an edge from now on; its position is in the robot's frame [m]."""
        self.distance = math.hypot(ahead, beside)
        self.angle, self.curvature = math.atan2(ahead, beside), 1 / self.distance
        self.covariance = (0.01**2, 0.0, 0.0, 0.05**2, 0.0, 0.0)
        self.edge_near, self.turned = True, 0.0

    def predict(self, left: float, right: float, wheel_separation: float) -> None:
        """Update the estimate with the travel of the wheels [m]."""
        along, turn = (left + right) / 2, (right - left) / wheel_separation
        if self.edge_near:
            self.curvature = 1 / max(0.1, self.distance)
            self.turned += turn
        middle = self.angle + turn / 2
        forward = along * math.cos(middle)
        self.distance -= along * math.sin(middle)
        self.angle += turn - self.curvature * forward
        # F P Fᵀ + Q, with F = [[1, -forward, 0], [0, 1, -along], [0, 0, 1]]
        dd, da, dc, aa, ac, cc = self.covariance
        da, dc, aa, ac = da - forward * aa, dc - forward * ac, aa - along * ac, ac - along * cc
        dd -= forward * (self.covariance[1] + da)
        da -= along * dc
        aa -= along * ac
        far, tilt, bend = (rate * abs(along) for rate in DRIFT)
        self.covariance = (
            dd + far**2 + 1e-7,
            da,
            dc,
            aa + tilt**2 + (0.02 * turn) ** 2,
            ac,
            cc if self.edge_near else cc + bend,
        )
        self.begins -= forward
        self.ends -= forward

    def shift(self, by: float, place: float) -> None:
        """Move the wall farther away by a distance [m], from a position ahead of the axle's centre on [m]."""
        dd, da, dc, aa, ac, cc = self.covariance
        self.distance += by
        self.covariance = (dd + 0.02**2, da, dc, aa, ac, cc)
        self.begins = place

    def correct(self, ranges: Sequence[float]) -> None:
        """Correct the estimate with the sonars that face the wall perpendicularly, or the edge."""
        for sonar in self.ring:
            guess = self._predict_edge_reading(sonar) if self.edge_near else self.predict_reading(sonar)
            if guess is not None and not (self.rough and ranges[sonar.number] > guess[0] + ROUGH_GATE):  # a gap
                self._correct_by(ranges[sonar.number], *guess)
        self.angle = clamp(self.angle, MAX_ANGLE)
        self.curvature = clamp(self.curvature, MAX_CURVED)

    def _correct_by(self, reading: float, expected: float, by_angle: float, by_curvature: float) -> None:
        """Correct with one reading [m]; its derivative is 1 by distance, and as given by angle and curvature."""
        residual = reading - expected
        dd, da, dc, aa, ac, cc = self.covariance
        d = dd + da * by_angle + dc * by_curvature
        a = da + aa * by_angle + ac * by_curvature
        c = dc + ac * by_angle + cc * by_curvature
        variance = d + a * by_angle + c * by_curvature + self.noise**2
        if abs(residual) <= (ROUGH_GATE if self.rough else GATE) or residual**2 <= (4 if self.rough else 9) * variance:
            rate = residual / variance
            self.distance += d * rate
            self.angle += a * rate
            self.curvature += c * rate
            self.covariance = (
                dd - d * d / variance,
                da - d * a / variance,
                dc - d * c / variance,
                aa - a * a / variance,
                ac - a * c / variance,
                cc - c * c / variance,
            )

    def predict_reading(self, sonar: RingSonar) -> tuple[float, float, float] | None:
        """Return the expected reading of a sonar and its derivatives by angle and curvature; None if not facing it."""
        angle = self.angle
        if abs(math.pi / 2 - angle - sonar.heading) > self.half_cone:
            return None
        if not self.begins + 0.02 < sonar.x < self.ends - 0.02:
            return None
        c, s = math.cos(angle), math.sin(angle)
        along = sonar.x * c - sonar.y * s
        bulge = 0.5 * along * along
        return self.distance - sonar.x * s - sonar.y * c + bulge * self.curvature, -along, bulge

    def _predict_edge_reading(self, sonar: RingSonar) -> tuple[float, float, float] | None:
        distance, bearing = self.locate_edge(sonar)
        if sonar.x < 0 or abs(bearing - sonar.heading) > self.half_cone:
            return None
        return distance, 0.0, 0.0

    def locate_edge(self, sonar: RingSonar) -> tuple[float, float]:
        """Return distance [m] and bearing [rad] of the edge, relative to a sonar."""
        x = self.distance * math.sin(self.angle) - sonar.x
        y = self.distance * math.cos(self.angle) - sonar.y
        return math.hypot(x, y), math.atan2(y, x)

    def predict_straight(self, k: int) -> tuple[float, float]:
        """Return the reading of sonar k for a straight wall, and the position of the echo ahead of the axle [m]."""
        sonar = self.ring[k]
        square = self.distance - sonar.reach(math.pi / 2 - self.angle)
        aside = max(0.0, math.pi / 2 - self.angle - sonar.heading - self.half_cone)  # of the cone's steepest ray
        if aside > 1.5:
            return math.inf, math.inf
        return square / math.cos(aside), sonar.x + square * math.tan(aside)

    def predict_curved(self, k: int) -> float:
        """Return the reading of sonar k for a wall of constant curvature [m]; infinite if it recedes from the cone."""
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

    def measure_step(self, k: int, reading: float) -> float:
        """Return how much farther away than this wall a parallel surface is that causes a reading of sonar k [m]."""
        sonar = self.ring[k]
        steepest = min(math.pi / 2, sonar.heading + self.half_cone + self.angle)  # ray of the cone, from the wall
        return sonar.reach(math.pi / 2 - self.angle) + reading * math.sin(steepest) - self.distance

    def fit_flat_wall(self, k: int, ranges: Sequence[float]) -> tuple[float, float] | None:
        """Return distance [m] and bearing [rad] of a flat wall that explains the readings of sonars k and k + 1.

        Each reading determines the wall's distance as a function of its bearing: perpendicular if the bearing is in
        the cone, along the cone's nearest ray otherwise. The result is the bearing at which both distances agree.
        """
        both = tabulate_pair(self.ring, k, self.half_cone)
        distance = ranges[self.ring[k].number] * both.slants[0] + both.reaches[0]
        mismatch = (distance - both.reaches[1]) / both.slants[1] - ranges[self.ring[k + 1].number]
        crossings = np.flatnonzero((mismatch[1:] > 0) != (mismatch[:-1] > 0))
        if not len(crossings):
            return None
        i = int(crossings[0])
        share = mismatch[i] / (mismatch[i] - mismatch[i + 1])
        return (
            float(distance[i] + share * (distance[i + 1] - distance[i])),
            float(both.bearings[i] + share * (both.bearings[i + 1] - both.bearings[i])),
        )
