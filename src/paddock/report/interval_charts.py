"""Charts of means with confidence intervals: one row per item, or lines over a parameter."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from paddock.core.errors import PaddockError
from paddock.report.chart_style import TEXT, axes_width, new_axes, shorten, style_axes, text_width
from paddock.report.charts import Series, line_chart
from paddock.report.drawing.colours import LINES

if TYPE_CHECKING:
    from matplotlib.axes import Axes

ASIDE = 0.012  # offset between two lines, as a fraction of the axis
MAX_TICKS = 12  # maximum number of ticks at the values themselves


@dataclass(frozen=True, slots=True)
class IntervalSeries:
    """Means over x and the ends of their intervals; NaN if an end is unknown."""

    name: str
    color: str
    x: ArrayLike
    mean: ArrayLike
    low: ArrayLike
    high: ArrayLike


def interval_chart(
    title: str,
    names: Sequence[str],
    means: Sequence[float],
    lows: Sequence[float],
    highs: Sequence[float],
    *,
    x_name: str,
    about: str = "",
    color: str = LINES[0],
    ax: Axes | None = None,
) -> Axes:
    """Draw a row for every item, with its mean as a dot and its interval as a bar."""
    if not len(names) == len(means) == len(lows) == len(highs):
        raise PaddockError(f"interval chart: {len(names)} names for {len(means)}, {len(lows)} and {len(highs)} numbers")
    ax = ax if ax is not None else new_axes(height=1.1 + 0.3 * max(3, len(names)))
    rows = np.arange(len(names))
    ax.hlines(rows, lows, highs, color=color, alpha=0.45, linewidth=5.0)
    ax.plot(means, rows, "o", color=color, markersize=6.0)
    labels = [shorten(name, TEXT, 0.42 * axes_width(ax)) for name in names]
    widest = max((text_width(label, TEXT) for label in labels), default=0.0)
    style_axes(ax, title=title, about=about, x_name=x_name, y_name="", left_space=max(0.0, widest - 50.0))
    ax.set_yticks(rows, labels)
    ax.set_ylim(len(names) - 0.4, -0.6)
    ax.margins(x=0.06)
    ax.tick_params(axis="y", length=0)
    ax.spines["left"].set_visible(False)
    return ax


def interval_lines(
    title: str,
    series: Sequence[IntervalSeries],
    *,
    x_name: str,
    y_name: str,
    about: str = "",
    ax: Axes | None = None,
) -> Axes:
    """Draw lines of means over a common axis, with a bar for each interval. Lines have a small offset in x."""
    values = np.unique([x for each in series for x in np.asarray(each.x, float)])
    wide = float(np.ptp(values)) if len(values) > 1 else 1.0
    lines, bars = [], []
    for number, each in enumerate(series):
        x, mean, low, high = (np.asarray(part, float) for part in (each.x, each.mean, each.low, each.high))
        x = x + wide * ASIDE * (number - (len(series) - 1) / 2)
        lines.append(Series(each.name, each.color, x, mean, 1.2))
        if (low > mean).any() or (mean > high).any():
            raise PaddockError(f"interval lines: {each.name!r}: expected low <= mean <= high")
        bars.append((x, mean, [mean - low, high - mean]))
    ax = line_chart(title, lines, x_name=x_name, y_name=y_name, about=about, ax=ax)
    for each, (x, mean, ends) in zip(series, bars, strict=True):
        style: Any = {"color": each.color, "elinewidth": 2.2, "markersize": 5.0, "alpha": 0.85}
        ax.errorbar(x, mean, ends, fmt="o", label="_", **style)
    if len(values):
        ax.set_xlim(values[0] - 0.08 * wide, values[-1] + 0.08 * wide)
    if 1 < len(values) <= MAX_TICKS:
        ax.set_xticks(values, [f"{value:g}" for value in values])
    return ax
