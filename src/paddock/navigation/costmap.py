"""CostMap: where a body may be on a map, and how much it should rather be elsewhere."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from paddock.core.errors import PaddockError
from paddock.core.geometry import Pose
from paddock.mapping import GridFrame, OccupancyGrid
from paddock.navigation.distance_transform import transform_distance
from paddock.navigation.footprint import Footprint
from paddock.navigation.grid_search import Cell, Floats
from paddock.navigation.kernels.body import body_clearance

Value = TypeVar("Value", bound=np.generic)  # of a cell
States = NDArray[np.int8]  # of cells: -1 unknown, 0 free, 1 occupied
FAR = 1e3  # [m] from everything
PIONEER = 0.26  # circumscribed radius of the robot that lengths were chosen for [m]


@dataclass(frozen=True, kw_only=True)
class Inflation:
    """How costs rise towards obstacles. A free cell far from everything costs 1."""

    margin: float = 0.05  # that a body keeps between itself and obstacles, at least [m]
    weight: float = 6.0  # of a cell as near to an obstacle as the body can be
    falloff: float = 0.12  # over this distance the weight falls to 37 % [m]
    turning: float = 4.0  # more where the body cannot turn on the spot
    unknown: float | Literal["blocked"] = "blocked"  # cells may cost that much more, or block

    @classmethod
    def of(cls, footprint: Footprint, **changes: Any) -> Inflation:
        """Lengths that suit a body: those above, or less for a body that is smaller than a Pioneer."""
        shrink = min(1.0, footprint.circumscribed / PIONEER)
        return cls(**{"margin": shrink * cls.margin, "falloff": shrink * cls.falloff, **changes})

    def __post_init__(self) -> None:
        numbers = [self.margin, self.weight, self.falloff, self.turning]
        numbers += [] if self.unknown == "blocked" else [self.unknown]
        if not all(isinstance(number, int | float) and number >= 0 for number in numbers) or not self.falloff > 0:
            raise PaddockError(f"Inflation: expected numbers >= 0, and a falloff > 0; got {self!r}")


@dataclass(frozen=True)
class CostMap:
    """A map as one body sees it."""

    frame: GridFrame
    footprint: Footprint
    states: States = field(repr=False)
    distance: Floats = field(repr=False)  # from each cell to the nearest occupied one [m]
    inflation: Inflation

    @classmethod
    def of(cls, states: States, frame: GridFrame, footprint: Footprint, inflation: Inflation | None = None) -> CostMap:
        """The cost map of a grid's states; shape (rows, columns) of its frame."""
        if states.shape != frame.shape:
            raise PaddockError(f"CostMap: expected states of shape {frame.shape}, got {states.shape}")
        distance = np.minimum(transform_distance(states > 0, frame.resolution), FAR)
        return cls(frame, footprint, states, distance, inflation or Inflation.of(footprint))

    @property
    def gap(self) -> float:
        """How far plans keep a body from the middles of occupied cells [m]: what is checked later is then free."""
        return self.inflation.margin + (self.footprint.spacing + self.frame.resolution) / 2

    @cached_property
    def costs(self) -> Floats:
        """What crossing each cell costs a planner, at least 1; infinity: blocked."""
        how, nearest = self.inflation, self.footprint.half_width + self.gap
        costs: Floats = 1.0 + how.weight * np.exp((nearest - self.distance) / how.falloff)
        costs[~self.turnable] += how.turning
        costs[self.distance < nearest] = math.inf
        costs[self.states < 0] = math.inf if how.unknown == "blocked" else costs[self.states < 0] + how.unknown
        return costs

    @cached_property
    def turnable(self) -> NDArray[np.bool_]:
        """Cells at which the body can turn on the spot."""
        able: NDArray[np.bool_] = self.distance >= self.footprint.circumscribed + self.gap
        return able

    @cached_property
    def tables(self) -> tuple[Floats, Floats, Floats, Floats]:
        """As kernels take it: distances, origin, outline, and the body's numbers."""
        origin = np.array([self.frame.x, self.frame.y, self.frame.resolution])
        return self.distance, origin, self.footprint.outline, self.footprint.numbers(self.inflation.margin)

    def clearance(self, pose: Pose) -> float:
        """How far the body's outline is from the nearest obstacle [m], or a bit less; below 0: they overlap."""
        return float(body_clearance(*self.tables, *pose)) - self.footprint.spacing / 2

    def is_free(self, pose: Pose) -> bool:
        """Whether the body fits there, with its margin."""
        return self.clearance(pose) >= self.inflation.margin

    def nearest_passable(self, x: float, y: float, reach: float) -> Cell | None:
        """The cell that is not blocked and nearest to a point [m], at most `reach` away; None: there is none."""
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
    """-1, 0 or 1 of each cell by the larger part of what was seen of it; unknown is only what was never seen.

    Cells at the edge of a wall are met and passed in turns: nobody has to go and look at them again.
    """
    return states_of(grid.log_odds)


def states_of(log_odds: NDArray[np.float32]) -> States:
    """As `seen_states`, for a part of a grid."""
    states: States = (log_odds > 0).astype(np.int8)
    states -= log_odds == 0
    return states


def pad(states: States, frame: GridFrame, x: float, y: float, reach: float) -> tuple[States, GridFrame]:
    """A grid with unknown cells around it where needed, so that it holds a square of `reach` around a point [m]."""
    (low, left), (high, right) = frame.cell(x - reach, y - reach), frame.cell(x + reach, y + reach)
    below, before = max(0, -low), max(0, -left)
    above, after = max(0, high + 1 - frame.rows), max(0, right + 1 - frame.columns)
    x0, y0 = frame.x - before * frame.resolution, frame.y - below * frame.resolution
    padded = np.pad(states, ((below, above), (before, after)), constant_values=-1)
    return padded, GridFrame(x0, y0, frame.resolution, *padded.shape)


def crop(
    values: NDArray[Value], frame: GridFrame, x: float, y: float, reach: float
) -> tuple[NDArray[Value], GridFrame]:
    """The part of a grid's values within a square of `reach` to each side of a point [m]."""
    (top, left), (bottom, right) = frame.cell(x - reach, y - reach), frame.cell(x + reach, y + reach)
    top, left = min(max(0, top), frame.rows), min(max(0, left), frame.columns)
    bottom, right = max(top, min(frame.rows, bottom + 1)), max(left, min(frame.columns, right + 1))
    x0, y0 = frame.x + left * frame.resolution, frame.y + top * frame.resolution
    return values[top:bottom, left:right], GridFrame(x0, y0, frame.resolution, bottom - top, right - left)
