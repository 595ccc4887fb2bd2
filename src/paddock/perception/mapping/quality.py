"""MapQuality: quality of a map, compared with the surfaces that are visible from reachable positions."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from paddock.core.geometry import ORIGIN, Pose, compose
from paddock.perception.mapping.frame import GridFrame, Points
from paddock.perception.mapping.occupancy import FREE, OCCUPIED, UNKNOWN, OccupancyGrid
from paddock.perception.mapping.scan import Floats, transform
from paddock.perception.mapping.truth import MapTruth, Mask

FAR, NEAR = 0.5, 0.15  # [m] maximum distance of point pairs in the alignment, at its start and end
ROUNDS = 20
CHUNK = 250  # points at a time
FEW = 16  # step of the subset of points that gives an upper bound of the nearest distance


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
