"""TileMaps: the maps of many particles, which share tiles. A shared tile is copied when it is written to."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from paddock.core.geometry import Pose
from paddock.core.jit import kernel
from paddock.core.rng import ALONE, gauss, make_key, uniform
from paddock.perception.mapping.occupancy import (
    LASER,
    TILE,
    TILE_BITS,
    TILE_MASK,
    BeamModel,
    GridFrame,
    OccupancyGrid,
    add_beams,
    check_cells,
    reached_box,
)
from paddock.perception.mapping.scan import Floats, Scan

AREA = TILE * TILE  # cells of a tile
EMPTY = 0  # number of the empty tile, which is never written to
STREAM = (1 << 20) + 40  # of random numbers
FIRST_STEP, FIRST_TURN, HALVINGS, MAX_ROUNDS = 0.05, 0.03, 5, 60  # of the hill climbing [m, rad]
PROBE, PROBE_TURN = 0.03, 0.015  # steps for the curvature of the peak [m, rad]


class TileMaps:
    """Occupancy grids over one frame that grows in whole tiles."""

    def __init__(self, count: int, resolution: float, model: BeamModel = LASER) -> None:
        self.resolution, self.model = resolution, model
        self.low = (0, 0)  # the lowest tile, as row, column
        self.tiles: NDArray[np.int64] = np.zeros((count, 0, 0), np.int64)  # tile numbers of each map
        self.users: NDArray[np.int64] = np.zeros(1, np.int64)  # number of maps that use each tile
        self.cells = np.zeros(AREA, np.float32)
        self.offsets = np.full((AREA, 2), 0.5, np.float32)
        self._stamps, self._stamp = np.zeros((0, 0), np.int32), 0

    @property
    def origin(self) -> Floats:
        """x, y of the lowest corner, and the side of a cell [m]."""
        size = TILE * self.resolution
        return np.array([self.low[1] * size, self.low[0] * size, self.resolution])

    @property
    def places(self) -> NDArray[np.int64]:
        """Offsets of the tiles of each map in `cells`."""
        return self.tiles * AREA

    def choose(self, survivors: NDArray[np.int64]) -> None:
        """Make map i a copy of map `survivors[i]`; tiles are copied later, on writing."""
        self.tiles = self.tiles[survivors]
        self.users = np.bincount(self.tiles.ravel(), minlength=len(self.users))

    def add_scan(self, number: int, scan: Scan, pose: Pose) -> None:
        """Add a scan to one of the maps."""
        numbers = self.model.numbers(scan.max_range, self.resolution)
        beams, ranges = scan.beams(), scan.clean_ranges()
        far = np.where(np.isinf(ranges), numbers[4], ranges)
        self._own(number, *self._cover(*reached_box(beams, far, pose, 0.0, self.resolution)))
        self._stamp += 1
        add_beams(
            self.cells, self.offsets, self.tiles[number] * AREA, TILE, self._stamps, self._stamp,
            beams, ranges, self.origin, np.array(pose, float), numbers,
        )  # fmt: skip

    def _cover(self, x0: float, y0: float, x1: float, y1: float) -> tuple[slice, slice]:
        """Grow until a rectangle [m] is inside; return the tiles that it covers."""
        size = TILE * self.resolution
        low = [math.floor(y0 / size), math.floor(x0 / size)]
        high = [math.floor(y1 / size) + 1, math.floor(x1 / size) + 1]
        count, rows, columns = self.tiles.shape
        if not rows:
            self.low = low[0], low[1]
        ends = self.low[0] + rows, self.low[1] + columns
        new_low, new_high = [*map(min, self.low, low)], [*map(max, ends, high)]
        shape = new_high[0] - new_low[0], new_high[1] - new_low[1]
        if shape != (rows, columns):
            check_cells(shape[0] * TILE, shape[1] * TILE, self.resolution)
            tiles = np.zeros((count, *shape), np.int64)
            row, column = self.low[0] - new_low[0], self.low[1] - new_low[1]
            tiles[:, row : row + rows, column : column + columns] = self.tiles
            self.tiles, self.low = tiles, (new_low[0], new_low[1])
            self._stamps = np.zeros((shape[0] * TILE, shape[1] * TILE), np.int32)
        first, last = (low[0] - self.low[0], low[1] - self.low[1]), (high[0] - self.low[0], high[1] - self.low[1])
        return slice(first[0], last[0]), slice(first[1], last[1])

    def _own(self, number: int, rows: slice, columns: slice) -> None:
        """Copy the shared tiles of a map within a range of tiles."""
        part = self.tiles[number, rows, columns]
        shared = (part == EMPTY) | (self.users[part] > 1)
        old = part[shared]
        if not len(old):
            return
        new = self._free_tiles(len(old))
        for source, target in zip(old.tolist(), new.tolist(), strict=True):
            to, of = slice(target * AREA, (target + 1) * AREA), slice(source * AREA, (source + 1) * AREA)
            self.cells[to], self.offsets[to] = self.cells[of], self.offsets[of]
        self.users[new] = 1
        np.subtract.at(self.users, old, 1)
        part[shared] = new

    def _free_tiles(self, count: int) -> NDArray[np.int64]:
        free = np.flatnonzero(self.users <= 0)
        free = free[free != EMPTY]
        if len(free) < count:
            more = max(count, len(self.users))
            self.users = np.concatenate((self.users, np.zeros(more, np.int64)))
            self.cells = np.concatenate((self.cells, np.zeros(more * AREA, np.float32)))
            self.offsets = np.concatenate((self.offsets, np.full((more * AREA, 2), 0.5, np.float32)))
            free = np.concatenate((free, np.arange(len(self.users) - more, len(self.users))))
        return free[:count]

    def grid(self, number: int) -> OccupancyGrid:
        """Return one of the maps as a separate grid."""
        tiles = self.tiles[number]
        rows, columns = tiles.shape[0] * TILE, tiles.shape[1] * TILE
        frame = GridFrame(float(self.origin[0]), float(self.origin[1]), self.resolution, rows, columns)
        cells = self.cells.reshape(-1, TILE, TILE)[tiles].swapaxes(1, 2).reshape(rows, columns)
        return OccupancyGrid.of(frame, cells)


@kernel
def explain_scan(cells, offsets, tiles, points, origin, x, y, heading, sharp, worst, occupied):
    """Return the log-likelihood of points (robot frame) at a pose: -sharp d² each, d in cells, at least `worst`."""
    c, s = math.cos(heading), math.sin(heading)
    rows, columns = tiles.shape[0] * TILE, tiles.shape[1] * TILE
    total = 0.0
    for k in range(points.shape[0]):
        u = (x + c * points[k, 0] - s * points[k, 1] - origin[0]) / origin[2]
        v = (y + s * points[k, 0] + c * points[k, 1] - origin[1]) / origin[2]
        column, row = math.floor(u), math.floor(v)
        nearest = -worst / sharp
        for i in range(max(0, row - 1), min(rows, row + 2)):
            for j in range(max(0, column - 1), min(columns, column + 2)):
                place = tiles[i >> TILE_BITS, j >> TILE_BITS] + (i & TILE_MASK) * TILE + (j & TILE_MASK)
                if cells[place] >= occupied:
                    dx, dy = j + offsets[place, 0] - u, i + offsets[place, 1] - v
                    nearest = min(nearest, dx * dx + dy * dy)
        total -= sharp * nearest
    return total


@kernel
def favour(x, y, heading, guess, precision):
    """Return the log density of the motion at a pose, up to a constant; precision of x, y, heading, shape (3, 3)."""
    dx, dy, da = x - guess[0], y - guess[1], heading - guess[2]
    along = precision[0, 0] * dx * dx + precision[1, 1] * dy * dy + precision[2, 2] * da * da
    return -0.5 * along - precision[0, 1] * dx * dy - precision[0, 2] * dx * da - precision[1, 2] * dy * da


@kernel
def climb(
    cells, offsets, tables, points, origin, guesses, precisions, sharp, worst, occupied, peaks, values, curvatures
):
    """Find the most likely pose of each particle near its guess, given the scan and the motion, by hill climbing.

    Args:
        cells: log-odds of all tiles, flat.
        offsets: mean position of the hits in each cell, shape (cells, 2).
        tables: offsets of tiles, shape (particle, tile rows, tile columns).
        points: points of the scan in the robot's frame [m], shape (n, 2).
        origin: x, y of the grid's corner, and the side of a cell [m].
        guesses: poses by the motion alone, shape (particle, 3).
        precisions: precisions of the guesses, shape (particle, 3, 3).
        sharp: log-likelihood lost per squared distance of a point, in cells.
        worst: minimum log-likelihood of a point.
        occupied: minimum log-odds of an occupied cell.
        peaks: receives the poses.
        values: receives the log-likelihoods of scan and motion there.
        curvatures: receives the second derivatives of the scan's log-likelihood there, shape (particle, 3, 3).
    """
    for p in range(guesses.shape[0]):
        tiles, guess, precision = tables[p], guesses[p], precisions[p]
        x, y, heading = guess[0], guess[1], guess[2]
        best = explain_scan(cells, offsets, tiles, points, origin, x, y, heading, sharp, worst, occupied)
        step, turn, halved = FIRST_STEP, FIRST_TURN, 0
        for _ in range(MAX_ROUNDS):
            bx, by, ba, reached = x, y, heading, best
            for way in range(6):
                sign = 1.0 if way % 2 else -1.0
                tx = x + (sign * step if way // 2 == 0 else 0.0)
                ty = y + (sign * step if way // 2 == 1 else 0.0)
                ta = heading + (sign * turn if way // 2 == 2 else 0.0)
                value = explain_scan(cells, offsets, tiles, points, origin, tx, ty, ta, sharp, worst, occupied)
                value += favour(tx, ty, ta, guess, precision)
                if value > reached:
                    bx, by, ba, reached = tx, ty, ta, value
            if reached > best:
                x, y, heading, best = bx, by, ba, reached
            elif halved == HALVINGS:
                break
            else:
                step, turn, halved = 0.5 * step, 0.5 * turn, halved + 1
        peaks[p, 0], peaks[p, 1], peaks[p, 2], values[p] = x, y, heading, best
        middle = explain_scan(cells, offsets, tiles, points, origin, x, y, heading, sharp, worst, occupied)
        for a in range(3):
            for b in range(a + 1):
                total = -2.0 * middle if a == b else 0.0
                for ways in range(2 if a == b else 4):
                    first, second = (1.0 if ways % 2 else -1.0), (1.0 if ways // 2 else -1.0)
                    tx = x + (first * PROBE if a == 0 else 0.0) + (second * PROBE if b == 0 and a != b else 0.0)
                    ty = y + (first * PROBE if a == 1 else 0.0) + (second * PROBE if b == 1 and a != b else 0.0)
                    ta = heading + (first * PROBE_TURN if a == 2 else 0.0)
                    value = explain_scan(cells, offsets, tiles, points, origin, tx, ty, ta, sharp, worst, occupied)
                    total += value if a == b else first * second * value
                scale = (PROBE_TURN if a == 2 else PROBE) * (PROBE_TURN if b == 2 else PROBE)
                curvatures[p, a, b] = total / scale if a == b else 0.25 * total / scale
                curvatures[p, b, a] = curvatures[p, a, b]


@kernel
def draw_normal(seed, number, noise):
    """Draw standard normal numbers for a scan, shape (particle, n), and return a uniform one."""
    for p in range(noise.shape[0]):
        key = make_key(seed, ALONE, p, STREAM, number)
        for k in range(noise.shape[1]):
            noise[p, k] = gauss(key, k)
    return uniform(make_key(seed, ALONE, noise.shape[0], STREAM, number), 0)
