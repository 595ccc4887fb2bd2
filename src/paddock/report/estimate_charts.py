"""Charts of estimators and cameras: consistency with its confidence band, error ellipses, UMBmark return errors."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from paddock.core.errors import PaddockError
from paddock.core.geometry import Pose
from paddock.perception.estimation import Band, Estimate, Umbmark, ellipse_axes
from paddock.report.chart_style import TEXT, new_axes, style_axes, take_axes
from paddock.report.charts import Level, Series, add_legend, line_chart
from paddock.report.drawing.colours import BEST, ERROR, FAINT, INK, LEFT, LINES, RIGHT, TARGET

if TYPE_CHECKING:
    from matplotlib.axes import Axes


HEADING = 14.0  # length of the line that shows a heading [points]
LONGEST_ARROW = 0.06  # of the chart's width; length of the 98th percentile of the errors


def consistency_chart(
    time: ArrayLike,
    values: ArrayLike,
    band: Band,
    *,
    name: str = "NEES",
    title: str = "",
    ax: Axes | None = None,
) -> Axes:
    """Draw NEES or NIS over time, on a logarithmic axis, with its confidence band.

    Args:
        time: time of each value [s].
        values: NEES or NIS; values <= 0 are left out.
        band: see `consistency_band`.
        name: name of the values.
        title: title of the chart; empty: derived from the name.
        ax: axes to draw into; None: a new figure.
    """
    shown = np.asarray(values, float)
    share = band.share_inside(shown[np.isfinite(shown)])
    ax = line_chart(
        title or f"{name}: are the errors consistent with the covariance?",
        [Series(name, LINES[0], time, np.where(shown > 0, shown, np.nan), width=1.0)],
        x_name="time [s]",
        y_name=name,
        about=f"{100 * share:.1f} % of the time in the band {band.low:.3g} … {band.high:.3g}",
        levels=[Level("_", FAINT, edge, dashed=True) for edge in band],
        ax=ax,
    )
    ax.set_yscale("log")
    ax.yaxis.set_major_formatter(lambda value, _: f"{value:g}")
    ax.yaxis.set_minor_formatter(lambda value, _: "")
    ax.axhspan(*band, color=TARGET, alpha=0.12, zorder=0)
    return ax


def draw_ellipse(
    estimate: Estimate, *, share: float = 0.95, color: str = LINES[0], label: str = "", ax: Axes | None = None
) -> Axes:
    """Draw the error ellipse of a position for a probability, with a mark at its centre and the heading."""
    from matplotlib.patches import Ellipse

    ax, own = take_axes(ax, width=6.0, height=6.0)
    pose, axes = estimate.pose, ellipse_axes(estimate.covariance, share)
    angle = math.degrees(axes.direction)
    ax.add_patch(
        Ellipse(pose[:2], 2 * axes.major, 2 * axes.minor, angle=angle, facecolor="none", edgecolor=color, linewidth=1.2)
    )
    ax.plot([pose.x], [pose.y], "+", color=color, markersize=6, label=label or "_")
    ahead = (HEADING * math.cos(pose.heading), HEADING * math.sin(pose.heading))
    line: Any = {"textcoords": "offset points", "arrowprops": {"arrowstyle": "-", "color": color, "shrinkB": 0}}
    ax.annotate("", pose[:2], ahead, **line)
    if own:
        style_axes(ax, title=f"{100 * share:g} % error ellipse", about="", x_name="x [m]", y_name="y [m]")
    ax.set_aspect("equal", adjustable="datalim")
    return ax


def umbmark_chart(before: Umbmark, after: Umbmark | None = None, *, title: str = "", ax: Axes | None = None) -> Axes:
    """Draw the return errors of odometry [mm] after each square, for both directions, before and after calibration."""
    ax, own = take_axes(ax, width=7.0, height=6.6)
    for mark, when, filled in ((before, "before", False), (after, "after", True)):
        if mark is None:
            continue
        for runs, word, color, shape in (
            (mark.clockwise, "clockwise", RIGHT, "o"),
            (mark.counterclockwise, "counter-clockwise", LEFT, "s"),
        ):
            _scatter(ax, 1000 * runs, f"{word}, {when}", color, shape, filled=filled)
    ax.axhline(0.0, color=FAINT, linewidth=0.8, label="_")
    ax.axvline(0.0, color=FAINT, linewidth=0.8, label="_")
    largest = [f"{1000 * mark.largest_error:.1f}" for mark in (before, after) if mark is not None]
    about = f"largest systematic error {' → '.join(largest)} mm; a cross is a centre of gravity"
    style_axes(ax, title=title or "UMBmark: return errors", about=about, x_name="x [mm]", y_name="y [mm]")
    ax.set_aspect("equal", adjustable="datalim")
    add_legend(ax, [], grow=own)
    return ax


def _scatter(ax: Axes, places: Any, name: str, color: str, shape: str, *, filled: bool) -> None:
    look: Any = {"color": color, "markersize": 6, "markerfacecolor": color if filled else "none", "linestyle": "none"}
    ax.plot(places[:, 0], places[:, 1], shape, label=name, **look)
    ax.plot(*([value] for value in places.mean(axis=0)), "+", color=color, markersize=12, label="_")


def ellipse_path(estimates: Sequence[Estimate], truth: Sequence[Pose] | None = None, *, ax: Axes | None = None) -> Axes:
    """Draw estimated positions with their ellipses, and the true path if given."""
    ax, own = take_axes(ax, width=7.0, height=6.0)
    if truth is not None:
        ax.plot([p[0] for p in truth], [p[1] for p in truth], color=TARGET, linewidth=1.0, label="true path")
    for k, estimate in enumerate(estimates):
        draw_ellipse(estimate, label="" if k else "estimate, 95 % ellipse", ax=ax)
    if own:
        style_axes(ax, title="Estimates and their ellipses", about="", x_name="x [m]", y_name="y [m]")
        add_legend(ax, [], grow=True)
    return ax


def error_map(
    positions: ArrayLike,
    errors: ArrayLike,
    *,
    unit: str,
    x_name: str,
    y_name: str,
    title: str = "Errors",
    about: str = "",
    down: bool = False,
    ax: Axes | None = None,
) -> Axes:
    """Draw errors as enlarged arrows at their positions, coloured by length.

    Args:
        positions: positions of the errors, shape (N, 2).
        errors: error vectors, shape (N, 2), in `unit`.
        unit: unit of the errors, such as "mm".
        x_name: label of the x axis, with its unit.
        y_name: label of the y axis.
        title: title of the chart.
        about: subtitle.
        down: whether the y axis points down, as in images.
        ax: axes to draw into; None: a new figure.
    """
    from matplotlib.colors import LinearSegmentedColormap

    at, off = np.asarray(positions, float).reshape(-1, 2), np.asarray(errors, float).reshape(-1, 2)
    if len(at) != len(off) or not len(at):
        raise PaddockError(f"error map: expected as many errors as places, got {len(off)} and {len(at)}")
    ax = ax if ax is not None else new_axes(height=5.4)
    lengths = np.hypot(off[:, 0], off[:, 1])
    longest = float(np.quantile(lengths, 0.98)) or 1.0
    width = float(np.ptp(at[:, 0])) or 1.0
    scale = longest / (LONGEST_ARROW * width)
    colors = LinearSegmentedColormap.from_list("paddock", [BEST, ERROR, RIGHT])
    how: Any = {
        "angles": "xy",
        "scale_units": "xy",
        "scale": scale,
        "width": 0.0022,
        "cmap": colors,
        "clim": (0, longest),
    }
    arrows = ax.quiver(at[:, 0], at[:, 1], off[:, 0], off[:, 1], lengths, **how)
    figure: Any = ax.figure
    bar = figure.colorbar(arrows, ax=ax, pad=0.02, shrink=0.85)
    bar.set_label(f"error [{unit}]", fontsize=TEXT, color=INK)
    bar.outline.set_visible(False)
    bar.ax.tick_params(labelsize=TEXT)
    mean = f"{len(at)} errors, enlarged: mean {lengths.mean():.2g}, largest {lengths.max():.2g} {unit}"
    style_axes(ax, title=title, about=" · ".join(filter(None, (about, mean))), x_name=x_name, y_name=y_name)
    ax.set_aspect("equal", adjustable="datalim")
    if down:
        ax.invert_yaxis()
    return ax
