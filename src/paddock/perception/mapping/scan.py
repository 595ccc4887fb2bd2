"""Scan: one scan of a laser scanner or one reading of all sonars, and RangeReader, which reads each once."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from paddock.core.errors import PaddockError
from paddock.core.geometry import ORIGIN, Pose
from paddock.core.observation import Observation

Floats = NDArray[np.float64]
SAME_TIME = 1e-6  # [s]


@dataclass(frozen=True)
class Scan:
    """Ranges along beams from one sensor.

    A range of infinity means no return within `max_range`. NaN means no reading.
    """

    time: float  # of measurement [s]
    angles: Floats = field(repr=False)  # of the beams from the sensor's heading [rad], shape (n,)
    ranges: Floats = field(repr=False)  # [m], shape (n,)
    max_range: float  # [m]
    mount: Pose = ORIGIN  # of the sensor on the robot
    origins: Floats | None = field(
        default=None, repr=False
    )  # of the beams relative to the mount [m], shape (n, 2); None: at the mount

    def __post_init__(self) -> None:
        if self.origins is not None and self.origins.shape != (*self.angles.shape, 2):
            raise PaddockError(f"Scan: expected origins of shape {(*self.angles.shape, 2)}, got {self.origins.shape}")
        if self.angles.shape != self.ranges.shape or self.angles.ndim != 1:
            raise PaddockError(f"Scan: expected as many ranges as angles, got {self.ranges.shape}, {self.angles.shape}")
        if not (self.max_range > 0 and math.isfinite(self.time)):
            raise PaddockError(
                f"Scan: expected a finite time and a max_range > 0, got {self.time!r}, {self.max_range!r}"
            )

    @property
    def hits(self) -> NDArray[np.bool_]:
        """Mask of the beams with a return."""
        found: NDArray[np.bool_] = np.isfinite(self.ranges) & (self.ranges > 0) & (self.ranges < self.max_range)
        return found

    def beams(self) -> Floats:
        """Return origin x, y [m] and direction [rad] of each beam in the robot's frame, shape (n, 3)."""
        rows = np.empty((len(self.angles), 3))
        rows[:, :2] = self.mount[:2] if self.origins is None else transform(self.origins, self.mount)
        rows[:, 2] = self.angles + self.mount.heading
        return rows

    def clean_ranges(self) -> Floats:
        """Return ranges [m] for kernels: infinity without a return, NaN without a reading."""
        cleaned = np.array(self.ranges, float)
        cleaned[~(cleaned > 0)] = np.nan
        cleaned[cleaned >= self.max_range] = np.inf
        return cleaned

    def points(self) -> Floats:
        """Return the end points of the beams with a return, in the robot's frame [m], shape (hits, 2)."""
        met = self.hits
        x, y, directions = self.beams()[met].T
        return np.column_stack((x + self.ranges[met] * np.cos(directions), y + self.ranges[met] * np.sin(directions)))


def transform(points: Floats, pose: Pose) -> Floats:
    """Transform points from a frame whose origin is at a pose to the frame of that pose."""
    c, s = math.cos(pose.heading), math.sin(pose.heading)
    moved: Floats = points @ np.array([[c, s], [-s, c]]) + (pose.x, pose.y)
    return moved


@dataclass
class RangeReader:
    """Reads a laser, a ring of sonars or infrared sensors from a robot's observations."""

    device: str
    angles: Floats = field(repr=False)  # of the beams [rad], shape (n,)
    max_range: float  # [m]
    mount: Pose = ORIGIN
    origins: Floats | None = field(default=None, repr=False)  # of the beams [m], shape (n, 2)
    period: float = 0.0  # between samples [s]; 0: a new sample at every reading
    delay: float = 0.0  # age of a sample when it arrives [s]
    opening: float = 0.0  # opening angle of a cone [rad]; 0: rays
    _last: tuple[float, bytes] | None = field(default=None, repr=False)  # time and values of the last sample

    @property
    def reach(self) -> float:
        """Largest distance from the centre of the robot at which a sensor on its edge measures something [m]."""
        return self.max_range + (0.0 if self.origins is None else float(np.hypot(*self.origins.T).max()))

    def reset(self) -> None:
        """Treat the next sample as a new one."""
        self._last = None

    def read(self, observation: Observation, time: float) -> Scan | None:
        """Return the scan of an observation at a time [s]; None if it is not new."""
        ranges = np.array(getattr(observation, self.device), float).reshape(-1)
        if ranges.shape != self.angles.shape:
            raise PaddockError(
                f"RangeReader of {self.device!r}: expected {len(self.angles)} ranges, one for each beam, "
                f"got {len(ranges)}"
            )
        sample = self._time_of_sample(time), ranges.tobytes()
        # In open space all samples are equal, and clocks of real robots are not aligned, so either may show a new one.
        known = self._last is not None and sample[0] <= self._last[0] + SAME_TIME and sample[1] == self._last[1]
        if known or np.isnan(ranges).all():
            return None
        self._last = sample
        return Scan(sample[0], self.angles, ranges, self.max_range, self.mount, self.origins)

    def _time_of_sample(self, time: float) -> float:
        taken = time - self.delay
        return math.floor(taken / self.period + 1e-6) * self.period if self.period > 0 else taken
