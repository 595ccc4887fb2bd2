"""MapView: the map of a controller for display in pages and pictures, provided as its attribute `map_view`."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from paddock.core.errors import PaddockError
from paddock.core.geometry import Pose
from paddock.perception.mapping.occupancy import GridFrame, OccupancyGrid, Points
from paddock.perception.mapping.scan import Scan, transform

UNSEEN = 255  # value of an unknown cell
NO_POINTS: Points = np.empty((0, 2))


@dataclass(frozen=True, kw_only=True)
class MapView:
    """A map for display. Points are in the map's frame [m], shape (n, 2)."""

    frame: GridFrame
    cells: NDArray[np.uint8] = field(repr=False)  # 0 free … 100 occupied, 255 unknown; shape (rows, columns)
    frontiers: Points = field(default_factory=lambda: NO_POINTS, repr=False)
    plan: Points = field(default_factory=lambda: NO_POINTS, repr=False)
    scan: Points = field(default_factory=lambda: NO_POINTS, repr=False)  # points of the last scan
    goal: Points = field(default_factory=lambda: NO_POINTS, repr=False)  # empty or one point
    version: int = 0  # of the cells; equal cells have equal versions

    def __post_init__(self) -> None:
        if self.cells.shape != self.frame.shape:
            raise PaddockError(f"MapView: expected cells of shape {self.frame.shape}, got {self.cells.shape}")

    @classmethod
    def of(
        cls,
        grid: OccupancyGrid,
        scan: Scan | None = None,
        pose: Pose | None = None,
        *,
        frontiers: Points = NO_POINTS,
        plan: Points = NO_POINTS,
        goal: Points = NO_POINTS,
    ) -> MapView:
        """Create a view of a grid, and of a scan at a pose if given."""
        cells = np.round(100 * grid.probability()).astype(np.uint8)
        cells[grid.log_odds == 0] = UNSEEN
        met = NO_POINTS if scan is None or pose is None else transform(scan.points(), pose)
        return cls(
            frame=grid.frame, cells=cells, frontiers=frontiers, plan=plan, scan=met, goal=goal, version=grid.version
        )
