"""Data preparation for charts: non-empty ranges, interrupted and thinned lines, histogram bins."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from paddock.report.drawing.canvas import round_length

Floats = NDArray[np.float64]
Ints = NDArray[np.int_]

GAP = 8.0  # a line is interrupted where a step is larger than this many median steps
MAX_BARS = 60
MAX_COLUMNS = 2000  # columns of a long line; the extremes of each column are kept


def range_of(columns: Iterable[ArrayLike], *, margin: float = 0.06) -> tuple[float, float]:
    """Return the range of all finite values with a margin; never empty."""
    parts = [np.asarray(column, float).ravel() for column in columns]
    every = np.concatenate([part[np.isfinite(part)] for part in parts]) if parts else np.empty(0)
    low, high = (float(every.min()), float(every.max())) if len(every) else (0.0, 1.0)
    if high - low <= 1e-9 * max(abs(low), abs(high)):
        around = 0.1 * abs(low) or 1.0
        return (low, low + around) if margin == 0 else (low - around, high + around)
    return low - margin * (high - low), high + margin * (high - low)


def break_gaps(x: Floats, y: Floats) -> tuple[Floats, Floats]:
    """Return the finite values of a line, with a NaN at long gaps, where the line is interrupted."""
    known = np.isfinite(x) & np.isfinite(y)
    x, y = x[known], y[known]
    steps = np.diff(x)
    usual = float(np.median(steps)) if len(steps) else 0.0
    breaks = np.flatnonzero(steps > max(GAP * usual, 1e-300)) + 1
    return np.insert(x, breaks, math.nan), np.insert(y, breaks, math.nan)


def thin_line(x: Floats, y: Floats, columns: int = MAX_COLUMNS) -> tuple[Floats, Floats]:
    """Reduce a long line to at most four points per column: first, lowest, highest, last. No spike is lost."""
    if len(x) <= 4 * columns:
        return x, y
    low, high = float(np.nanmin(x)), float(np.nanmax(x))
    column = np.floor((x - low) / ((high - low) or 1.0) * columns)
    known = np.isfinite(column)
    first = np.flatnonzero((column != np.append(math.nan, column[:-1])) & known)
    last = np.append(first[1:], len(x)) - 1
    last -= ~known[last]  # a gap ends the column before it
    places = np.sort(np.stack([first, _extremes(y, first, last, -1.0), _extremes(y, first, last, 1.0), last]), axis=0)
    gaps = np.flatnonzero(~known)
    kept = np.sort(np.append(places.T.ravel(), gaps))
    return x[kept], y[kept]


def _extremes(y: Floats, first: Ints, last: Ints, sign: float) -> Ints:
    """Return the index of the highest value of each section, or of the lowest."""
    return np.array([a + int(np.argmax(sign * y[a : b + 1])) for a, b in zip(first, last, strict=True)], dtype=int)


def bin_shares(values: Floats, others: Iterable[float] = ()) -> tuple[Floats, Floats, int]:
    """Return round bin edges, the share of values in each bin [%], and the number of values outside of the edges."""
    values = values[np.isfinite(values)]
    if not len(values):
        return np.array([0.0, 1.0]), np.zeros(1), 0
    few, many = (float(part) for part in np.quantile(values, (0.01, 0.99)))
    low, high = max(float(values.min()), 2 * few - many), min(float(values.max()), 2 * many - few)
    near = 0.04 * (high - low)
    low, high = min([low, *(value - near for value in others)]), max([high, *(value + near for value in others)])
    if high - low <= 1e-9 * max(abs(low), abs(high)):
        around = 0.1 * abs(low) or 1.0
        low, high = low - around, high + around
    wanted = min(MAX_BARS, max(8, round(2 * len(values) ** (1 / 3))))  # Rice's rule
    step = round_length((high - low) / wanted)
    edges = np.arange(np.floor(low / step + 1e-9), np.ceil(high / step - 1e-9) + 1) * step
    outside = int(np.count_nonzero((values < edges[0] - 1e-9 * step) | (values > edges[-1] + 1e-9 * step)))
    counts, _ = np.histogram(np.clip(values, edges[0], edges[-1]), edges)
    return edges, 100.0 * counts / len(values), outside
