"""Charts with matplotlib: lines, histograms, dots. Each draws into `ax` or a new figure, and returns the axes."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from paddock.core.errors import PaddockError
from paddock.core.geometry import Point
from paddock.report.chart_style import HEIGHT, TEXT, axes_width, shorten, style_axes, take_axes, text_width
from paddock.report.drawing.canvas import round_length
from paddock.report.drawing.colours import FAINT, TASKS, WHITE, darken

if TYPE_CHECKING:
    from matplotlib.axes import Axes


Floats = NDArray[np.float64]
Ints = NDArray[np.int_]

GAP = 8.0  # a line is interrupted where a step is larger than this many median steps
MAX_BARS = 60
MAX_COLUMNS = 2000  # columns of a long line; the extremes of each column are kept
Spans = Sequence[tuple[str, float, float]]
"""Names of tasks, each with its start and end."""
MAX_ENTRIES = 12  # maximum number of legend entries
LONGEST_ENTRY = 150.0  # width that a legend entry may have in any case [points]
KEY_WIDTH = 40.0  # width of its symbol and of the gap to the next entry [points]
BAND = 13.0  # height of the band above a plot with the names of tasks [points]


def find_range(columns: Iterable[ArrayLike], *, margin: float = 0.06) -> tuple[float, float]:
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


@dataclass(frozen=True, slots=True)
class Series:
    """A line of a chart. Values that are not finite are left out. x must not decrease."""

    name: str
    color: str
    x: ArrayLike
    y: ArrayLike
    width: float = 1.4  # points
    mark: Point | None = None  # a point of the line to mark


class Level(NamedTuple):
    """A horizontal or vertical line across a chart, at a value."""

    name: str
    color: str
    value: float
    dashed: bool = False


@dataclass(frozen=True, slots=True)
class DotSeries:
    """Dots of one colour."""

    name: str
    color: str
    values: Sequence[float]  # one for every row; values <= 0 are left out


def line_chart(
    title: str,
    series: Sequence[Series],
    *,
    x_name: str,
    y_name: str,
    about: str = "",
    spans: Spans = (),
    levels: Sequence[Level] = (),
    marks: Sequence[Level] = (),
    log_x: bool = False,
    mark: str = "",
    ax: Axes | None = None,
) -> Axes:
    """Draw lines over a common x axis.

    Args:
        title: title of the chart.
        series: the lines.
        x_name: label of the x axis, with its unit: "time [s]".
        y_name: label of the y axis.
        about: subtitle.
        spans: tasks to shade and label.
        levels: horizontal lines.
        marks: vertical lines, with their names next to them.
        log_x: whether the x axis is logarithmic.
        mark: legend text of the marked points of the series.
        ax: axes to draw into; None: a new figure.
    """
    ax, own = take_axes(ax)
    for line in series:
        x, y = break_gaps(*_columns(line, log_x))
        x, y = (x, y) if log_x else thin_line(x, y)
        lone = {"marker": "o", "markersize": 2 * line.width} if np.isfinite(y).sum() == 1 else {}
        ax.plot(x, y, color=line.color, linewidth=line.width, label=line.name, solid_joinstyle="round", **lone)  # type: ignore[arg-type]
    for level in levels:
        ax.axhline(level.value, color=level.color, linewidth=1.5, linestyle=_style(level), label=level.name)
    marked = [line for line in series if line.mark is not None]
    for line in marked:
        ax.plot(*([part] for part in line.mark or ()), "o", **_dot(line.color))
    if mark and marked:
        ax.plot([], [], "o", label=mark, **_dot(FAINT))
    places: list[ArrayLike] = [
        *(_columns(line, log_x)[0] for line in series),
        [x for span in spans for x in span[1:]],
        [level.value for level in marks],
    ]
    ax.set_xlim(*find_range(places, margin=0.0 if not marks else 0.02))
    if log_x:
        scale_log_x(ax)
    unlabelled = draw_spans(ax, spans)
    for level in marks:
        draw_mark(ax, level)
    band = BAND if any(name for name, *_ in spans) else 0.0
    style_axes(ax, title=title, about=about, x_name=x_name, y_name=y_name, above=band)
    add_legend(ax, unlabelled, grow=own)
    return ax


def _columns(line: Series, log_x: bool) -> tuple[Floats, Floats]:
    """Return the numbers of a line; on a logarithmic axis without those where x is not positive."""
    try:
        x, y = np.asarray(line.x, float).ravel(), np.asarray(line.y, float).ravel()
    except (TypeError, ValueError):
        raise PaddockError(f"line {line.name!r}: expected numbers") from None
    if len(x) != len(y):
        raise PaddockError(f"line {line.name!r}: expected as many values of y as of x, got {len(y)} and {len(x)}")
    return (x[x > 0], y[x > 0]) if log_x else (x, y)


def histogram(
    title: str,
    values: ArrayLike,
    *,
    x_name: str,
    color: str,
    about: str = "",
    levels: Sequence[Level] = (),
    ax: Axes | None = None,
) -> Axes:
    """Draw a histogram. The outermost bars also count outliers. Levels are vertical lines."""
    ax, own = take_axes(ax)
    edges, shares, outside = bin_shares(np.asarray(values, float), [level.value for level in levels])
    far = f"{outside} value{'s' if outside > 1 else ''} beyond the axis in the outermost bars" if outside else ""
    widths = np.diff(edges)
    ax.bar(edges[:-1] + 0.04 * widths, shares, 0.92 * widths, align="edge", color=color, alpha=0.75)
    for level in levels:
        ax.axvline(level.value, color=level.color, linewidth=1.5, linestyle=_style(level), label=level.name)
    ax.set_xlim(float(edges[0]), float(edges[-1]))
    ax.set_ylim(0.0, 1.08 * float(shares.max(initial=0.0)) or 1.0)
    words = " · ".join(part for part in (about, far) if part)
    style_axes(ax, title=title, about=words, x_name=x_name, y_name="share [%]")
    add_legend(ax, [], grow=own)
    return ax


def dot_chart(
    title: str,
    names: Sequence[str],
    dots: Sequence[DotSeries],
    *,
    x_name: str,
    about: str = "",
    ax: Axes | None = None,
) -> Axes:
    """Draw a row for every measured quantity, with a dot for every method, on a logarithmic axis."""
    for series in dots:
        if len(series.values) != len(names):
            raise PaddockError(f"dots {series.name!r}: expected {len(names)} values, got {len(series.values)}")
    ax, own = take_axes(ax, height=1.1 + 0.34 * max(3, len(names)))
    known = [value for series in dots for value in series.values if 0 < value < math.inf] or [1.0]
    ax.set_xlim(*_widen(min(known), max(known)))
    scale_log_x(ax)
    for series in dots:
        rows = [row for row, value in enumerate(series.values) if 0 < value < math.inf]
        ax.plot([series.values[row] for row in rows], rows, "o", label=series.name, **_dot(series.color))
    for row in range(len(names)):
        found = sorted((s.values[row], s.color) for s in dots if 0 < s.values[row] < math.inf)
        if found:
            ax.plot([found[0][0], found[-1][0]], [row, row], color=FAINT, alpha=0.45, linewidth=1.3, label="_")
        for place, (value, color) in enumerate(found):
            _label_dot(ax, (value, row), color, place, len(found))
    labels = [shorten(name, TEXT, 0.48 * axes_width(ax)) for name in names]
    widest = max((text_width(label, TEXT) for label in labels), default=0.0)
    style_axes(ax, title=title, about=about, x_name=x_name, y_name="", left_space=max(0.0, widest - 50.0))
    ax.set_yticks(range(len(names)), labels)
    ax.set_ylim(len(names) - 0.4, -0.6)
    ax.tick_params(axis="y", length=0)
    ax.spines["left"].set_visible(False)
    add_legend(ax, [], grow=own)
    return ax


def _widen(low: float, high: float) -> tuple[float, float]:
    """Return the limits of a logarithmic axis with space for numbers on both sides."""
    around = 1.5 * (high / low) ** 0.15
    return low / around, high * around


def _label_dot(ax: Axes, at: Point, color: str, place: int, count: int) -> None:
    """Write the value of a dot: the first to its left, the last to its right, others alternately above and below."""
    x, y = at
    side: Any
    if place == count - 1:
        side = {"xytext": (7, 0), "ha": "left", "va": "center"}
    elif place == 0:
        side = {"xytext": (-7, 0), "ha": "right", "va": "center"}
    else:
        side = {"xytext": (0, 5 if place % 2 else -5), "ha": "center", "va": "bottom" if place % 2 else "top"}
    ax.annotate(f"{x:.3g}", (x, y), textcoords="offset points", fontsize=8, color=darken(color, 0.25), **side)


def draw_mark(ax: Axes, mark: Level) -> None:
    """Draw a vertical line with its name next to it, on the side with more space."""
    low, high = ax.get_xlim()
    right = mark.value > (low + high) / 2
    ax.axvline(mark.value, color=mark.color, linewidth=1.3, linestyle=_style(mark), label="_")
    place: Any = {"textcoords": "offset points", "xytext": (-5 if right else 5, 4), "ha": "right" if right else "left"}
    text = shorten(mark.name, TEXT, axes_width(ax) / 2)
    ax.annotate(text, (mark.value, 0.0), xycoords=ax.get_xaxis_transform(), fontsize=TEXT, color=mark.color, **place)


def draw_spans(ax: Axes, spans: Spans) -> list[tuple[str, str]]:
    """Shade tasks and label them in a band above the plot. Return names and colours of those that do not fit."""
    (low, high), wide = ax.get_xlim(), axes_width(ax)
    top = 1.0 + BAND / (72 * HEIGHT * 0.62)
    across: Any = {"transform": ax.get_xaxis_transform()}
    band: Any = {"edgecolor": WHITE, "linewidth": 1.0, "clip_on": False}  # the edge separates tasks of the same name
    unlabelled = []
    for name, color in span_colors([span for span in spans if span[0]]).items():
        places = [(start, end) for task, start, end in spans if task == name]
        bars = [(start, end - start) for start, end in places]
        ax.broken_barh(bars, (0.0, 1.0), color=color, alpha=0.08, zorder=0, linewidth=0, **across)
        ax.broken_barh(bars, (1.0, top - 1.0), facecolor=color, alpha=0.30, **band, **across)
        needed = (text_width(name, 8.0) + 6.0) * (high - low) / wide
        middles = [(start + end) / 2 for start, end in places if end - start >= needed]
        for x in middles:
            label: Any = {"ha": "center", "va": "center", "fontsize": 8.0, "transform": ax.get_xaxis_transform()}
            ax.text(x, (1.0 + top) / 2, shorten(name, 8.0, wide), **label)
        if not middles:
            unlabelled.append((name, color))
    return unlabelled


def add_legend(ax: Axes, blocks: Sequence[tuple[str, str]], *, grow: bool) -> None:
    """Add a legend in rows below the plot. If `grow`, the figure is enlarged by the height of the rows."""
    from matplotlib.patches import Patch
    from matplotlib.transforms import ScaledTranslation

    handles, names = ax.get_legend_handles_labels()
    handles += [Patch(color=color, alpha=0.45) for _, color in blocks]
    names += [name for name, _ in blocks]
    if not names:
        return
    if len(names) > MAX_ENTRIES:
        names = [*names[: MAX_ENTRIES - 1], f"and {len(names) - MAX_ENTRIES + 1} more"]
        handles = [*handles[: MAX_ENTRIES - 1], Patch(color=FAINT, alpha=0.45)]
    longest = max(LONGEST_ENTRY, axes_width(ax) / 2 - KEY_WIDTH - 1.0)  # at least two entries in a row
    if len({shorten(name, TEXT, longest) for name in names}) < len(set(names)):  # they differ at their ends
        longest = axes_width(ax) - KEY_WIDTH - 1.0
    names = [shorten(name, TEXT, longest) for name in names]
    widest = max(text_width(name, TEXT) for name in names) + KEY_WIDTH
    columns = max(1, min(len(names), int(axes_width(ax) / widest)))
    figure: Any = ax.figure
    below = ax.transAxes + ScaledTranslation(0.0, -38 / 72, figure.dpi_scale_trans)
    where: Any = {"loc": "upper left", "bbox_to_anchor": (0.0, 0.0), "bbox_transform": below, "borderaxespad": 0.0}
    ax.legend(handles, names, ncols=columns, frameon=False, fontsize=TEXT, borderpad=0.0, **where)
    if grow:
        rows = math.ceil(len(names) / columns)
        figure.set_figheight(figure.get_figheight() + 0.2 * (rows - 1))


def scale_log_x(ax: Axes) -> None:
    """Set a logarithmic x axis with ticks at 1, 2, 5, 10 …, or at powers of ten if there are many."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

    low, high = ax.get_xlim()
    ax.set_xscale("log")
    ax.set_xlim(low, high)
    ax.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5) if math.log10(high / low) < 3.5 else (1,)))
    ax.xaxis.set_minor_locator(NullLocator())
    ax.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))


def span_colors(spans: Spans) -> dict[str, str]:
    """Return a colour for every task, in order of their start."""
    names = dict.fromkeys(name for name, *_ in spans)
    return {name: TASKS[i % len(TASKS)] for i, name in enumerate(names)}


def _dot(color: str) -> dict[str, Any]:
    return {"color": color, "markeredgecolor": WHITE, "markersize": 7.5, "zorder": 4}


def _style(level: Level) -> str:
    return "--" if level.dashed else "-"
