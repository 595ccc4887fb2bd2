"""MapSource: what navigation needs of a mapper, in this process or elsewhere."""

from __future__ import annotations

from typing import Protocol

from paddock.core.geometry import Pose
from paddock.core.observation import Observation
from paddock.estimate import Estimate
from paddock.mapping import OccupancyGrid, Scan
from paddock.mapping.reader import RangeReader


class MapSource(Protocol):
    """Gives the pose and the map; a `Mapper` is one."""

    reader: RangeReader
    scan: Scan | None  # the last one

    @property
    def estimate(self) -> Estimate:
        """Where the robot is now."""

    @property
    def grid(self) -> OccupancyGrid:
        """The present map."""

    @property
    def scan_pose(self) -> Pose:
        """Where the robot was when the last scan was taken."""

    def update(self, observation: Observation, time: float | None = None) -> Estimate:
        """Take a look at all sensors."""

    def reset(self, pose: Pose) -> None:
        """Begin anew at a pose."""
