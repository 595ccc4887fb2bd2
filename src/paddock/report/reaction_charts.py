"""Charts of reaction networks: pools over time, the answer to a step, answers to doses."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from paddock.draw.colours import FAINT, LINES, line_color
from paddock.reactions import DoseResponse, StepResponse, TimeCourse
from paddock.report.charts import Level, Series, add_legend, line_chart, scale_log_x
from paddock.report.figures import new_axes, style_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def pools_chart(
    course: TimeCourse,
    names: Sequence[str] | None = None,
    *,
    relative: bool = False,
    title: str | None = None,
    about: str = "",
    ax: Axes | None = None,
) -> Axes:
    """Pools over time.

    Args:
        course: what `simulate` gave.
        names: which pools; None: all that change.
        relative: show each relative to its own largest value, where they differ by much.
        title: the chart's name; None: the network's.
        about: more of it, in a smaller line.
        ax: axes to draw into; None: a figure of its own.
    """
    shown = [name for name in course.network.names if np.ptp(course[name]) > 0] if names is None else list(names)
    lines = []
    for i, name in enumerate(shown):
        values = course[name]
        scale = float(values.max()) if relative and values.max() > 0 else 1.0
        label = f"{name} / {scale:.3g}" if relative else name
        lines.append(Series(label, line_color(i), course.times, values / scale))
    title = course.network.title or course.network.name if title is None else title
    y_name = "share of the largest" if relative else "concentration"
    return line_chart(title, lines, x_name="time [s]", y_name=y_name, about=about, ax=ax)


def step_response_chart(
    responses: Sequence[StepResponse],
    *,
    y_name: str = "output",
    title: str = "Response to a step",
    about: str = "",
    ax: Axes | None = None,
) -> Axes:
    """What is looked at, before and after steps of the input."""
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
    """The first answer to each dose, and what is left of it after adaptation."""
    own, ax = ax is None, ax if ax is not None else new_axes()
    order = np.argsort(response.doses)
    doses = response.doses[order]
    for name, color, values in (("first answer", LINES[1], response.peaks), ("adapted", LINES[0], response.adapted)):
        ax.plot(doses, values[order], "o-", color=color, linewidth=1.4, markersize=3.5, label=name)
    ax.axhline(response.rest, color=FAINT, linewidth=1.5, linestyle="--", label="at rest")
    ax.set_xlim(float(doses[0]), float(doses[-1]))
    scale_log_x(ax)
    style_axes(ax, title=title, about=about, x_name=x_name, y_name=y_name)
    add_legend(ax, [], grow=own)
    return ax
