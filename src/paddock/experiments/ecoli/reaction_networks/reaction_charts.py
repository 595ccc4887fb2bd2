"""Charts of reaction networks: pools over time, step response, dose response."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from paddock.core.errors import PaddockError
from paddock.experiments.ecoli.reaction_networks import DoseResponse, StepResponse, TimeCourse
from paddock.experiments.ecoli.reaction_networks.reaction_spec import Floats
from paddock.report.chart_style import TEXT, TITLE, WIDTH, new_axes, shorten, style_axes, take_axes
from paddock.report.charts import Level, Series, add_legend, line_chart, scale_log_x
from paddock.report.drawing.colours import FAINT, INK, LINES, PAPER, line_color

if TYPE_CHECKING:
    from matplotlib.axes import Axes

PANEL = (2.6, 1.45)  # inches
MAX_COLUMNS, MAX_PANELS = 5, 60
MAX_STEPS = 12  # maximum number of marked input steps
LEAST_CHANGE = 1e-4  # minimum relative change of a pool to be shown


def pools_chart(
    course: TimeCourse,
    names: Sequence[str] | None = None,
    *,
    title: str | None = None,
    about: str = "",
    ax: Axes | None = None,
) -> Axes:
    """Draw pools over time, one panel per pool with its own scale. Dashed lines are steps of the input.

    Args:
        course: result of `simulate`.
        names: names of the pools; None: all that change.
        title: title of the chart; None: that of the network.
        about: additional text in the line below the panels.
        ax: axes that the panels replace; None: a new figure.

    Returns:
        These axes, or in a new figure the axes of the first panel.
    """
    network = course.network
    shown = [name for name in network.names if does_change(course[name])] if names is None else list(names)
    if not shown:
        shown = [network.output or network.names[0]]
    if len(shown) > MAX_PANELS:
        raise PaddockError(f"{network.name}: {len(shown)} pools change: choose at most {MAX_PANELS}, names=[…]")
    columns = min(MAX_COLUMNS, math.ceil(math.sqrt(len(shown))))
    rows = math.ceil(len(shown) / columns)
    size = {"width": max(WIDTH, PANEL[0] * columns), "height": 1.0 + PANEL[1] * rows}
    part = free_figure(new_axes(**size)) if ax is None else take_place(ax)
    panels = part.subplots(rows, columns, sharex=True, squeeze=False).ravel()
    for name, panel in zip(shown, panels, strict=False):
        draw_pool(panel, course, name)
    for panel in panels[len(shown) :]:
        panel.set_axis_off()
    for panel in panels[len(shown) - columns : len(shown)]:
        panel.tick_params(labelbottom=True)
    title = network.title or network.name if title is None else title
    room = 72 * part.bbox.width / part.dpi - 20
    part.suptitle(shorten(title, TITLE, room), fontsize=TITLE, color=INK, x=0.012, ha="left")
    words = " · ".join(word for word in ("time [s]", about, "each panel has its own scale") if word)
    part.supxlabel(shorten(words, TEXT, room), fontsize=TEXT, color=INK)
    return panels[0] if ax is None else ax  # type: ignore[no-any-return]


def free_figure(ax: Axes) -> Any:
    """Remove axes from their figure and return the figure."""
    figure = ax.figure
    ax.remove()
    return figure


def take_place(ax: Axes) -> Any:
    """Return a subfigure at the position of axes, which stay there, empty."""
    place = ax.get_subplotspec()
    if place is None:
        raise PaddockError("ax: expected axes of a grid, created by figure.subplots(), as the panels replace them")
    ax.set_axis_off()
    part: Any = ax.figure.add_subfigure(place)
    part.set_facecolor("none")
    return part


def does_change(values: Floats) -> bool:
    """Whether a pool changes visibly."""
    return bool(np.ptp(values) > LEAST_CHANGE * np.abs(values).max())


def draw_pool(ax: Axes, course: TimeCourse, name: str) -> None:
    """Draw a panel with one pool, its name above it, and the steps of the input."""
    from matplotlib.ticker import MaxNLocator

    network, values = course.network, course[name]
    roles = [role for role in ("input", "output") if getattr(network, role) == name]
    color = LINES[1] if "output" in roles else LINES[4] if "input" in roles else LINES[0]
    ax.set_facecolor(PAPER)
    ax.plot(course.times, values, color=color, linewidth=2.0 if roles else 1.5)
    for time in find_steps(course):
        ax.axvline(time, color=FAINT, linewidth=1.0, linestyle="--", zorder=1)
    ax.set_xlim(float(course.times[0]), float(course.times[-1]))
    ax.margins(y=0.12)
    style_axes(ax, title="", about="", x_name="", y_name="")
    ax.set_title(
        shorten(f"{name} ({roles[0]})" if roles else name, TEXT + 1, 72 * PANEL[0]),
        loc="left",
        fontsize=TEXT + 1,
        color=INK,
    )
    ax.yaxis.set_major_locator(MaxNLocator(4))
    ax.ticklabel_format(axis="y", useOffset=False)


def find_steps(course: TimeCourse) -> Floats:
    """Return the times of the input steps [s]; none if the input changes continuously."""
    if course.network.input is None:
        return np.zeros(0)
    changed = np.flatnonzero(np.diff(course[course.network.input]))
    return np.asarray(course.times[changed] if len(changed) <= MAX_STEPS else np.zeros(0))


def step_response_chart(
    responses: Sequence[StepResponse],
    *,
    y_name: str = "output",
    title: str = "Response to a step",
    about: str = "",
    ax: Axes | None = None,
) -> Axes:
    """Draw the observed quantity before and after steps of the input."""
    lines = [Series(f"{r.before:g} → {r.after:g}", line_color(i), r.times, r.values) for i, r in enumerate(responses)]
    rest = [Level("at rest", FAINT, responses[0].rest, True)] if responses else []
    return line_chart(title, lines, x_name="time after the step [s]", y_name=y_name, about=about, levels=rest, ax=ax)


def dose_response_chart(
    response: DoseResponse,
    *,
    x_name: str = "input after the step",
    y_name: str = "output",
    title: str = "Response to doses",
    about: str = "",
    ax: Axes | None = None,
) -> Axes:
    """Draw the first response to each dose, and the response after adaptation."""
    ax, own = take_axes(ax)
    order = np.argsort(response.doses)
    doses = response.doses[order]
    for name, color, values in (("first response", LINES[1], response.peaks), ("adapted", LINES[0], response.adapted)):
        ax.plot(doses, values[order], "o-", color=color, linewidth=1.4, markersize=3.5, label=name)
    ax.axhline(response.rest, color=FAINT, linewidth=1.5, linestyle="--", label="at rest")
    ax.set_xlim(float(doses[0]), float(doses[-1]))
    scale_log_x(ax)
    style_axes(ax, title=title, about=about, x_name=x_name, y_name=y_name)
    add_legend(ax, [], grow=own)
    return ax
