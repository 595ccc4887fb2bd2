"""Charts of camera measurements: positions and directions of errors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from paddock.core.errors import PaddockError
from paddock.report.drawing.colours import BEST, ERROR, INK, RIGHT
from paddock.report.figures import TEXT, new_axes, style_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LONGEST_ARROW = 0.06  # of the chart's width; length of the 98th percentile of the errors


def error_map(
    places: ArrayLike,
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
        places: positions of the errors, shape (N, 2).
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

    at, off = np.asarray(places, float).reshape(-1, 2), np.asarray(errors, float).reshape(-1, 2)
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
