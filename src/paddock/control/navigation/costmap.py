"""CostMap: costs of cells for a robot's body, which rise near obstacles, and the distances that they come from."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from paddock.control.navigation.grid_search import Cell
from paddock.control.navigation.vehicle import Footprint, body_clearance
from paddock.core.errors import PaddockError
from paddock.core.geometry import Pose
from paddock.core.jit import kernel
from paddock.perception.mapping import GridFrame, OccupancyGrid
from paddock.perception.mapping.scan import Floats

Value = TypeVar("Value", bound=np.generic)  # of a cell
States = NDArray[np.int8]  # of cells: -1 unknown, 0 free, 1 occupied
FAR = 1e3  # [m] maximum distance to an obstacle
PIONEER = 0.26  # circumscribed radius of the reference robot for default lengths [m]


@kernel
def distance_to_nearest(marked, side, sites, borders, distance):
    """Compute the distance from each cell's centre to that of the nearest marked cell [m]; infinity without any.

    Two sweeps compute the distance along the columns. Then the lower envelope of parabolas is computed along each row
    (Felzenszwalb and Huttenlocher 2012). `sites` and `borders` are scratch, with two and one numbers per column.
    """
    rows, columns = marked.shape
    for row in range(rows):
        for column in range(columns):
            above = distance[row - 1, column] + 1.0 if row > 0 else math.inf
            distance[row, column] = 0.0 if marked[row, column] else above
    for row in range(rows - 2, -1, -1):
        for column in range(columns):
            distance[row, column] = min(distance[row, column], distance[row + 1, column] + 1.0)
    for row in range(rows):
        for column in range(columns):
            distance[row, column] *= distance[row, column]
        count = find_envelope(distance[row], sites, borders)
        fill_row(distance[row], count, side, sites, borders)


@kernel
def find_envelope(heights, sites, borders):
    """Compute the lower envelope of parabolas at the cells of a row with finite heights; return their number.

    `sites` receives position and height of each parabola, interleaved. `borders` receives the start of each segment.
    """
    count = 0
    for column in range(heights.shape[0]):
        height = heights[column]
        if height == math.inf:
            continue
        begin = -math.inf
        while count > 0:
            foot = sites[2 * count - 2]
            begin = (height + column * column - sites[2 * count - 1] - foot * foot) / (2.0 * (column - foot))
            if begin > borders[count - 1]:
                break
            count -= 1
            begin = -math.inf
        sites[2 * count], sites[2 * count + 1], borders[count] = column, height, begin
        count += 1
    return count


@kernel
def fill_row(heights, count, side, sites, borders):
    """Compute the distances [m] of a row from the envelope of its parabolas."""
    lowest = 0
    for column in range(heights.shape[0]):
        if count == 0:
            heights[column] = math.inf
            continue
        while lowest + 1 < count and borders[lowest + 1] < column:
            lowest += 1
        off = column - sites[2 * lowest]
        heights[column] = side * math.sqrt(off * off + sites[2 * lowest + 1])


def transform_distance(marked: NDArray[np.bool_], resolution: float) -> Floats:
    """Return the distance of each cell's centre from that of the nearest marked cell [m]; infinity without any.

    Args:
        marked: mask of marked cells, shape (rows, columns).
        resolution: side of a cell [m].
    """
    columns = marked.shape[1]
    distance = np.empty(marked.shape)
    distance_to_nearest(marked, float(resolution), np.empty(2 * columns), np.empty(columns), distance)
    return distance


@dataclass(frozen=True, kw_only=True)
class Inflation:
    """Increase of costs towards obstacles. A free cell far from all obstacles costs 1."""

    margin: float = 0.05  # minimum distance between body and obstacles [m]
    weight: float = 6.0  # additional cost of a cell as near to an obstacle as the body can be
    falloff: float = 0.12  # distance over which the additional cost decreases to 37 % [m]
    turning: float = 4.0  # additional cost where the body cannot turn on the spot
    unknown: float | Literal["blocked"] = "blocked"  # additional cost of unknown cells, or "blocked"

    @classmethod
    def of(cls, footprint: Footprint, **changes: Any) -> Inflation:
        """Return the default lengths, scaled down for a body that is smaller than a Pioneer."""
        shrink = min(1.0, footprint.circumscribed / PIONEER)
        return cls(**{"margin": shrink * cls.margin, "falloff": shrink * cls.falloff, **changes})

    def __post_init__(self) -> None:
        numbers = [self.margin, self.weight, self.falloff, self.turning]
        numbers += [] if self.unknown == "blocked" else [self.unknown]
        if not all(isinstance(number, int | float) and number >= 0 for number in numbers) or not self.falloff > 0:
            raise PaddockError(f"Inflation: expected numbers >= 0, and a falloff > 0; got {self!r}")


@dataclass(frozen=True)
class CostMap:
    """Cost map of a map for one body."""

    frame: GridFrame
    footprint: Footprint
    states: States = field(repr=False)
    distance: Floats = field(repr=False)  # from each cell to the nearest occupied one [m]
    inflation: Inflation

    @classmethod
    def of(cls, states: States, frame: GridFrame, footprint: Footprint, inflation: Inflation | None = None) -> CostMap:
        """Create the cost map of a grid's states, shape (rows, columns) of its frame."""
        if states.shape != frame.shape:
            raise PaddockError(f"CostMap: expected states of shape {frame.shape}, got {states.shape}")
        distance = np.minimum(transform_distance(states > 0, frame.resolution), FAR)
        return cls(frame, footprint, states, distance, inflation or Inflation.of(footprint))

    @property
    def gap(self) -> float:
        """Minimum distance of planned bodies from the centres of occupied cells [m], so that later checks pass."""
        return self.inflation.margin + (self.footprint.spacing + self.frame.resolution) / 2

    @cached_property
    def costs(self) -> Floats:
        """Cost of crossing each cell, at least 1; infinity: blocked."""
        how, nearest = self.inflation, self.footprint.half_width + self.gap
        costs: Floats = 1.0 + how.weight * np.exp((nearest - self.distance) / how.falloff)
        costs[~self.turnable] += how.turning
        costs[self.distance < nearest] = math.inf
        costs[self.states < 0] = math.inf if how.unknown == "blocked" else costs[self.states < 0] + how.unknown
        return costs

    @cached_property
    def turnable(self) -> NDArray[np.bool_]:
        """Mask of the cells at which the body can turn on the spot."""
        able: NDArray[np.bool_] = self.distance >= self.footprint.circumscribed + self.gap
        return able

    @cached_property
    def tables(self) -> tuple[Floats, Floats, Floats, Floats]:
        """Arguments for kernels: distances, origin, outline, and the body's numbers."""
        origin = np.array([self.frame.x, self.frame.y, self.frame.resolution])
        return self.distance, origin, self.footprint.outline, self.footprint.numbers(self.inflation.margin)

    def clearance(self, pose: Pose) -> float:
        """Return a lower bound of the distance from the outline to the nearest obstacle [m]; negative: overlap."""
        return float(body_clearance(*self.tables, *pose)) - self.footprint.spacing / 2

    def is_free(self, pose: Pose) -> bool:
        """Return whether the body with its margin is free of obstacles at a pose."""
        return self.clearance(pose) >= self.inflation.margin

    def nearest_passable(self, x: float, y: float, reach: float) -> Cell | None:
        """Return the nearest cell to a point [m] that is not blocked, at most `reach` away; None if there is none."""
        row, column = self.frame.cell(x, y)
        if self.frame.holds(row, column) and math.isfinite(self.costs[row, column]):
            return row, column
        size = math.ceil(reach / self.frame.resolution)
        top, left = max(0, row - size), max(0, column - size)
        part = self.costs[top : max(0, row + size + 1), left : max(0, column + size + 1)]
        cells = np.argwhere(np.isfinite(part)) + np.array([top, left])
        if not len(cells):
            return None
        away = np.hypot(*(self.frame.centres(cells) - (x, y)).T)
        nearest = int(np.argmin(away))
        return (int(cells[nearest, 0]), int(cells[nearest, 1])) if away[nearest] <= reach else None


def seen_states(grid: OccupancyGrid) -> States:
    """Return -1, 0 or 1 for each cell by the sign of its log-odds; only cells that were never seen are unknown.

    Beams alternately hit and pass cells at the edge of a wall. Such cells count as known and are not explored again.
    """
    return classify_cells(grid.log_odds)


def classify_cells(log_odds: NDArray[np.float32]) -> States:
    """Return the states of a part of a grid, as `seen_states`."""
    states: States = (log_odds > 0).astype(np.int8)
    states -= log_odds == 0
    return states


def pad(states: States, frame: GridFrame, x: float, y: float, reach: float) -> tuple[States, GridFrame]:
    """Pad a grid with unknown cells, so that it contains a square of `reach` to each side of a point [m]."""
    (low, left), (high, right) = frame.cell(x - reach, y - reach), frame.cell(x + reach, y + reach)
    below, before = max(0, -low), max(0, -left)
    above, after = max(0, high + 1 - frame.rows), max(0, right + 1 - frame.columns)
    x0, y0 = frame.x - before * frame.resolution, frame.y - below * frame.resolution
    padded = np.pad(states, ((below, above), (before, after)), constant_values=-1)
    return padded, GridFrame(x0, y0, frame.resolution, *padded.shape)


def crop(
    values: NDArray[Value], frame: GridFrame, x: float, y: float, reach: float
) -> tuple[NDArray[Value], GridFrame]:
    """Return the part of a grid's values within a square of `reach` to each side of a point [m]."""
    (top, left), (bottom, right) = frame.cell(x - reach, y - reach), frame.cell(x + reach, y + reach)
    top, left = min(max(0, top), frame.rows), min(max(0, left), frame.columns)
    bottom, right = max(top, min(frame.rows, bottom + 1)), max(left, min(frame.columns, right + 1))
    x0, y0 = frame.x + left * frame.resolution, frame.y + top * frame.resolution
    return values[top:bottom, left:right], GridFrame(x0, y0, frame.resolution, bottom - top, right - left)
