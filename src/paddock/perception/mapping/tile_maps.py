"""TileMaps: the maps of many particles, which share tiles. A shared tile is copied when it is written to."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from paddock.core.geometry import Pose
from paddock.perception.mapping.frame import GridFrame, check_cells
from paddock.perception.mapping.occupancy import LASER, BeamModel, OccupancyGrid, reached_box
from paddock.perception.mapping.occupancy_kernels import TILE, add_beams
from paddock.perception.mapping.scan import Floats, Scan

AREA = TILE * TILE  # cells of a tile
EMPTY = 0  # number of the empty tile, which is never written to


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
