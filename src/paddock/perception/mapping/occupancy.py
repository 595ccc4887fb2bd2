"""OccupancyGrid: log-odds of occupancy per cell, from scans at known poses. It grows where scans reach."""

from __future__ import annotations

import hashlib
import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from paddock.core.argument_checks import all_finite
from paddock.core.errors import PaddockError
from paddock.core.geometry import Pose
from paddock.core.jit import kernel
from paddock.perception.mapping.scan import Floats, Scan, transform

TILE, TILE_BITS, TILE_MASK = 64, 6, 63  # side of a tile, in cells
SLOWEST = 0.1  # minimum weight of a new hit in the mean of the hits in a cell
LogOdds = NDArray[np.float32]
States = NDArray[np.int8]
UNKNOWN, FREE, OCCUPIED = -1, 0, 1  # states of a cell


@kernel
def add_beams(cells, offsets, tiles, stride, stamps, stamp, beams, ranges, origin, pose, model):
    """Add the beams of a scan, first the hits and then the passed cells, so that a hit outweighs a miss.

    Args:
        cells: log-odds, flat.
        offsets: mean position of the hits within each cell, x, y, 0 … 1; shape (cells, 2).
        tiles: offset of each tile in `cells`, shape (tile rows, tile columns).
        stride: offset from one row of a tile to the next.
        stamps: scan number of the last change of each cell, shape (rows, columns).
        stamp: number of this scan, larger than any in `stamps`.
        beams: x, y [m] and direction [rad] of each beam on the robot, shape (n, 3).
        ranges: ranges [m]; infinity: no return, NaN: no reading.
        origin: x, y of the grid's corner and the side of a cell [m].
        pose: pose of the robot.
        model: log-odds of hit and miss, lowest and highest log-odds, and the clearing distance of a beam without a
            return [m].
    """
    side, hit, low, high, clears = origin[2], model[0], model[2], model[3], model[4]
    c, s = math.cos(pose[2]), math.sin(pose[2])
    for k in range(beams.shape[0]):
        if math.isfinite(ranges[k]):
            x, y, dx, dy = aim_beam(beams[k], pose, c, s)
            u, v = (x + ranges[k] * dx - origin[0]) / side, (y + ranges[k] * dy - origin[1]) / side
            column, row = math.floor(u), math.floor(v)
            place = tiles[row >> TILE_BITS, column >> TILE_BITS] + (row & TILE_MASK) * stride + (column & TILE_MASK)
            weight = max(SLOWEST, 1.0 / (1.0 + max(0.0, cells[place]) / hit))
            offsets[place, 0] += weight * (u - column - offsets[place, 0])
            offsets[place, 1] += weight * (v - row - offsets[place, 1])
            if stamps[row, column] != stamp:
                stamps[row, column] = stamp
                cells[place] = min(high, cells[place] + hit)
    for k in range(beams.shape[0]):
        if ranges[k] > 0.0:
            x, y, dx, dy = aim_beam(beams[k], pose, c, s)
            far = ranges[k] if math.isfinite(ranges[k]) else clears
            clear_beam(cells, tiles, stride, stamps, stamp, (x - origin[0]) / side, (y - origin[1]) / side,
                       dx, dy, far / side, model[1], low)  # fmt: skip


@kernel
def aim_beam(beam, pose, c, s):
    """Return origin and direction of a beam in the world."""
    direction = pose[2] + beam[2]
    return (
        pose[0] + c * beam[0] - s * beam[1],
        pose[1] + s * beam[0] + c * beam[1],
        math.cos(direction),
        math.sin(direction),
    )


@kernel
def clear_beam(cells, tiles, stride, stamps, stamp, x, y, dx, dy, far, miss, low):
    """Lower all cells that a beam crosses before its end (Amanatides and Woo 1987); all lengths in cells."""
    column, row = math.floor(x), math.floor(y)
    last_column, last_row = math.floor(x + far * dx), math.floor(y + far * dy)
    step_x, step_y = (1 if dx > 0.0 else -1), (1 if dy > 0.0 else -1)
    per_x, per_y = (1.0 / abs(dx) if dx != 0.0 else math.inf), (1.0 / abs(dy) if dy != 0.0 else math.inf)
    next_x = (column + (1 if dx > 0.0 else 0) - x) / dx if dx != 0.0 else math.inf
    next_y = (row + (1 if dy > 0.0 else 0) - y) / dy if dy != 0.0 else math.inf
    for _ in range(abs(last_column - column) + abs(last_row - row)):
        if stamps[row, column] != stamp:
            stamps[row, column] = stamp
            place = tiles[row >> TILE_BITS, column >> TILE_BITS] + (row & TILE_MASK) * stride + (column & TILE_MASK)
            cells[place] = max(low, cells[place] + miss)
        if next_x < next_y:
            next_x += per_x
            column += step_x
        else:
            next_y += per_y
            row += step_y


@kernel
def add_cones(cells, tiles, stride, beams, ranges, half, origin, pose, model):
    """Add sonar cones (Elfes 1989): free inside, occupied on the arc at the range; both fade towards the edges.

    The arguments are those of `add_beams`, with half the opening angle [rad]. The sixth number of `model` is the
    thickness of the arc [m].
    """
    side, low, high, thickness = origin[2], model[2], model[3], model[5]
    c, s = math.cos(pose[2]), math.sin(pose[2])
    for k in range(beams.shape[0]):
        if not ranges[k] > 0.0:
            continue
        x, y, dx, dy = aim_beam(beams[k], pose, c, s)
        met = math.isfinite(ranges[k])
        far = ranges[k] if met else model[4]
        x0, y0, x1, y1 = box_of_cone(x, y, pose[2] + beams[k, 2], half, far + thickness)
        for row in range(math.floor((y0 - origin[1]) / side), math.floor((y1 - origin[1]) / side) + 1):
            py = origin[1] + (row + 0.5) * side - y
            for column in range(math.floor((x0 - origin[0]) / side), math.floor((x1 - origin[0]) / side) + 1):
                px = origin[0] + (column + 0.5) * side - x
                away = math.hypot(px, py)
                wide = half + 0.5 * side / (away + 1e-9)  # a cone narrower than a cell still covers some cells
                off = abs(math.atan2(py * dx - px * dy, px * dx + py * dy)) / wide
                if off > 1.0 or away > far + thickness:
                    continue
                change = 0.0
                if away < far - thickness:
                    change = model[1]
                elif met:
                    change = model[0]
                place = tiles[row >> TILE_BITS, column >> TILE_BITS] + (row & TILE_MASK) * stride + (column & TILE_MASK)
                cells[place] = min(high, max(low, cells[place] + change * (1.0 - off * off)))


@kernel
def box_of_cone(x, y, direction, half, reach):
    """Return a rectangle around a cone: x0, y0, x1, y1 [m]."""
    x0, y0, x1, y1 = x, y, x, y
    reach *= 2.0 - math.cos(0.5 * half)  # the arc extends beyond the chords between the sampled directions
    for side in range(-1, 2):
        px, py = x + reach * math.cos(direction + side * half), y + reach * math.sin(direction + side * half)
        x0, y0, x1, y1 = min(x0, px), min(y0, py), max(x1, px), max(y1, py)
    return x0, y0, x1, y1


@dataclass(frozen=True, kw_only=True)
class BeamModel:
    """Changes of log-odds by a reading."""

    hit: float = 0.85  # of a cell with a beam end: 70 % occupied
    miss: float = -0.4  # of a cell that a beam passes: 40 % occupied
    lowest: float = -4.0
    highest: float = 4.0
    clears: float | None = None  # clearing distance of a beam without a return [m]; None: the sensor's range
    thickness: float | None = None  # of the arc of a sonar's echo [m], to either side; None: a cell

    def __post_init__(self) -> None:
        if not (self.lowest < self.miss < 0 < self.hit < self.highest):
            raise PaddockError(f"BeamModel: expected lowest < miss < 0 < hit < highest, got {self!r}")

    def numbers(self, max_range: float, resolution: float) -> Floats:
        """Return the parameters for kernels, for a sensor's range and the side of a cell [m]."""
        clears = max_range if self.clears is None else min(self.clears, max_range)
        thickness = resolution if self.thickness is None else self.thickness
        return np.array([self.hit, self.miss, self.lowest, self.highest, clears, thickness])


LASER = BeamModel()
SONAR = BeamModel(hit=0.4, miss=-0.2, clears=3.0)  # an echo is anywhere on its arc; smooth walls return no echo


class OccupancyGrid:
    """Log-odds of cells, 0 for unknown cells. `version` counts changes."""

    def __init__(self, resolution: float = 0.05, *, occupied: float = 0.5, free: float = -0.1) -> None:
        """Create a grid without cells.

        Args:
            resolution: side of a cell [m].
            occupied: minimum log-odds of an occupied cell.
            free: maximum log-odds of a free cell.
        """
        if not (all_finite(resolution) and resolution > 0):
            raise PaddockError(f"OccupancyGrid: resolution: expected metres > 0, got {resolution!r}")
        self.occupied, self.free, self.version = occupied, free, 0
        self._stamp = 0
        self._corner, self._first = (0.0, 0.0), (0, 0)  # of tile 0, 0 [m]; the tile of cell [0, 0], as x, y
        self._set(GridFrame(0.0, 0.0, resolution, 0, 0), np.zeros((0, 0), np.float32), np.zeros((0, 0, 2), np.float32))

    @classmethod
    def of(cls, frame: GridFrame, log_odds: NDArray[np.floating]) -> OccupancyGrid:
        """Create a grid from log-odds; its tiles begin at the frame's corner."""
        if log_odds.shape != frame.shape:
            raise PaddockError(f"OccupancyGrid.of: expected log-odds of shape {frame.shape}, got {log_odds.shape}")
        grid = cls(frame.resolution)
        rows, columns = (-(-size // TILE) * TILE for size in frame.shape)
        whole = np.zeros((rows, columns), np.float32)
        whole[: frame.rows, : frame.columns] = log_odds
        grid._corner = frame.x, frame.y
        grid._set(frame._replace(rows=rows, columns=columns), whole, np.full((rows, columns, 2), 0.5, np.float32))
        return grid

    @property
    def resolution(self) -> float:
        """Side of a cell [m]."""
        return self.frame.resolution

    def _set(self, frame: GridFrame, log_odds: LogOdds, offsets: NDArray[np.float32]) -> None:
        self.frame = frame
        self.log_odds = log_odds  # shape (rows, columns)
        self._offsets = offsets  # mean position of the hits within each cell, x, y, 0 … 1
        self._stamps = np.zeros(frame.shape, np.int32)
        rows, columns = (np.arange(0, size, TILE, dtype=np.int64) for size in frame.shape)
        self._tiles = rows[:, None] * frame.columns + columns

    def add_scan(self, scan: Scan, pose: Pose, model: BeamModel = LASER) -> None:
        """Add a laser scan at a robot's pose: raise cells with beam ends, lower cells that beams pass."""
        beams, ranges, numbers = self._prepare(scan, pose, model)
        self._stamp += 1
        add_beams(
            self.log_odds.reshape(-1), self._offsets.reshape(-1, 2), self._tiles, self.frame.columns,
            self._stamps, self._stamp, beams, ranges, self._origin, np.array(pose, float), numbers,
        )  # fmt: skip

    def add_cones(self, scan: Scan, pose: Pose, opening: float, model: BeamModel = SONAR) -> None:
        """Add sonar readings at a robot's pose; `opening` is the full angle of a cone [rad]."""
        if not 0 < opening <= math.pi:
            raise PaddockError(f"add_cones: opening: expected an angle in (0, pi], got {opening!r}")
        beams, ranges, numbers = self._prepare(scan, pose, model, opening / 2)
        add_cones(
            self.log_odds.reshape(-1), self._tiles, self.frame.columns, beams, ranges, opening / 2,
            self._origin, np.array(pose, float), numbers,
        )  # fmt: skip

    @property
    def _origin(self) -> Floats:
        return np.array([self.frame.x, self.frame.y, self.frame.resolution])

    def _prepare(self, scan: Scan, pose: Pose, model: BeamModel, half: float = 0.0) -> tuple[Floats, Floats, Floats]:
        if not all_finite(*pose):
            raise PaddockError(f"OccupancyGrid: expected a finite pose, got {pose!r}")
        numbers = model.numbers(scan.max_range, self.resolution)
        beams, ranges = scan.beams(), scan.clean_ranges()
        far = np.where(np.isinf(ranges), numbers[4], ranges)
        self.cover(*reached_box(beams, far, pose, half, numbers[5] + self.resolution))
        self.version += 1
        return beams, ranges, numbers

    def cover(self, x0: float, y0: float, x1: float, y1: float) -> None:
        """Grow in whole tiles until a rectangle [m] is inside."""
        frame, size = self.frame, TILE * self.frame.resolution
        lows = [math.floor((low - corner) / size) for low, corner in zip((x0, y0), self._corner, strict=True)]
        highs = [math.floor((high - corner) / size) + 1 for high, corner in zip((x1, y1), self._corner, strict=True)]
        if frame.rows:
            ends = self._first[0] + frame.columns // TILE, self._first[1] + frame.rows // TILE
            lows, highs = [*map(min, self._first, lows)], [*map(max, ends, highs)]
        columns, rows = ((high - low) * TILE for low, high in zip(lows, highs, strict=True))
        if (rows, columns) == frame.shape:
            return
        check_cells(rows, columns, frame.resolution)
        grown, offsets = np.zeros((rows, columns), np.float32), np.full((rows, columns, 2), 0.5, np.float32)
        column, row = ((old - low) * TILE for old, low in zip(self._first, lows, strict=True))
        if frame.rows:
            part = slice(row, row + frame.rows), slice(column, column + frame.columns)
            grown[part], offsets[part] = self.log_odds, self._offsets
        x, y = (corner + low * size for corner, low in zip(self._corner, lows, strict=True))
        self._first = lows[0], lows[1]
        self._set(GridFrame(x, y, frame.resolution, rows, columns), grown, offsets)

    def probability(self) -> NDArray[np.float32]:
        """Return the probability of occupancy of each cell, 0 … 1; 0.5 for unknown cells."""
        likely: NDArray[np.float32] = np.reciprocal(1 + np.exp(-self.log_odds))
        return likely

    def states(self) -> States:
        """Return -1 unknown, 0 free or 1 occupied for each cell."""
        known = np.full(self.frame.shape, UNKNOWN, np.int8)
        known[self.log_odds <= self.free] = FREE
        known[self.log_odds >= self.occupied] = OCCUPIED
        return known

    def surface_points(self) -> Floats:
        """Return the mean beam end in each occupied cell, x, y [m]; these points are finer than the cells."""
        cells = np.argwhere(self.log_odds >= self.occupied)
        offsets = self._offsets[cells[:, 0], cells[:, 1]]
        return self.frame.centres(cells) + self.resolution * (offsets.astype(float) - 0.5)

    def copy(self) -> OccupancyGrid:
        """Return an independent copy of the grid."""
        other = OccupancyGrid(self.resolution, occupied=self.occupied, free=self.free)
        other._corner, other._first = self._corner, self._first
        other._set(self.frame, self.log_odds.copy(), self._offsets.copy())
        other.version = self.version
        return other

    def digest(self) -> str:
        """Return a hash that is equal for equal grids, on every machine."""
        return hashlib.sha256(repr(tuple(self.frame)).encode() + self.log_odds.tobytes()).hexdigest()

    def __repr__(self) -> str:
        x0, y0, x1, y1 = self.frame.bounds
        return f"<OccupancyGrid x {x0:g} … {x1:g} m, y {y0:g} … {y1:g} m, cells of {self.resolution:g} m>"


def reached_box(
    beams: Floats, ranges: Floats, pose: Pose, half: float, margin: float
) -> tuple[float, float, float, float]:
    """Return the rectangle x0, y0, x1, y1 [m] that beams, or cones with half an opening [rad], may reach."""
    valid = ranges > 0
    reach = ranges[valid] + margin
    reach = reach + reach * (1 - math.cos(half / 2))  # the arc extends beyond the chords between sampled directions
    origins = transform(beams[valid, :2], pose)
    direction = pose.heading + beams[valid, 2]
    ends = [
        origins + reach[:, None] * np.column_stack((np.cos(direction + side), np.sin(direction + side)))
        for side in ((-half, 0.0, half) if half else (0.0,))
    ]
    points = np.concatenate([[pose[:2]], origins, *ends])
    (x0, y0), (x1, y1) = points.min(axis=0), points.max(axis=0)
    return float(x0) - margin, float(y0) - margin, float(x1) + margin, float(y1) + margin


Cells = NDArray[np.int64]
Points = NDArray[np.float64]
MAX_CELLS = 400_000_000  # of a grid: 1000 m × 1000 m with cells of 5 cm


class GridFrame(NamedTuple):
    """Frame of a grid in the world. Arrays over it have shape (rows, columns); cell [0, 0] has the smallest x and y."""

    x: float  # of the lower left corner of cell [0, 0] [m]
    y: float
    resolution: float  # side of a cell [m]
    rows: int
    columns: int

    @classmethod
    def around(cls, x0: float, y0: float, x1: float, y1: float, resolution: float, margin: float = 0.0) -> GridFrame:
        """Return the smallest frame around a rectangle and a margin [m], with cells on multiples of their side."""
        if not all_finite(x0, y0, x1, y1):
            raise PaddockError(f"GridFrame: expected finite bounds, got {x0}, {y0}, {x1}, {y1}")
        column, row = (math.floor((low - margin) / resolution) for low in (x0, y0))
        columns, rows = (math.ceil((high + margin) / resolution) for high in (x1, y1))
        rows, columns = max(1, rows - row), max(1, columns - column)
        check_cells(rows, columns, resolution)
        return cls(column * resolution, row * resolution, resolution, rows, columns)

    @property
    def shape(self) -> tuple[int, int]:
        """Numbers of rows and columns."""
        return self.rows, self.columns

    @property
    def bounds(self) -> tuple[float, float, float, float]:
        """Bounds x0, y0, x1, y1 [m]."""
        return self.x, self.y, self.x + self.columns * self.resolution, self.y + self.rows * self.resolution

    def cell(self, x: float, y: float) -> tuple[int, int]:
        """Return row and column of a point [m], which may lie outside."""
        return math.floor((y - self.y) / self.resolution), math.floor((x - self.x) / self.resolution)

    def cells(self, points: Points) -> Cells:
        """Return rows and columns of points [m], shape (n, 2)."""
        return np.floor((np.asarray(points)[:, ::-1] - (self.y, self.x)) / self.resolution).astype(np.int64)

    def centre(self, row: int, column: int) -> tuple[float, float]:
        """Return the centre of a cell [m]."""
        return self.x + (column + 0.5) * self.resolution, self.y + (row + 0.5) * self.resolution

    def centres(self, cells: Cells) -> Points:
        """Return the centres x, y [m] of cells (row, column)."""
        row, column = np.asarray(cells, float).T
        return np.column_stack((self.x + (column + 0.5) * self.resolution, self.y + (row + 0.5) * self.resolution))

    def holds(self, row: int, column: int) -> bool:
        """Return whether a cell is inside."""
        return 0 <= row < self.rows and 0 <= column < self.columns

    def inside(self, cells: Cells) -> NDArray[np.bool_]:
        """Return whether each of some cells (row, column) is inside, shape (n,)."""
        return np.asarray(((cells >= 0) & (cells < self.shape)).all(axis=1))


def check_cells(rows: int, columns: int, resolution: float) -> None:
    """Raise an error if a grid would have too many cells."""
    if rows * columns > MAX_CELLS:
        raise PaddockError(
            f"a grid of {rows} × {columns} cells of {resolution:g} m has too many: "
            f"expected at most {MAX_CELLS:,}; use larger cells, or check for a wrong pose or range"
        )
