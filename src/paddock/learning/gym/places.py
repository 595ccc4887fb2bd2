"""The free space of a scene: plots of its floor that robots can reach, and positions drawn from them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from paddock.core.errors import PaddockError
from paddock.core.geometry import bounding_radius
from paddock.learning.gym.env_tables import UNCOUNTED
from paddock.simulation.engine.model import ITEM_RADIUS, ITEM_X0, ITEM_X1, ITEM_Y0, ITEM_Y1, Floats
from paddock.simulation.worlds.build import BuiltWorld

Flags = NDArray[np.bool_]
MAX_PLOTS = 160_000
BATCH = 512  # positions tried at once
ROUNDS = 64


class FreeSpace:
    """The floor of a built world as square plots, and which of them a robot of some radius can reach."""

    def __init__(self, built: BuiltWorld, radius: float, plot: float) -> None:
        self.built, self.radius = built, radius
        x0, y0, x1, y1 = self.bounds = built.spec.bounds
        self.plot = max(plot, math.sqrt((x1 - x0) * (y1 - y0) / MAX_PLOTS))
        self.columns, self.rows = (max(1, math.ceil(side / self.plot)) for side in (x1 - x0, y1 - y0))
        self.free = self._largest(self._is_clear())
        if not self.free.any():
            raise PaddockError(
                f"{built.spec.name}: no free space for a robot of radius {radius:g} m: "
                "use a smaller robot or a larger world"
            )

    def one_tile(self) -> tuple[list[float], Floats]:
        """Return a single plot, for environments that do not use plots."""
        return [*self.bounds[:2], 1e-6, 1, 1, 1], np.zeros((1, 1))

    def tiles(self, side: float, goal: Floats | None) -> tuple[list[float], Floats]:
        """Return the floor in plots of about `side` [m]: their row (see PLOT_X …), and path lengths to a goal [m]."""
        factor = max(1, round(side / self.plot))
        rows, columns = math.ceil(self.rows / factor), math.ceil(self.columns / factor)
        ways = np.full((rows * factor, columns * factor), np.nan)
        ways[: self.rows, : self.columns] = self.ways_to(goal)
        free = np.zeros(ways.shape)
        free[: self.rows, : self.columns] = self.free
        known = np.isfinite(ways)
        mean = _blocks(np.where(known, ways, 0.0), factor) / np.maximum(_blocks(known, factor), 1e-9)
        counts = _blocks(free, factor) >= 0.5  # plots of which a robot can reach less than half do not count
        row = [*self.bounds[:2], 1.0 / (factor * self.plot), columns, rows, max(1.0, float(counts.sum()))]
        return row, np.where(counts, mean, UNCOUNTED - mean)

    def clearance(self, points: Floats) -> Floats:
        """Return the distance of every point, shape (n, 2), to the nearest object [m]."""
        items = self.built.model.items
        a, b = items[:, [ITEM_X0, ITEM_Y0]], items[:, [ITEM_X1, ITEM_Y1]]
        along = b - a
        length = np.maximum((along**2).sum(axis=1), 1e-12)
        share = np.clip(((points[:, None] - a) * along).sum(axis=2) / length, 0.0, 1.0)
        gap: Floats = (
            np.hypot(*np.moveaxis(points[:, None] - a - share[..., None] * along, 2, 0)) - items[:, ITEM_RADIUS]
        )
        nearest: Floats = gap.min(axis=1, initial=math.inf)
        return nearest

    def draw(self, count: int, rng: np.random.Generator, *, margin: float = 0.0, apart: float = 0.0) -> Floats:
        """Draw reachable positions, shape (count, 2), `margin` [m] from objects and `apart` from each other."""
        x0, y0, x1, y1 = self.bounds
        places: list[Floats] = []
        for _ in range(ROUNDS):
            points = rng.uniform((x0, y0), (x1, y1), (BATCH, 2))
            points = points[self.is_free(points)]
            gap = np.minimum(self.clearance(points), self._measure_things(points))
            for point in points[gap > self.radius + margin]:
                if apart == 0.0 or all(math.dist(point, other) > apart for other in places):
                    places.append(point)
                if len(places) == count:
                    return np.array(places)
        raise PaddockError(f"{self.built.spec.name}: found only {len(places)} of {count} positions for robots")

    def _measure_things(self, points: Floats) -> Floats:
        """Return the distance of every point, shape (n, 2), to the nearest circle around a thing [m]."""
        things = self.built.spec.things
        at = np.array([thing.at for thing in things]).reshape(-1, 2)
        radii = [bounding_radius(thing.shape) for thing in things]
        gap: Floats = (np.linalg.norm(points[:, None] - at, axis=2) - radii).min(axis=1, initial=math.inf)
        return gap

    def is_free(self, points: Floats) -> Flags:
        """Return whether the plots under some points can be reached."""
        columns, rows = self._cells(points)
        flags: Flags = self.free[rows, columns]
        return flags

    def ways_to(self, goal: Floats | None) -> Floats:
        """Return the path length from every plot to a goal [m], along plots; NaN where no robot can be."""
        near = _grown(self.free, diagonally=True)  # a robot may touch plots whose centre it cannot reach
        if goal is None:
            return np.where(near, 0.0, np.nan)
        columns, rows = self._cells(np.array([goal]))
        done = np.zeros_like(self.free)
        done[rows, columns] = True
        ways = np.where(done, 0.0, np.nan)
        step = idle = 0
        while idle < 2:  # four and eight neighbours alternately give nearly round rings
            step += 1
            more = _grown(done, diagonally=step % 2 == 0) & self.free & ~done
            ways[more], done = step * self.plot, done | more
            idle = 0 if more.any() else idle + 1
        for row, column in np.argwhere(near & ~self.free):
            around = ways[max(0, row - 1) : row + 2, max(0, column - 1) : column + 2][
                self.free[max(0, row - 1) : row + 2, max(0, column - 1) : column + 2]
            ]
            ways[row, column] = np.nanmin(around, initial=np.inf) + self.plot
        return np.where(np.isfinite(ways), ways, np.nan)

    def _cells(self, points: Floats) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        x0, y0 = self.bounds[:2]
        columns = np.clip(np.floor((points[:, 0] - x0) / self.plot), 0, self.columns - 1)
        rows = np.clip(np.floor((points[:, 1] - y0) / self.plot), 0, self.rows - 1)
        return columns.astype(np.int64), rows.astype(np.int64)

    def _is_clear(self) -> Flags:
        x0, y0 = self.bounds[:2]
        xs, ys = (np.arange(self.columns) + 0.5) * self.plot + x0, (np.arange(self.rows) + 0.5) * self.plot + y0
        middles = np.stack(np.meshgrid(xs, ys), axis=-1)
        return np.array([self.clearance(row) > self.radius for row in middles])

    @staticmethod
    def _largest(clear: Flags) -> Flags:
        """Return the largest connected component of the clear plots."""
        best, left = np.zeros_like(clear), clear.copy()
        while left.sum() > best.sum():
            part = np.zeros_like(clear)
            part.flat[left.argmax()] = True
            grown = _grown(part) & left
            while grown.sum() > part.sum():
                part, grown = grown, _grown(grown) & left
            left &= ~part
            best = part if part.sum() > best.sum() else best
        return best


def _grown(flags: Flags, *, diagonally: bool = False) -> Flags:
    """Return the flagged plots and their neighbours."""
    grown = flags.copy()
    grown[1:] |= flags[:-1]
    grown[:-1] |= flags[1:]
    rows = grown.copy() if diagonally else flags
    grown[:, 1:] |= rows[:, :-1]
    grown[:, :-1] |= rows[:, 1:]
    return grown


def _blocks(table: NDArray[Any], factor: int) -> Floats:
    """Return the means of square blocks."""
    rows, columns = (size // factor for size in table.shape)
    means: Floats = table.reshape(rows, factor, columns, factor).mean(axis=(1, 3))
    return means
