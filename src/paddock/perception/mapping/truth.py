"""MapTruth: ground truth for maps, as seen by a perfect robot from every reachable position."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from paddock.core.errors import PaddockError
from paddock.core.geometry import Pose
from paddock.perception.estimation.range_kernels import expected_ranges
from paddock.perception.mapping.frame import GridFrame, Points
from paddock.perception.mapping.occupancy import FREE, OccupancyGrid
from paddock.perception.mapping.scan import Floats, Scan, transform

Mask = NDArray[np.bool_]
BEAMS = 720  # per view
VIEWS = 0.25  # [m] maximum distance between viewpoints
INSIDE = 0.001  # [m] offset of surfaces into the solid, so that those on an edge between cells are in one cell


class MapTruth(NamedTuple):
    """Reachable cells, visible free cells and visible surfaces over one frame."""

    frame: GridFrame
    reachable: Mask  # positions that the robot's centre can reach, shape (rows, columns)
    free: Mask  # cells visible from there, without surfaces
    surfaces: Points  # visible surfaces, about a point per cell and centimetre, x, y [m]

    @classmethod
    def of(
        cls,
        walls: Floats,
        start: tuple[float, float],
        radius: float,
        *,
        max_range: float = 20.0,
        resolution: float = 0.05,
    ) -> MapTruth:
        """Compute the ground truth from all positions that a robot can reach.

        Args:
            walls: x0, y0, x1, y1 [m] of each segment, shape (m, 4).
            start: start position of the robot, x, y [m].
            radius: radius of the robot's body [m].
            max_range: maximum range of its sensor [m].
            resolution: side of a cell [m].
        """
        frame = frame_of_walls(walls, resolution)
        reachable = find_reachable(walls, frame, start, radius)
        views = choose_views(frame, reachable, min(VIEWS, max_range / 2))
        grid, surfaces = look_around(walls, views, max_range, resolution)
        free = np.zeros(frame.shape, bool)
        rows, columns = np.nonzero(grid.states() == FREE)
        cells = frame.cells(grid.frame.centres(np.column_stack((rows, columns))))
        cells = cells[frame.inside(cells)]
        free[cells[:, 0], cells[:, 1]] = True
        return cls(frame, reachable, free, surfaces)


def frame_of_walls(walls: Floats, resolution: float) -> GridFrame:
    """Return a frame around all walls."""
    if not len(walls):
        raise PaddockError("MapTruth: expected walls, got none: there is nothing to map")
    (x0, y0), (x1, y1) = walls.reshape(-1, 2).min(axis=0), walls.reshape(-1, 2).max(axis=0)
    return GridFrame.around(float(x0), float(y0), float(x1), float(y1), resolution, 2 * resolution)


def find_reachable(walls: Floats, frame: GridFrame, start: tuple[float, float], radius: float) -> Mask:
    """Return the cells that a disc can reach from its start without touching a wall."""
    clearance = wall_distances(walls, frame)
    free = clearance >= radius
    row, column = frame.cell(*start)
    if not (frame.holds(row, column) and free[row, column]):
        raise PaddockError(f"MapTruth: a robot of radius {radius:g} m has no room at its start {start}")
    reached = np.zeros(frame.shape, bool)
    reached[row, column] = True
    return fill(reached, free)


def fill(reached: Mask, free: Mask) -> Mask:
    """Return all free cells that are connected to the reached ones by their sides."""
    while True:
        before = int(reached.sum())
        reached = fill_rows(fill_rows(reached, free).T, free.T).T
        if int(reached.sum()) == before:
            return reached


def fill_rows(reached: Mask, free: Mask) -> Mask:
    """Return all cells of each run of free cells in a row that contains a reached cell."""
    runs = np.cumsum(~free, axis=1) + np.arange(free.shape[0])[:, None] * (free.shape[1] + 1)
    touched = np.bincount(runs.ravel(), weights=(reached & free).ravel())[runs] > 0
    filled: Mask = touched & free
    return filled


def wall_distances(walls: Floats, frame: GridFrame) -> Floats:
    """Return the distance from the centre of each cell to the nearest wall [m]."""
    x = frame.x + (np.arange(frame.columns) + 0.5) * frame.resolution
    y = frame.y + (np.arange(frame.rows)[:, None] + 0.5) * frame.resolution
    nearest = np.full(frame.shape, math.inf)
    for x0, y0, x1, y1 in walls.tolist():
        long = (x1 - x0) ** 2 + (y1 - y0) ** 2
        share = ((x - x0) * (x1 - x0) + (y - y0) * (y1 - y0)) / long if long > 0 else np.zeros(frame.shape)
        share = np.clip(share, 0.0, 1.0)
        nearest = np.minimum(nearest, np.hypot(x - x0 - share * (x1 - x0), y - y0 - share * (y1 - y0)))
    return nearest


def choose_views(frame: GridFrame, reachable: Mask, spacing: float) -> Points:
    """Return viewpoints: one reachable cell in each square of a given side [m]."""
    cells = np.column_stack(np.nonzero(reachable))
    squares = cells // max(1, round(spacing / frame.resolution))
    _, first = np.unique(squares, axis=0, return_index=True)
    return frame.centres(cells[first])


def look_around(walls: Floats, views: Points, max_range: float, resolution: float) -> tuple[OccupancyGrid, Points]:
    """Return the map of ideal scans from these viewpoints, and the end points of their beams."""
    angles = np.linspace(0.0, 2 * math.pi, BEAMS, endpoint=False)
    beams = np.column_stack((np.zeros((BEAMS, 2)), angles))
    poses = np.column_stack((views, np.zeros(len(views))))
    ranges = np.empty((len(views), BEAMS))
    expected_ranges(poses, beams, np.ascontiguousarray(walls), 0.0, max_range, ranges)
    grid, met = OccupancyGrid(resolution), []
    for (x, y, _), row in zip(poses.tolist(), ranges, strict=True):
        scan = Scan(0.0, angles, row + INSIDE, max_range)
        grid.add_scan(scan, Pose(x, y, 0.0))
        met.append(transform(scan.points(), Pose(x, y, 0.0)))
    points = np.concatenate(met)
    if not len(points):
        raise PaddockError(
            f"MapTruth: no wall is within {max_range:g} m of a reachable position: nothing can be mapped"
        )
    column, row = np.round((points - points.min(axis=0)) / 0.01).astype(np.int64).T
    _, first = np.unique(row * (column.max() + 1) + column, return_index=True)
    return grid, points[first]
