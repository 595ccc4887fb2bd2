"""SurfelMap: surfaces as small straight pieces with normals (surfels), finer than the cells of a map."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from paddock.core.geometry import Pose, wrap
from paddock.perception.mapping.frame import GridFrame
from paddock.perception.mapping.occupancy import OccupancyGrid
from paddock.perception.mapping.scan import Floats, Scan, transform
from paddock.perception.mapping.surfel_kernels import align_lines, fit_lines

SIDES = 4  # surfels per cell, by direction of the normal: a cell may contain both faces of a thin wall
LASTING = 5  # number of lines after which a surfel is fixed: later lines would add drift
GONE = -3.0  # log-odds below which the surfels of a cell are removed: beams often passed it, and none ended there
SIGHT = 15.0  # [m] maximum distance of lines; further away beam ends are too far apart
MIDDLE = 1 << 20  # offset that makes the numbers of rows and columns positive
HOLD = 1.0  # weight of the guess in an alignment, in units of a line's weight


class SurfelMap:
    """Lines of scans at known poses, averaged in cells. Scans are aligned with the surfels near the robot."""

    def __init__(self, resolution: float) -> None:
        """Create an empty map; resolution is the side of a cell [m]."""
        self.resolution = resolution
        self._keys: NDArray[np.int64] = np.empty(0, np.int64)  # row, column and side, in ascending order
        self._sums: Floats = np.empty((0, 5))  # of x, y, normal, 1
        self._surfels: Floats = np.empty((0, 4))  # x, y [m], normal
        self._index: NDArray[np.int32] = np.empty((0, 0, SIDES), np.int32)  # of a surfel in cell and side; -1: none
        self._frame = GridFrame(0.0, 0.0, resolution, 0, 0)  # of the index

    def add(self, scan: Scan, pose: Pose, grid: OccupancyGrid) -> None:
        """Add the lines of a scan that the grid already contains, and update the index of nearby surfels.

        Surfels that beams have passed since are removed, because the surface no longer exists.
        """
        self._merge(transform_lines(find_lines(scan), pose))
        means = self._sums[:, :2] / self._sums[:, 4:]
        # A line lies slightly next to the beam ends, so it may lie outside a grid of small cells.
        rows, columns = np.clip(grid.frame.cells(means), 0, np.subtract(grid.frame.shape, 1)).T
        stands = grid.log_odds[rows, columns] > GONE
        self._keys, self._sums = self._keys[stands], self._sums[stands]
        self._index_near(np.abs(means[stands] - pose[:2]).max(axis=1, initial=0.0) <= min(scan.max_range, SIGHT))

    def _merge(self, lines: Floats) -> None:
        known = len(self._keys)
        keys, places = np.unique(np.concatenate((self._keys, self._find_keys(lines))), return_inverse=True)
        sums = np.zeros((len(keys), 5))
        sums[places[:known]] = self._sums
        taken = sums[places[known:], 4] < LASTING
        np.add.at(sums, places[known:][taken], np.column_stack((lines, np.ones(len(lines))))[taken])
        self._keys, self._sums = keys, sums

    def _find_keys(self, lines: Floats) -> NDArray[np.int64]:
        columns, rows = np.floor(lines[:, :2].T / self.resolution).astype(np.int64) + MIDDLE
        quarters = np.arctan2(lines[:, 3], lines[:, 2]) * SIDES / (2 * math.pi)
        keys: NDArray[np.int64] = (rows * 2 * MIDDLE + columns) * SIDES + np.rint(quarters).astype(np.int64) % SIDES
        return keys

    def _index_near(self, near: NDArray[np.bool_]) -> None:
        cells, sides, sums = self._keys[near] // SIDES, self._keys[near] % SIDES, self._sums[near]
        rows, columns = cells // (2 * MIDDLE), cells % (2 * MIDDLE)
        count, length = sums[:, 4:], np.hypot(sums[:, 2:3], sums[:, 3:4])
        self._surfels = np.hstack((sums[:, :2] / count, sums[:, 2:4] / length))
        row, column = int(rows.min(initial=2 * MIDDLE)), int(columns.min(initial=2 * MIDDLE))
        shape = int(rows.max(initial=row)) - row + 1, int(columns.max(initial=column)) - column + 1
        corner = (column - MIDDLE) * self.resolution, (row - MIDDLE) * self.resolution
        self._frame = GridFrame(*corner, self.resolution, *shape)
        self._index = np.full((*shape, SIDES), -1, np.int32)
        self._index[rows - row, columns - column, sides] = np.arange(len(sums))

    def align(self, scan: Scan, *guesses: Pose) -> Pose:
        """Align a scan's lines with surfels, and return the best pose near one of the guesses (within about a cell)."""
        lines, best = find_lines(scan), (-1.0, guesses[0])
        for guess in guesses:
            found = np.array(guess, float)
            support = align_lines(lines, self._surfels, self._index, self._frame, HOLD, found)
            if support > best[0]:
                x, y, heading = found.tolist()
                best = support, Pose(x, y, wrap(heading))
        return best[1]


def transform_lines(lines: Floats, pose: Pose) -> Floats:
    """Transform lines from a frame whose origin is at a pose to the frame of that pose."""
    return np.column_stack((transform(lines[:, :2], pose), transform(lines[:, 2:], Pose(0.0, 0.0, pose.heading))))


def find_lines(scan: Scan) -> Floats:
    """Return straight pieces of surface around beam ends, robot frame: x, y [m], normal; shape (n, 4)."""
    points = scan.points()
    lines = np.empty((len(points), 4))
    return lines[: fit_lines(points, np.array(scan.mount[:2], float), lines)]
