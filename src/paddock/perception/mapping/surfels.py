"""SurfelMap: surfaces as small straight pieces with normals (surfels), finer than the cells of a map."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from paddock.core.geometry import Pose, wrap
from paddock.core.jit import kernel
from paddock.perception.mapping.matching import solve_three
from paddock.perception.mapping.occupancy import GridFrame, OccupancyGrid
from paddock.perception.mapping.scan import Floats, Scan, transform

REACH = 0.2  # [m] distance to either side of a beam's end used for a line
FEWEST = 3  # minimum number of beam ends on a line
BENT = 0.02  # [m] maximum root mean square distance from a line
LONG = 9.0  # minimum ratio of the variances along and across a line
ALIKE = 0.8  # minimum cosine between normals of the same surface
OUTLYING = 0.03  # [m] distance above which lines lose weight (Geman-McClure)
STEPS = 8
DONE = 1.0e-5  # [m and rad] step size at which the iteration ends
SIDES = 4  # surfels per cell, by direction of the normal: a cell may contain both faces of a thin wall
LASTING = 5  # number of lines after which a surfel is fixed: later lines would add drift
GONE = -3.0  # log-odds below which the surfels of a cell are removed: beams often passed it, and none ended there
SIGHT = 15.0  # [m] maximum distance of lines; further away beam ends are too far apart
MIDDLE = 1 << 20  # offset that makes the numbers of rows and columns positive
HOLD = 1.0  # weight of the guess in an alignment, in units of a line's weight


@kernel
def fit_lines(points, origin, lines):
    """Fit a straight piece of surface around each beam's end, in the order of the beams.

    Args:
        points: beam ends [m], shape (n, 2).
        origin: position of the sensor [m].
        lines: receives x, y on the piece [m] and its normal towards the sensor, shape (n, 4).

    Returns: the number of rows of `lines` used; ends that lie on no line have no row.
    """
    found = 0
    for k in range(points.shape[0]):
        x, y = points[k, 0], points[k, 1]
        count = 0
        sx = sy = sxx = sxy = syy = 0.0
        for side in (-1, 1):
            m = k if side < 0 else k + 1
            while 0 <= m < points.shape[0] and math.hypot(points[m, 0] - x, points[m, 1] - y) <= REACH:
                dx, dy = points[m, 0] - x, points[m, 1] - y
                count += 1
                sx, sy, sxx, sxy, syy = sx + dx, sy + dy, sxx + dx * dx, sxy + dx * dy, syy + dy * dy
                m += side
        sx, sy = sx / count, sy / count
        xx, xy, yy = sxx / count - sx * sx, sxy / count - sx * sy, syy / count - sy * sy
        middle, half = 0.5 * (xx + yy), math.hypot(0.5 * (xx - yy), xy)
        across = max(middle - half, 0.0)
        if count < FEWEST or across > BENT * BENT or middle + half <= LONG * across:
            continue
        angle = 0.5 * math.atan2(2.0 * xy, xx - yy)
        nx, ny = -math.sin(angle), math.cos(angle)
        if nx * (origin[0] - x) + ny * (origin[1] - y) < 0.0:
            nx, ny = -nx, -ny
        away = nx * sx + ny * sy
        lines[found, 0], lines[found, 1], lines[found, 2], lines[found, 3] = x + away * nx, y + away * ny, nx, ny
        found += 1
    return found


@kernel
def find_surfel(x, y, nx, ny, surfels, index, frame):
    """Return the nearest surfel with a similar normal in the nine cells around a point; -1 if there is none."""
    column, row = math.floor((x - frame.x) / frame.resolution), math.floor((y - frame.y) / frame.resolution)
    best, nearest = -1, math.inf
    for i in range(max(0, row - 1), min(index.shape[0], row + 2)):
        for j in range(max(0, column - 1), min(index.shape[1], column + 2)):
            for side in range(index.shape[2]):
                k = index[i, j, side]
                if k >= 0 and surfels[k, 2] * nx + surfels[k, 3] * ny > ALIKE:
                    distance = math.hypot(x - surfels[k, 0], y - surfels[k, 1])
                    if distance < nearest:
                        best, nearest = k, distance
    return best


@kernel
def align_lines(lines, surfels, index, frame, hold, pose):
    """Align a scan's lines with surfels by Gauss-Newton on distances along normals (point to line, Censi 2008).

    Distances along a surface do not count, so the position of beam ends on it does not matter. `hold` is the weight of
    the initial pose, which determines unconstrained directions.

    Returns: the quality of the fit, as the sum of the lines' weights of at most 1 each.
    """
    support = 0.0
    x0, y0, a0 = pose[0], pose[1], pose[2]
    for _ in range(STEPS):
        cos, sin = math.cos(pose[2]), math.sin(pose[2])
        support = 0.0
        hxx = hyy = haa = hold
        hxy = hxa = hya = 0.0
        gx, gy, ga = hold * (x0 - pose[0]), hold * (y0 - pose[1]), hold * (a0 - pose[2])
        for k in range(lines.shape[0]):
            rx, ry = cos * lines[k, 0] - sin * lines[k, 1], sin * lines[k, 0] + cos * lines[k, 1]
            nx, ny = cos * lines[k, 2] - sin * lines[k, 3], sin * lines[k, 2] + cos * lines[k, 3]
            x, y = pose[0] + rx, pose[1] + ry
            met = find_surfel(x, y, nx, ny, surfels, index, frame)
            if met < 0:
                continue
            nx, ny = surfels[met, 2], surfels[met, 3]
            off = nx * (surfels[met, 0] - x) + ny * (surfels[met, 1] - y)
            na = ny * rx - nx * ry
            weight = 1.0 / (1.0 + (off / OUTLYING) ** 2) ** 2
            support += weight
            gx, gy, ga = gx + weight * off * nx, gy + weight * off * ny, ga + weight * off * na
            hxx, hxy, hxa = hxx + weight * nx * nx, hxy + weight * nx * ny, hxa + weight * nx * na
            hyy, hya, haa = hyy + weight * ny * ny, hya + weight * ny * na, haa + weight * na * na
        dx, dy, da = solve_three(hxx, hxy, hxa, hyy, hya, haa, gx, gy, ga)
        pose[0], pose[1], pose[2] = pose[0] + dx, pose[1] + dy, pose[2] + da
        if abs(dx) + abs(dy) + abs(da) < DONE:
            break
    return support


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
