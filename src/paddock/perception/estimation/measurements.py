"""Measurements, and the sensor models that create them: compass, ranges to known walls, external fixes."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np

from paddock.core.errors import PaddockError
from paddock.core.geometry import Pose
from paddock.core.jit import kernel
from paddock.core.observation import Observation
from paddock.perception.estimation.estimates import PoseFix
from paddock.perception.estimation.odometry import Floats, check_sigma, wrap_angles

SAME_TIME = 1e-9  # [s]
OUTLIERS = 0.02  # likelihood of an outlier, relative to that of a perfect measurement


@kernel
def expected_ranges(poses, beams, walls, half, limit, ranges):
    """Compute ranges [m] of all beams from all poses, at most `limit`; ranges has shape (pose, beam).

    Poses are rows x, y, heading. Beams are rows x, y, direction in the robot's frame. Walls are rows x0, y0, x1, y1.
    `half` is half the opening angle of a cone [rad]; 0 is a ray.
    """
    for i in range(poses.shape[0]):
        x, y, heading = poses[i, 0], poses[i, 1], poses[i, 2]
        c, s = math.cos(heading), math.sin(heading)
        for k in range(beams.shape[0]):
            ox, oy = x + c * beams[k, 0] - s * beams[k, 1], y + s * beams[k, 0] + c * beams[k, 1]
            ranges[i, k], _, _, _ = nearest_echo(ox, oy, heading + beams[k, 2], half, walls, limit)


@kernel
def range_slopes(pose, beams, walls, half, limit, ranges, slopes):
    """Compute ranges of all beams from a pose, and their derivatives by x, y and heading, shape (beam, 3)."""
    c, s = math.cos(pose[2]), math.sin(pose[2])
    for k in range(beams.shape[0]):
        bx, by = c * beams[k, 0] - s * beams[k, 1], s * beams[k, 0] + c * beams[k, 1]
        distance, dx, dy, wall = nearest_echo(pose[0] + bx, pose[1] + by, pose[2] + beams[k, 2], half, walls, limit)
        ranges[k] = distance
        if wall < 0:  # the nearest point is fixed: a corner, or the foot of the perpendicular
            slopes[k, 0], slopes[k, 1], slopes[k, 2] = -dx, -dy, dx * by - dy * bx
        else:  # the end of a ray slides along the wall
            nx, ny = walls[wall, 1] - walls[wall, 3], walls[wall, 2] - walls[wall, 0]
            across = nx * dx + ny * dy
            slopes[k, 0], slopes[k, 1] = -nx / across, -ny / across
            slopes[k, 2] = (nx * by - ny * bx + distance * (nx * dy - ny * dx)) / across


@kernel
def nearest_echo(ox, oy, direction, half, walls, limit):
    """Return the range [m], the unit vector to the echo, and the wall hit by a ray; -1 for a point's echo or none."""
    distance, ux, uy, wall = limit, 0.0, 0.0, -1
    if half <= 0.0:
        dx, dy = math.cos(direction), math.sin(direction)
        for k in range(walls.shape[0]):
            t = ray_to_wall(ox, oy, dx, dy, walls[k])
            if t < distance:
                distance, ux, uy, wall = t, dx, dy, k
        return distance, ux, uy, wall
    ax, ay = math.cos(direction), math.sin(direction)
    least = math.cos(half)
    for k in range(walls.shape[0]):
        for place in range(3):  # both ends, and the foot of the perpendicular
            px, py = point_of_wall(ox, oy, walls[k], place)
            d = math.hypot(px, py)
            if 1e-12 < d < distance and px * ax + py * ay >= least * d:
                distance, ux, uy, wall = d, px / d, py / d, -1
        for side in range(2):
            edge = direction + (half if side else -half)
            dx, dy = math.cos(edge), math.sin(edge)
            t = ray_to_wall(ox, oy, dx, dy, walls[k])
            if t < distance - 1e-12:
                distance, ux, uy, wall = t, dx, dy, k
    return distance, ux, uy, wall


@kernel
def ray_to_wall(ox, oy, dx, dy, wall):
    """Return the distance along a ray to a wall [m]; infinity if the ray misses it."""
    ex, ey = wall[2] - wall[0], wall[3] - wall[1]
    ax, ay = wall[0] - ox, wall[1] - oy
    cross = dx * ey - dy * ex
    if cross == 0.0:
        return math.inf
    t, share = (ax * ey - ay * ex) / cross, (ax * dy - ay * dx) / cross
    return t if t >= 0.0 and 0.0 <= share <= 1.0 else math.inf


@kernel
def point_of_wall(ox, oy, wall, place):
    """Return a point of a wall relative to a position: its first end, its second end, or the nearest point."""
    ax, ay, ex, ey = wall[0] - ox, wall[1] - oy, wall[2] - wall[0], wall[3] - wall[1]
    share = place * 1.0
    if place == 2:
        long = ex * ex + ey * ey
        share = min(1.0, max(0.0, -(ax * ex + ay * ey) / long)) if long > 0.0 else 0.0
    return ax + share * ex, ay + share * ey


class Measurement(NamedTuple):
    """Measured values that depend on the pose at a time."""

    source: str
    time: float  # [s]
    value: Floats  # shape (k)
    covariance: Floats  # shape (k, k)
    expect: Callable[[Floats], Floats]  # returns the expected values, shape (n, k), at poses of shape (n, 3)
    slopes: Callable[[Pose], Floats]  # returns their derivatives by the pose, shape (k, 3)
    angles: tuple[int, ...] = ()  # indices of values that are angles
    limit: float = np.inf  # values from this limit mean no return
    separate: bool = False  # whether each value may be an outlier separately
    is_fix: bool = False  # whether it measures the position and, with three values, the heading

    def difference(self, expected: Floats) -> Floats:
        """Return value minus expectation, with wrapped angles; shape (…, k)."""
        off: Floats = self.value - expected
        for k in self.angles:
            off[..., k] = wrap_angles(off[..., k])
        return off


class SensorModel(Protocol):
    """Creates measurements from observations."""

    def measure(self, observation: Observation, time: float) -> Iterable[Measurement]:
        """Return all new measurements at a time [s]; some may be of an earlier time."""


@dataclass(frozen=True, kw_only=True)
class CompassModel:
    """A compass that measures the heading from the world's x axis."""

    sigma: float  # standard deviation [rad]
    device: str = "compass"

    def __post_init__(self) -> None:
        check_sigma("CompassModel", self.sigma)

    def measure(self, observation: Observation, time: float) -> list[Measurement]:
        """Return the current heading."""
        value = np.array([float(np.asarray(getattr(observation, self.device)).reshape(-1)[0])])
        heading = np.array([[0.0, 0.0, 1.0]])
        variance = np.array([[self.sigma**2]])
        return [Measurement(self.device, time, value, variance, lambda p: p[:, 2:], lambda _: heading, (0,))]


@dataclass(frozen=True, kw_only=True)
class RangeModel:
    """Proximity sensors, sonars or a laser among known walls."""

    device: str
    beams: Floats  # x, y [m] and direction [rad] of each beam in the robot's frame, shape (k, 3)
    walls: Floats  # x0, y0, x1, y1 [m] of each segment, shape (m, 4)
    range: float  # [m] readings from this range mean no return
    sigma: float  # standard deviation [m]
    sigma_relative: float = 0.0  # additional standard deviation per range
    opening: float = 0.0  # [rad] the full angle of a cone; 0: a ray

    def __post_init__(self) -> None:
        check_sigma(f"RangeModel of {self.device!r}", self.sigma)
        if not self.range > 0:
            raise PaddockError(f"RangeModel of {self.device!r}: range: expected metres > 0, got {self.range!r}")
        for name, columns in (("beams", 3), ("walls", 4)):
            table = np.ascontiguousarray(getattr(self, name), float)
            if table.ndim != 2 or table.shape[1] != columns or not len(table):
                raise PaddockError(
                    f"RangeModel of {self.device!r}: {name}: expected rows of {columns} numbers, "
                    f"got shape {table.shape}"
                )
            object.__setattr__(self, name, table)

    def measure(self, observation: Observation, time: float) -> list[Measurement]:
        """Return the current readings of all beams."""
        read = np.asarray(getattr(observation, self.device), float).reshape(-1)
        if len(read) != len(self.beams):
            raise PaddockError(
                f"RangeModel of {self.device!r}: expected {len(self.beams)} readings, one for each beam, "
                f"got {len(read)}"
            )
        value = np.where(np.isfinite(read) & (read < self.range), read, self.range)
        covariance = np.diag(self.sigma**2 + (self.sigma_relative * value) ** 2)
        return [
            Measurement(self.device, time, value, covariance, self.expect, self.slopes, limit=self.range, separate=True)
        ]

    def expect(self, poses: Floats) -> Floats:
        """Return the expected ranges [m] at poses, shape (n, k)."""
        ranges = np.empty((len(poses), len(self.beams)))
        expected_ranges(np.ascontiguousarray(poses), self.beams, self.walls, self.opening / 2, self.range, ranges)
        return ranges

    def slopes(self, pose: Pose) -> Floats:
        """Return the derivatives of the expected ranges by the pose, shape (k, 3)."""
        count = len(self.beams)
        ranges, slopes = np.empty(count), np.empty((count, 3))
        range_slopes(np.array(pose, float), self.beams, self.walls, self.opening / 2, self.range, ranges, slopes)
        return slopes


@dataclass(frozen=True)
class FixModel:
    """Poses measured from outside. Every update calls `source` for the fixes that have arrived by a time [s]."""

    source: Callable[[float], Iterable[PoseFix]]
    name: str = "camera"

    def measure(self, observation: Observation, time: float) -> list[Measurement]:
        """Return all new fixes, with their times of exposure."""
        return [as_measurement(fix, self.name) for fix in self.source(time)]


def as_measurement(fix: PoseFix, name: str = "camera") -> Measurement:
    """Convert a fix to a measurement of x, y and heading, or of x and y only."""
    known = 3 if fix.has_heading else 2
    slopes, angles = np.eye(3)[:known], (2,) if known == 3 else ()
    return Measurement(
        name,
        fix.time_of_exposure,
        np.array(fix.pose, float)[:known],
        fix.covariance[:known, :known],
        lambda poses: poses[:, :known],
        lambda _: slopes,
        angles,
        is_fix=True,
    )


def log_likelihood(measurement: Measurement, poses: Floats, outliers: float = OUTLIERS) -> Floats:
    """Return the log-likelihood of a measurement at poses, shape (n), at least that of an outlier."""
    expected = measurement.expect(poses)
    off = measurement.difference(np.minimum(expected, measurement.limit))
    if measurement.separate:
        squared = off**2 / np.diag(measurement.covariance)
        total: Floats = np.log(np.exp(-0.5 * squared) + outliers).sum(axis=1)
        return total
    squared = np.einsum("ni,ij,nj->n", off, np.linalg.inv(measurement.covariance), off)
    single: Floats = np.log(np.exp(-0.5 * squared) + outliers)
    return single


class GatheredMeasurements(NamedTuple):
    """Measurements of an update, oldest first, and the numbers of dropped ones."""

    usable: list[Measurement]
    not_finite: int  # number with NaN or infinity in the value, its covariance or its time
    too_early: int  # number with a time in the future


def gather_measurements(models: Sequence[SensorModel], observation: Observation, time: float) -> GatheredMeasurements:
    """Return the measurements of all models at a time [s]. Values that are not finite or in the future are dropped."""
    found = [m for model in models for m in model.measure(observation, time)]
    finite = [m for m in found if all(np.isfinite(part).all() for part in (m.time, m.value, m.covariance))]
    usable = [m for m in finite if m.time <= time + SAME_TIME]
    usable.sort(key=lambda measurement: measurement.time)
    return GatheredMeasurements(usable, len(found) - len(finite), len(finite) - len(usable))
