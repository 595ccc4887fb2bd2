"""Charts of exploration: the map with frontiers, plan and goal, and the growth of the known free space."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from paddock.core.spec import rgb
from paddock.perception.mapping import MapView
from paddock.perception.mapping.view import UNSEEN
from paddock.report.charts import Level, Series, add_legend, line_chart
from paddock.report.drawing.colours import FAINT, GOAL, INK, LINES, START_POSE, WHITE, blend, line_color
from paddock.report.figures import style_axes, take_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

WIDTH, MAX_HEIGHT = 8.0, 10.0  # inches
LABELS = 0.6  # width of the labels of the y axis [inches]
UNKNOWN_COLOR, UNSURE_COLOR = "#cfccc3", "#96938b"  # the latter for occupancies near 50 %
FRONTIER, PLAN = LINES[2], LINES[5]  # as on the live page
MARGIN = 0.5  # around the known area [m]

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
    most: float | None = None,
    title: str = "Known free space",
    ax: Axes | None = None,
) -> Axes:
    """Draw the known free space over time.

    Args:
        curves: times [s] and areas [m²], by name of the run.
        most: the observable free space [m²]; None: not shown.
        title: title of the chart.
        ax: axes to draw into; None: a new figure.
    """
    levels = [] if most is None else [Level("observable free space", FAINT, most, dashed=True)]
    series = [
        Series(name, line_color(k), *np.array(curve, float).reshape(-1, 2).T)
        for k, (name, curve) in enumerate(curves.items())
    ]
    ax = line_chart(title, series, x_name="time [s]", y_name="free space [m²]", levels=levels, ax=ax)
    ax.set_ylim(bottom=0)
    return ax
