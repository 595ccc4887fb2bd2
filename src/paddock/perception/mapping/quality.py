"""MapQuality: quality of a map, compared with the surfaces that are visible from reachable positions."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from paddock.core.errors import PaddockError
from paddock.core.geometry import ORIGIN, Pose, compose
from paddock.perception.estimation.measurements import expected_ranges
from paddock.perception.mapping.occupancy import FREE, OCCUPIED, UNKNOWN, GridFrame, OccupancyGrid, Points
from paddock.perception.mapping.scan import Floats, Scan, transform

Mask = NDArray[np.bool_]
BEAMS = 720  # per view
VIEWS = 0.25  # [m] maximum distance between viewpoints
INSIDE = 0.001  # [m] offset of surfaces into the solid, so that those on an edge between cells are in one cell
FAR, NEAR = 0.5, 0.15  # [m] maximum distance of point pairs in the alignment, at its start and end
ROUNDS = 20
CHUNK = 250  # points at a time
FEW = 16  # step of the subset of points that gives an upper bound of the nearest distance


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
        frame = make_frame(walls, resolution)
        reachable = find_reachable(walls, frame, start, radius)
        views = choose_views(frame, reachable, min(VIEWS, max_range / 2))
        grid, surfaces = look_around(walls, views, max_range, resolution)
        free = np.zeros(frame.shape, bool)
        rows, columns = np.nonzero(grid.states() == FREE)
        cells = frame.cells(grid.frame.centres(np.column_stack((rows, columns))))
        cells = cells[frame.inside(cells)]
        free[cells[:, 0], cells[:, 1]] = True
        return cls(frame, reachable, free, surfaces)


def make_frame(walls: Floats, resolution: float) -> GridFrame:
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


class MapQuality(NamedTuple):
    """Metrics of a map after `alignment`."""

    precision: float  # share of the map's occupied cells that are within a cell of a visible surface
    recall: float  # share of the cells with visible surfaces that are within a cell of an occupied cell of the map
    adnn_map: float  # mean distance from the map's occupied cells to the nearest visible surface [m]
    adnn_truth: float  # mean distance from visible surfaces to the map's nearest occupied cell [m]
    iou: float  # intersection over union of the free space
    mapped: float  # share of the reachable cells that are free in the map
    alignment: Pose  # that was applied to the map

    @property
    def f1(self) -> float:
        """Harmonic mean of precision and recall."""
        both = self.precision + self.recall
        return 2 * self.precision * self.recall / both if both else 0.0

    @property
    def offset(self) -> tuple[float, float]:
        """Distance [m] and angle [rad] by which the alignment moves the map's origin."""
        return math.hypot(self.alignment.x, self.alignment.y), abs(self.alignment.heading)


def assess_map(grid: OccupancyGrid, truth: MapTruth, *, alignment: Pose | None = ORIGIN) -> MapQuality:
    """Compute the quality of a map.

    Args:
        grid: the map.
        truth: the ground truth.
        alignment: pose of the map's frame in that of the truth; None: the best fit near the identity.
    """
    states = grid.states()
    occupied = cells_in(grid.frame, states == OCCUPIED)
    if alignment is None:
        alignment = align_points(occupied, truth.surfaces) if len(occupied) else ORIGIN
    # In a frame larger than both, so that occupied cells outside the world count as well.
    here = transform(occupied, alignment)
    frame = frame_around(np.concatenate((here, truth.surfaces)), truth.frame.resolution)
    drawn, real = raster(frame, here), raster(frame, truth.surfaces)
    known_free = sample(states, grid.frame, truth.frame, alignment, UNKNOWN) == FREE
    precision = float((drawn & widen(real)).sum() / max(1, drawn.sum()))
    recall = float((real & widen(drawn)).sum() / real.sum())
    either = (known_free | truth.free).sum()
    return MapQuality(
        precision=precision,
        recall=recall,
        adnn_map=mean_nearest(here, truth.surfaces),
        adnn_truth=mean_nearest(truth.surfaces, here),
        iou=float((known_free & truth.free).sum() / either) if either else 0.0,
        mapped=float(known_free[truth.reachable].mean()),
        alignment=alignment,
    )


def align_points(points: Points, surfaces: Points) -> Pose:
    """Return the rigid motion that aligns points with surfaces, by iterative closest points with a shrinking limit."""
    pose = ORIGIN
    for turn in range(ROUNDS):
        moved = transform(points, pose)
        distances, which = nearest_points(moved, surfaces)
        pairs = distances < max(NEAR, FAR * (1 - turn / (ROUNDS / 2)))
        if pairs.sum() < 3:
            return pose
        pose = compose(fit_motion(moved[pairs], surfaces[which[pairs]]), pose)
    return pose


def fit_motion(points: Points, targets: Points) -> Pose:
    """Return the rigid motion with the least squared distance between pairs of points."""
    middle, target = points.mean(axis=0), targets.mean(axis=0)
    (px, py), (qx, qy) = (points - middle).T, (targets - target).T
    angle = math.atan2(float(px @ qy - py @ qx), float(px @ qx + py @ qy))
    c, s = math.cos(angle), math.sin(angle)
    x, y = target - (c * middle[0] - s * middle[1], s * middle[0] + c * middle[1])
    return Pose(float(x), float(y), angle)


def nearest_points(points: Points, others: Points) -> tuple[Floats, np.ndarray]:
    """Return distance [m] and index of the nearest of the other points, for each point."""
    distances, which = np.empty(len(points)), np.empty(len(points), np.int64)
    from_left, few = points[:, 0].argsort(kind="stable"), others[::FEW]
    for start in range(0, len(points), CHUNK):
        part = from_left[start : start + CHUNK]
        here = points[part]
        left, right = here[[0, -1], 0]
        most = np.linalg.norm(here - few[_find_nearest(here, few)], axis=1).max() + 1e-9  # [m], and rounding
        near = np.flatnonzero((others[:, 0] >= left - most) & (others[:, 0] <= right + most))
        which[part] = near[_find_nearest(here, others[near])]
        distances[part] = np.linalg.norm(here - others[which[part]], axis=1)
    return distances, which


def _find_nearest(points: Points, others: Points) -> np.ndarray:
    """Return the index of the nearest of the other points, by comparing all pairs."""
    squares = (others**2).sum(axis=1) - 2 * points @ others.T  # squared distances up to a constant per point
    which: np.ndarray = squares.argmin(axis=1)
    return which


def cells_in(frame: GridFrame, mask: Mask) -> Points:
    """Return the centres of the cells of a mask, x, y [m]."""
    return frame.centres(np.column_stack(np.nonzero(mask)))


def mean_nearest(points: Points, others: Points) -> float:
    """Return the mean distance [m] from points to the nearest of the others; infinity without points."""
    return float(nearest_points(points, others)[0].mean()) if len(points) and len(others) else math.inf


def frame_around(points: Points, resolution: float) -> GridFrame:
    """Return a frame around points with a margin of two cells on each side."""
    (x0, y0), (x1, y1) = points.min(axis=0).tolist(), points.max(axis=0).tolist()
    return GridFrame.around(x0, y0, x1, y1, resolution, 2 * resolution)


def raster(frame: GridFrame, points: Points) -> Mask:
    """Return a mask of the cells that contain points."""
    mask = np.zeros(frame.shape, bool)
    rows, columns = frame.cells(points).T
    mask[rows, columns] = True
    return mask


def widen(mask: Mask) -> Mask:
    """Return a mask of the cells of a mask and their eight neighbours."""
    wide = np.zeros((mask.shape[0] + 2, mask.shape[1] + 2), bool)
    for row in range(3):
        for column in range(3):
            wide[row : row + mask.shape[0], column : column + mask.shape[1]] |= mask
    return wide[1:-1, 1:-1]


def sample(values: np.ndarray, frame: GridFrame, target: GridFrame, alignment: Pose, fill: int) -> np.ndarray:
    """Return the values of a map at the centres of another frame's cells; `alignment` is the map's pose in it.

    Cells outside the map get the value `fill`.
    """
    rows, columns = np.indices(target.shape).reshape(2, -1)
    centres = target.centres(np.column_stack((rows, columns)))
    c, s = math.cos(alignment.heading), math.sin(alignment.heading)
    local = (centres - alignment[:2]) @ np.array([[c, -s], [s, c]])
    cells = frame.cells(local)
    inside = frame.inside(cells)
    found = np.full(len(cells), fill, values.dtype)
    found[inside] = values[cells[inside, 0], cells[inside, 1]]
    return found.reshape(target.shape)
