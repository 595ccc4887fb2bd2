"""Charts of SLAM and exploration: the map with paths, errors of relations, and coverage."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from paddock.core.geometry import Pose
from paddock.core.spec import rgb
from paddock.perception.mapping import MapView, OccupancyGrid
from paddock.perception.mapping.view import UNSEEN
from paddock.report.chart_style import style_axes, take_axes
from paddock.report.charts import Level, Series, add_legend, line_chart
from paddock.report.drawing.colours import (
    FAINT,
    GOAL,
    INK,
    LEFT,
    LINES,
    PAPER,
    RIGHT,
    START_POSE,
    WHITE,
    blend,
    line_color,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from paddock.perception.mapping.logs import RelationErrors


MAX_PIXELS = 2000  # maximum size of a map's longer side; larger maps are downsampled, keeping every occupied cell
SIDE = 9.0  # inches
SMALLEST = 0.001  # smallest error that is shown [m]
WIDTH, MAX_HEIGHT = 8.0, 10.0  # inches
LABELS = 0.6  # width of the labels of the y axis [inches]
UNKNOWN_COLOR, UNSURE_COLOR = "#cfccc3", "#96938b"  # the latter for occupancies near 50 %
FRONTIER, PLAN = LINES[2], LINES[5]  # as on the live page
MARGIN = 0.5  # around the known area [m]


def map_chart(
    grid: OccupancyGrid,
    path: Sequence[Pose],
    *,
    loops: Sequence[tuple[Pose, Pose]] = (),
    title: str = "Map",
    about: str = "",
    ax: Axes | None = None,
) -> Axes:
    """Draw a map with the path of the robot and the detected loop closures.

    Args:
        grid: white is free, dark is occupied.
        path: poses of the robot.
        loops: pairs of poses that were detected to be near each other.
        title: title of the chart.
        about: subtitle.
        ax: axes to draw into; None: a new figure.
    """
    ax, own = take_axes(ax, width=SIDE, height=SIDE)
    picture, extent = map_picture(grid)
    ax.imshow(picture, extent=extent, origin="lower", interpolation="nearest")
    for k, (first, second) in enumerate(loops):
        name = f"{len(loops)} loops" if k == 0 else "_"
        ax.plot([first.x, second.x], [first.y, second.y], color=RIGHT, linewidth=1.0, label=name, zorder=3)
    places = _places(path)
    ax.plot(places[:, 0], places[:, 1], color=LEFT, linewidth=0.8, label="path of the robot")
    ax.set_aspect("equal")
    style_axes(ax, title=title, about=about, x_name="x [m]", y_name="y [m]")
    add_legend(ax, [], grow=own)
    return ax


def _places(poses: Sequence[Pose]) -> NDArray[np.float64]:
    return np.array(poses, float).reshape(-1, 3)


def map_picture(grid: OccupancyGrid) -> tuple[np.ndarray, tuple[float, float, float, float]]:
    """Return the known part of a map as colours, and its left, right, lower and upper edges [m]."""
    states = grid.states()
    known = np.argwhere(states >= 0)
    low, high = (known.min(0), known.max(0) + 1) if len(known) else (np.zeros(2, int), np.array(states.shape))
    states = states[low[0] : high[0], low[1] : high[1]]
    factor = -(-max(states.shape) // MAX_PIXELS)
    padding = [(0, -size % factor) for size in states.shape]
    padded = np.pad(states, padding, constant_values=-1)
    blocks = padded.reshape(padded.shape[0] // factor, factor, padded.shape[1] // factor, factor)
    shown = blocks.max(axis=(1, 3))  # unknown < free < occupied
    colours = np.array([rgb("#d9d7d0"), rgb(WHITE), rgb(INK)], np.uint8)
    frame = grid.frame
    x, y = frame.x + low[1] * frame.resolution, frame.y + low[0] * frame.resolution
    width, height = (size * factor * frame.resolution for size in (shown.shape[1], shown.shape[0]))
    return colours[shown + 1], (x, x + width, y, y + height)


def path_chart(paths: dict[str, Sequence[Pose]], *, title: str = "Paths", ax: Axes | None = None) -> Axes:
    """Draw the paths of a robot from different estimates, in the same frame.

    Args:
        paths: poses, by name of the estimate.
        title: title of the chart.
        ax: axes to draw into; None: a new figure.
    """
    ax, own = take_axes(ax, width=SIDE, height=SIDE)
    for k, (name, poses) in enumerate(paths.items()):
        places = _places(poses)
        ax.plot(places[:, 0], places[:, 1], color=line_color(k - 1) if k else FAINT, linewidth=1.2, label=name)
    ax.set_facecolor(PAPER)
    ax.set_aspect("equal")
    style_axes(ax, title=title, about="", x_name="x [m]", y_name="y [m]")
    add_legend(ax, [], grow=own)
    return ax


def relations_chart(errors: dict[str, RelationErrors], *, title: str = "", ax: Axes | None = None) -> Axes:
    """Draw the cumulative share of relations over their error.

    Args:
        errors: errors of the relations, by name of the estimate.
        title: title of the chart; empty: the number of relations of the first estimate.
        ax: axes to draw into; None: a new figure.
    """
    ax, own = take_axes(ax)
    largest = SMALLEST
    for k, (name, found) in enumerate(errors.items()):
        values = np.maximum(np.sort(found.translation), SMALLEST)
        share = 100 * (np.arange(len(values)) + 1) / max(len(values), 1)
        about = f"{name}: mean {found.translation.mean():.3f} m" if len(values) else name
        ax.step(values, share, where="post", color=line_color(k), linewidth=1.4, label=about)
        largest = max(largest, *values)
    ax.set_xscale("log")
    ax.set_xlim(SMALLEST, 1.2 * largest)
    ax.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
    count = len(next(iter(errors.values())).translation) if errors else 0
    name = title or f"{count} relations"
    style_axes(ax, title=name, about="", x_name="error of the translation [m]", y_name="relations with less [%]")
    add_legend(ax, [], grow=own)
    return ax


# Colours of occupancies in percent: white to grey, then a darker grey to black, so that free and occupied differ.
SHADES = np.array(
    [rgb(blend(WHITE, UNKNOWN_COLOR, k / 60) if k <= 50 else blend(UNSURE_COLOR, INK, k / 50 - 1)) for k in range(101)],
    np.uint8,
)


def map_view_chart(
    view: MapView, path: ArrayLike = (), *, title: str = "Map", about: str = "", ax: Axes | None = None
) -> Axes:
    """Draw the map of a controller: free cells white, occupied ones dark, unknown ones grey.

    Args:
        view: the map.
        path: path of the robot, x, y [m], shape (n, 2) or more columns.
        title: title of the chart.
        about: subtitle.
        ax: axes to draw into; None: a new figure.
    """
    x0, y0, x1, y1 = known_bounds(view)
    ax, own = take_axes(ax, width=WIDTH, height=min(MAX_HEIGHT, 1.4 + (WIDTH - LABELS) * (y1 - y0) / (x1 - x0)))
    colours = np.where(view.cells[..., None] == UNSEEN, rgb(UNKNOWN_COLOR), SHADES[np.minimum(view.cells, 100)])
    left, low, right, high = view.frame.bounds
    ax.imshow(colours.astype(np.uint8), extent=(left, right, low, high), origin="lower", interpolation="nearest")
    ax.set_facecolor(UNKNOWN_COLOR)
    places = np.asarray(path, float)[:, :2] if len(path) else np.empty((0, 2))  # type: ignore[arg-type]
    ax.plot(*places.T, color=LINES[0], linewidth=1.1, label="path of the robot" if len(places) else "_")
    if len(view.plan):
        ax.plot(*view.plan.T, color=PLAN, linewidth=1.6, label="plan")
    for points, color, marker, name in (
        (places[:1], START_POSE, "s", "start"),
        (places[-1:], LINES[0], "o", "end"),
        (view.frontiers, FRONTIER, "o", "frontiers"),
        (view.goal, GOAL, "*", "goal"),
    ):
        if len(points):
            ax.plot(*points.T, color=color, marker=marker, linestyle="", markersize=7, label=name)
    for color, name in ((WHITE, "free"), (INK, "occupied"), (UNKNOWN_COLOR, "unknown")):
        ax.plot([], [], color=color, marker="s", linestyle="", markersize=8, markeredgecolor=FAINT, label=name)
    ax.set_xlim(x0, x1)
    ax.set_ylim(y0, y1)
    ax.set_aspect("equal")
    style_axes(ax, title=title, about=about, x_name="x [m]", y_name="y [m]")
    add_legend(ax, [], grow=own)
    return ax


def known_bounds(view: MapView) -> tuple[float, float, float, float]:
    """Return a rectangle around the known cells, x0, y0, x1, y1 [m]; the whole map if none is known."""
    known = np.argwhere(view.cells != UNSEEN)
    if not len(known):
        return view.frame.bounds
    (x0, y0), (x1, y1) = view.frame.centres(np.array([known.min(axis=0), known.max(axis=0)])).tolist()
    return x0 - MARGIN, y0 - MARGIN, x1 + MARGIN, y1 + MARGIN


def coverage_chart(
    curves: Mapping[str, Sequence[tuple[float, float]]],
    *,
    total: float | None = None,
    title: str = "Known free space",
    ax: Axes | None = None,
) -> Axes:
    """Draw the known free space over time.

    Args:
        curves: times [s] and areas [m²], by name of the run.
        total: the observable free space [m²]; None: not shown.
        title: title of the chart.
        ax: axes to draw into; None: a new figure.
    """
    levels = [] if total is None else [Level("observable free space", FAINT, total, dashed=True)]
    series = [
        Series(name, line_color(k), *np.array(curve, float).reshape(-1, 2).T)
        for k, (name, curve) in enumerate(curves.items())
    ]
    ax = line_chart(title, series, x_name="time [s]", y_name="free space [m²]", levels=levels, ax=ax)
    ax.set_ylim(bottom=0)
    return ax
