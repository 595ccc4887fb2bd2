"""One sweep of a laser scanner or one round of sonars, as mapping takes it, wherever it comes from."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from paddock.core.errors import PaddockError
from paddock.core.geometry import Pose

Floats = NDArray[np.float64]
AT_CENTRE = Pose(0.0, 0.0, 0.0)


@dataclass(frozen=True)
class Scan:
    """Ranges along beams from one sensor.

    A range of infinity says that nothing was met within `max_range`. NaN says nothing at all.
    """

    time: float  # of measurement [s]
    angles: Floats = field(repr=False)  # of the beams from the sensor's heading [rad], shape (n,)
    ranges: Floats = field(repr=False)  # [m], shape (n,)
    max_range: float  # [m]
    mount: Pose = AT_CENTRE  # of the sensor on the robot

    def __post_init__(self) -> None:
        if self.angles.shape != self.ranges.shape or self.angles.ndim != 1:
            raise PaddockError(f"Scan: expected as many ranges as angles, got {self.ranges.shape}, {self.angles.shape}")
        if not (self.max_range > 0 and math.isfinite(self.time)):
            raise PaddockError(
                f"Scan: expected a finite time and a max_range > 0, got {self.time!r}, {self.max_range!r}"
            )

    @property
    def hits(self) -> NDArray[np.bool_]:
        """Which beams met something."""
        found: NDArray[np.bool_] = np.isfinite(self.ranges) & (self.ranges > 0) & (self.ranges < self.max_range)
        return found

    def points(self) -> Floats:
        """What the beams met, in the robot's frame [m], shape (hits, 2)."""
        met = self.hits
        directions = self.angles[met] + self.mount.heading
        x = self.mount.x + self.ranges[met] * np.cos(directions)
        y = self.mount.y + self.ranges[met] * np.sin(directions)
        return np.column_stack((x, y))


def transform(points: Floats, pose: Pose) -> Floats:
    """Points of a frame whose origin is at a pose, in the frame of that pose."""
    c, s = math.cos(pose.heading), math.sin(pose.heading)
    moved: Floats = points @ np.array([[c, s], [-s, c]]) + (pose.x, pose.y)
    return moved
