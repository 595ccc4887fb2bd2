"""Measurements, and the sensor models that create them: compass, ranges to known walls, external fixes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np

from paddock.core.argument_checks import all_finite
from paddock.core.errors import PaddockError
from paddock.core.geometry import Pose
from paddock.core.observation import Observation
from paddock.perception.estimation.estimates import PoseFix
from paddock.perception.estimation.motion_model import Floats, wrap_angles
from paddock.perception.estimation.range_kernels import expected_ranges, range_slopes

SAME_TIME = 1e-9  # [s]
OUTLIERS = 0.02  # likelihood of an outlier, relative to that of a perfect measurement


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


def check_sigma(what: str, sigma: float) -> None:
    """Raise a PaddockError if a standard deviation is not positive and finite."""
    if not (all_finite(sigma) and sigma > 0):
        raise PaddockError(f"{what}: sigma: expected a standard deviation > 0, got {sigma!r}")


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
