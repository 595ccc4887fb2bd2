"""Grids: lists of obstacles per cell, so that the cost of neighbourhood queries does not depend on the world's size."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import repeat

import numpy as np

from paddock.core.errors import SpecError
from paddock.simulation.engine.model import ITEM_RADIUS, Floats, Ints
from paddock.simulation.worlds.world_spec import WorldSpec

MAX_CELLS = 250_000
MAX_ENTRIES = 10_000_000  # maximum number of entries in the lists of a grid's cells
LARGE_BOX = 4096  # cells; a segment with a larger bounding box is split


def build_grids(
    world: WorldSpec,
    items: Floats,
    *,
    bodies: Floats,
    travel: float,
    short_reach: float,
) -> tuple[Floats, Ints]:
    """Return the near, far and crowd rows of a Model's grids, and its cells.

    Args:
        world: the world whose bounds the grids cover.
        items: all obstacles, see the Model.
        bodies: radii of the robots [m].
        travel: maximum travel of a robot in a tick [m].
        short_reach: maximum reach of all short-range devices [m].
    """
    table = items[:, : ITEM_RADIUS + 1]  # a segment and its radius
    body = float(bodies.max(initial=0.0))
    x0, y0, x1, y1 = world.bounds
    if len(table):
        x0 = min(x0, float((np.minimum(table[:, 0], table[:, 2]) - table[:, 4]).min()))
        y0 = min(y0, float((np.minimum(table[:, 1], table[:, 3]) - table[:, 4]).min()))
        x1 = max(x1, float((np.maximum(table[:, 0], table[:, 2]) + table[:, 4]).max()))
        y1 = max(y1, float((np.maximum(table[:, 1], table[:, 3]) + table[:, 4]).max()))

    reach = max(short_reach, body * 1.25 + 2 * travel + 1e-3)
    near = _Grid(
        x0 - reach,
        y0 - reach,
        x1 + reach,
        y1 + reach,
        max(reach / 2, _coarse(x1 - x0 + 2 * reach, y1 - y0 + 2 * reach, MAX_CELLS)),
    )
    within = map(near.cells_within, table, near.spans(table, reach + near.cell), repeat(reach))
    near_lists = near.lists(_limit(within, world, len(table)))

    pieces_across = min(64, max(1, math.ceil(math.sqrt(len(table)))))
    far = _Grid(x0, y0, x1, y1, max(x1 - x0, y1 - y0) / pieces_across)
    spans = far.spans(table)
    far_lists = far.lists(_limit(map(far.cells_in, spans), world, len(table)))

    wide = reach + body + travel
    crowd = _Grid(x0, y0, x1, y1, max(wide, _coarse(x1 - x0, y1 - y0, 4 * len(bodies) + 64)))
    rows, cells, at = [], [], 0
    for grid, (starts, listed), more in (
        (near, near_lists, np.zeros(0, np.int64)),
        (far, far_lists, spans.ravel()),
    ):
        first = at + len(starts)
        rows.append(grid.row(starts=at, spans=first + len(listed), reach=reach, body=body))
        cells += [starts + first, listed, more]
        at = first + len(listed) + len(more)
    rows.append(crowd.row(starts=0, spans=0, reach=travel, body=body))
    return np.array(rows), np.concatenate(cells)


def _limit(lists: Iterator[Ints], world: WorldSpec, items: int) -> list[Ints]:
    """Return all lists of cells; raise a SpecError as soon as their total length is too large."""
    kept, entries = [], 0
    for i, cells in enumerate(lists):
        kept.append(cells)
        entries += len(cells)
        if entries > MAX_ENTRIES:
            raise SpecError(
                f"expected obstacles that cover at most {MAX_ENTRIES} grid cells in total, got {items} pieces "
                f"of which {i + 1} cover more: remove some or make them smaller",
                file=world.file,
            )
    return kept


def _coarse(width: float, height: float, cells: int) -> float:
    """Return the side of a cell [m] such that about `cells` cells cover an area, also if the area is a line."""
    return max(math.sqrt(width * height / cells), max(width, height) / cells)


class _Grid:
    def __init__(self, x0: float, y0: float, x1: float, y1: float, cell: float) -> None:
        self.x, self.y, self.cell = x0, y0, cell
        self.size = (max(1, math.ceil((x1 - x0) / cell)), max(1, math.ceil((y1 - y0) / cell)))

    def row(self, *, starts: int, spans: int, reach: float, body: float) -> list[float]:
        return [self.x, self.y, 1.0 / self.cell, *self.size, starts, spans, reach, body]

    def spans(self, items: Floats, margin: float = 0.0) -> Ints:
        """Return the first column and row and the last ones that each item's bounding box touches, shape (N, 4)."""
        ends, grow = (items[:, :2], items[:, 2:4]), items[:, 4:] + margin
        corners = np.hstack([np.minimum(*ends) - grow, np.maximum(*ends) + grow])
        cells = np.floor((corners - [self.x, self.y] * 2) / self.cell)
        return np.clip(cells, 0, np.array(self.size * 2) - 1).astype(np.int64)

    def cells_in(self, span: Ints) -> Ints:
        columns, rows = np.arange(span[0], span[2] + 1), np.arange(span[1], span[3] + 1)
        return (rows[:, None] * self.size[0] + columns[None, :]).ravel()

    def cells_within(self, item: Floats, span: Ints, reach: float) -> Ints:
        """Return the cells of a span with any point within reach of the item."""
        if item[4] == 0.0 and (span[2] - span[0] + 1) * (span[3] - span[1] + 1) > LARGE_BOX:
            half = np.concatenate([item[:2], (item[:2] + item[2:4]) / 2, item[4:]])
            rest = np.concatenate([half[2:4], item[2:]])
            spans = self.spans(np.array([half, rest]), reach + self.cell)
            return np.union1d(self.cells_within(half, spans[0], reach), self.cells_within(rest, spans[1], reach))
        cells = self.cells_in(span)
        x = self.x + (cells % self.size[0] + 0.5) * self.cell
        y = self.y + (cells // self.size[0] + 0.5) * self.cell
        px, py, qx, qy, radius = item
        ex, ey = qx - px, qy - py
        t = np.clip(((x - px) * ex + (y - py) * ey) / max(ex * ex + ey * ey, 1e-300), 0.0, 1.0)
        away = np.hypot(x - px - t * ex, y - py - t * ey) - radius
        near: Ints = cells[away <= reach + self.cell * 0.7072]
        return near

    def lists(self, cells: list[Ints]) -> tuple[Ints, Ints]:
        """Return the start index of each cell's list of items, and the concatenated lists."""
        count = self.size[0] * self.size[1]
        if not cells:
            return np.zeros(count + 1, np.int64), np.zeros(0, np.int64)
        cell = np.concatenate(cells)
        item = np.repeat(np.arange(len(cells)), [len(c) for c in cells])
        order = np.argsort(cell, kind="stable")
        start = np.zeros(count + 1, np.int64)
        np.cumsum(np.bincount(cell, minlength=count), out=start[1:])
        return start, item[order].astype(np.int64)
