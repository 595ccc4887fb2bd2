"""MapSource: interface of mappers for navigation, in this process or another."""

from __future__ import annotations

from typing import Protocol

from paddock.core.geometry import Pose
from paddock.core.observation import Observation
from paddock.perception.estimation import Estimate
from paddock.perception.mapping import OccupancyGrid, Scan
from paddock.perception.mapping.reader import RangeReader


class MapSource(Protocol):
    """Source of the pose and the map, such as a `Mapper`."""

    reader: RangeReader
    scan: Scan | None  # the last one

    @property
    def estimate(self) -> Estimate:
        """Current pose estimate of the robot."""

    @property
    def grid(self) -> OccupancyGrid:
        """Current map."""

    @property
    def scan_pose(self) -> Pose:
        """Pose of the robot at the time of the last scan."""

    def update(self, observation: Observation, time: float | None = None) -> Estimate:
        """Process an observation and return the estimate."""

    def reset(self, pose: Pose) -> None:
        """Restart at a pose."""
