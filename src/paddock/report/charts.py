"""Line charts and histograms, drawn with Pillow in the look of the pictures of worlds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from PIL import Image

from paddock.core.geometry import Point
from paddock.draw.canvas import FAINT, round_length, tint
from paddock.episodes.trace import Floats, Span
from paddock.report.axes import Axes, Key, Range, draw_dot

GAP = 8.0  # times the usual step between two values: a line is broken there
MOST_BARS = 60


@dataclass(frozen=True, slots=True)
class Series:
    """A line of a chart; values that are not finite are left out. x never falls."""

    name: str
    color: str
    x: Floats
    y: Floats
    width: float = 1.8  # pixels
    mark: Point | None = None  # a place on the line to point out


class Level(NamedTuple):
    """A straight line across a chart, at a value."""

    name: str
    color: str
    value: float
    dashed: bool = False


def line_chart(
    title: str,
    series: Sequence[Series],
    *,
    x_name: str,
    y_name: str,
    about: str = "",
    spans: Sequence[Span] = (),
    levels: Sequence[Level] = (),
    log_x: bool = False,
    mark: str = "",
    size: int = 1000,
) -> Image.Image:
    """Lines over a common axis, `size` pixels wide; `mark` tells what marked places are."""
    x_range = range_of([one.x for one in series], [x for span in spans for x in span[1:]], margin=0.0)
    y_range = range_of([one.y for one in series], [level.value for level in levels])
    key = [Key("line", one.color, one.name) for one in series]
    key += [Key("dashed" if level.dashed else "line", level.color, level.name) for level in levels]
    if mark and any(one.mark for one in series):
        key.insert(0, Key("dot", FAINT, mark))
    axes = Axes(
        title,
        about,
        x_name=x_name,
        y_name=y_name,
        x_range=x_range,
        y_range=y_range,
        key=key,
        spans=spans,
        log_x=log_x,
        size=size,
    )
    left, _, right, _ = axes.plot
    for level in levels:
        draw_level(axes, level, axes.at(x_range[0], level.value), axes.at(x_range[1], level.value))
    for one in series:
        for part in parts(one.x, one.y):
            if log_x:
                points = list(zip(*(column.tolist() for column in part), strict=True))
            else:
                points = thinned(*part, x_range, round(right - left))
            pixels = [axes.at(x, y) for x, y in points]
            if len(pixels) > 1:
                axes.canvas.stroke(pixels, tint(one.color), one.width * axes.zoom)
            else:
                axes.canvas.dot(pixels[0], 1.5 * one.width * axes.zoom, tint(one.color))
    for one in series:
        if one.mark is not None:
            draw_dot(axes.canvas, axes.at(*one.mark), one.color, axes.zoom)
    return axes.canvas.finished()


def histogram(
    title: str,
    values: Floats,
    *,
    x_name: str,
    color: str,
    about: str = "",
    levels: Sequence[Level] = (),
    size: int = 1000,
) -> Image.Image:
    """How often values occur, `size` pixels wide; the few far away are counted in the outermost bars."""
    edges, shares, outside = bars(values, [level.value for level in levels])
    x_range = float(edges[0]), float(edges[-1])
    far = f"{outside} value{'s' if outside > 1 else ''} beyond the axis in the outermost bars" if outside else ""
    key = [Key("dashed" if level.dashed else "line", level.color, level.name) for level in levels]
    axes = Axes(
        title,
        " · ".join(part for part in (about, far) if part),
        x_name=x_name,
        y_name="share [%]",
        x_range=x_range,
        y_range=(0.0, 1.08 * float(shares.max(initial=0.0)) or 1.0),
        key=key,
        size=size,
    )
    for low, high, share in zip(edges[:-1], edges[1:], shares, strict=True):
        if share > 0:
            left, top = axes.at(low, share)
            right, bottom = axes.at(high, 0.0)
            axes.canvas.block((left + 0.7, min(top, bottom - 1.0), right - 0.7, bottom), tint(color, 0.75))
    for level in levels:
        draw_level(axes, level, (axes.at(level.value, 0)[0], axes.plot[1]), (axes.at(level.value, 0)[0], axes.plot[3]))
    return axes.canvas.finished()


def draw_level(axes: Axes, level: Level, start: Point, end: Point) -> None:
    """A straight line between two pixels, whole or dashed."""
    if level.dashed:
        axes.dashes(start, end, level.color, 2.0 * axes.zoom)
    else:
        axes.canvas.stroke([start, end], tint(level.color), 2.0 * axes.zoom)


def range_of(columns: Iterable[Floats], others: Iterable[float] = (), *, margin: float = 0.06) -> Range:
    """The range of all finite values, a little wider, and never empty."""
    every = np.concatenate([*(column[np.isfinite(column)] for column in columns), np.array(list(others), float)])
    low, high = (float(every.min()), float(every.max())) if len(every) else (0.0, 1.0)
    if high - low <= 1e-9 * max(abs(low), abs(high)):
        around = 0.1 * abs(low) or 1.0
        return (low, low + around) if margin == 0 else (low - around, high + around)
    return low - margin * (high - low), high + margin * (high - low)


def parts(x: Floats, y: Floats) -> Iterator[tuple[Floats, Floats]]:
    """The stretches of a line: it is broken where values are missing for long."""
    known = np.isfinite(x) & np.isfinite(y)
    x, y = x[known], y[known]
    if not len(x):
        return
    steps = np.diff(x)
    usual = float(np.median(steps)) if len(steps) else 0.0
    breaks = np.flatnonzero(steps > max(GAP * usual, 1e-300)) + 1
    yield from zip(np.split(x, breaks), np.split(y, breaks), strict=True)


def thinned(x: Floats, y: Floats, within: Range, columns: int) -> list[Point]:
    """At most four points in every column of pixels, so that no spike is lost: first, lowest, highest, last."""
    if len(x) <= 4 * columns:
        return list(zip(x.tolist(), y.tolist(), strict=True))
    wide = (within[1] - within[0]) / columns
    column = np.floor((x - within[0]) / wide)
    first = np.flatnonzero(np.diff(column, prepend=-np.inf))
    last = np.append(first[1:], len(x)) - 1
    middle = within[0] + (column[first] + 0.5) * wide
    heights = np.stack([y[first], np.minimum.reduceat(y, first), np.maximum.reduceat(y, first), y[last]], axis=1)
    return list(zip(np.repeat(middle, 4).tolist(), heights.ravel().tolist(), strict=True))


def bars(values: Floats, others: Iterable[float] = ()) -> tuple[Floats, Floats, int]:
    """Round edges of bars, the share of values in each [%], and how many lie beyond the edges."""
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
    wanted = min(MOST_BARS, max(8, round(2 * len(values) ** (1 / 3))))  # Rice's rule
    step = round_length((high - low) / wanted)
    edges = np.arange(np.floor(low / step + 1e-9), np.ceil(high / step - 1e-9) + 1) * step
    outside = int(np.count_nonzero((values < edges[0] - 1e-9 * step) | (values > edges[-1] + 1e-9 * step)))
    counts, _ = np.histogram(np.clip(values, edges[0], edges[-1]), edges)
    return edges, 100.0 * counts / len(values), outside
