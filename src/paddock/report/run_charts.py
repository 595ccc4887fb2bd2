"""Charts and pictures of a run: wheel speeds, errors over time, histograms of errors, paths."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from paddock.arena.episodes import Trace
from paddock.report.charts import Level, Series, Spans, histogram, line_chart
from paddock.report.document import Figure
from paddock.report.drawing.colours import ERROR, LEFT, MEAN, RIGHT, TARGET
from paddock.report.drawing.draw_world import draw_paths
from paddock.report.quantities import format_quantity, pick_unit
from paddock.simulation.worlds.world_spec import WorldSpec

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FEW = 12  # maximum number of robots with charts


def wheel_speed_chart(
    time: ArrayLike, wheels: ArrayLike, *, title: str = "Wheel speeds", spans: Spans = (), ax: Axes | None = None
) -> Axes:
    """Draw wheel speeds over time, with the tasks.

    Args:
        time: time of each row [s], shape (row).
        wheels: wheel speeds left, right [m/s], shape (row, 2).
        title: title of the chart.
        spans: tasks with their start and end [s].
        ax: axes to draw into; None: a new figure.
    """
    time, wheels = np.asarray(time, float), np.asarray(wheels, float).reshape(-1, 2)
    known = np.abs(wheels[np.isfinite(wheels)])
    duration = f"{time[-1] - time[0]:.1f} s" if len(time) else "no rows"
    lines = [
        Series("left", LEFT, time, wheels[:, 0], width=2.4),  # wider, to stay visible where both are equal
        Series("right", RIGHT, time, wheels[:, 1], width=1.1),
    ]
    about = f"{duration}, at most {float(known.max(initial=0.0)):.3g} m/s"
    return line_chart(title, lines, about=about, x_name="time [s]", y_name="wheel speed [m/s]", spans=spans, ax=ax)


def error_chart(
    time: ArrayLike,
    errors: ArrayLike,
    *,
    unit: str = "m",
    title: str = "Error",
    spans: Spans = (),
    ax: Axes | None = None,
) -> Axes:
    """Draw errors over time, with the tasks. Errors are in `unit`, shape (row), NaN if there is none."""
    errors = np.asarray(errors, float)
    known = np.abs(errors[np.isfinite(errors)])
    largest, mean = float(known.max(initial=0.0)), float(known.mean()) if len(known) else math.nan
    factor, better = pick_unit(largest, unit)
    return line_chart(
        title,
        [Series("error", ERROR, time, errors * factor)],
        about=f"mean |error| {format_quantity(mean, unit, largest)}, at most {format_quantity(largest, unit)}",
        x_name="time [s]",
        y_name=f"error [{better}]" if better else "error",
        spans=spans,
        levels=[Level("no error", TARGET, 0.0, dashed=True)],
        ax=ax,
    )


def error_histogram(
    errors: ArrayLike,
    *,
    quantity: str = "error",
    unit: str = "m",
    target: float | None = None,
    title: str = "",
    ax: Axes | None = None,
) -> Axes:
    """Draw a histogram of the errors or, if there is a target, of the values of the quantity."""
    aim = target or 0.0
    errors = np.asarray(errors, float)
    values = errors[np.isfinite(errors)] + aim
    usual = float(np.quantile(np.abs(values), 0.99)) if len(values) else 0.0
    factor, better = pick_unit(usual, unit)
    mean, spread = (float(values.mean()), float(values.std())) if len(values) else (math.nan, 0.0)
    levels = [Level(f"target {aim * factor:.4g} {better}".rstrip(), TARGET, aim * factor, dashed=True)]
    if len(values):
        levels.insert(0, Level(f"mean {mean * factor:.4g} {better}".rstrip(), MEAN, mean * factor))
    return histogram(
        title or quantity,
        values * factor,
        about=f"{len(values)} values, standard deviation {format_quantity(spread, unit, usual)}",
        x_name=f"{quantity} [{better}]" if better else quantity,
        color=LEFT if target is not None else ERROR,
        levels=levels,
        ax=ax,
    )


def run_pictures(traces: Sequence[Trace], world: WorldSpec, title: str) -> Iterator[Figure]:
    """Iterate over the picture of all paths, then the charts of each robot, named after it if there are several."""
    yield Figure("path", "Path over the map", draw_paths(traces, world, title=title))
    for trace in traces[:FEW]:
        after, of = ("", "") if len(traces) == 1 else (f"-{trace.robot}", f" of {trace.robot}")
        yield Figure(f"wheels{after}", f"Wheel speeds{of}", draw_wheels(trace))
        if np.isfinite(trace.errors).any():
            yield Figure(f"error{after}", f"Error{of} over time", draw_error(trace))
            yield Figure(f"histogram{after}", f"Histogram of {trace.error_of}s{of}", draw_histogram(trace))


def draw_wheels(trace: Trace) -> Axes:
    """Draw the wheel speeds of a run."""
    title = f"{trace.robot}: wheel speeds"
    return wheel_speed_chart(trace.time, trace.wheels, title=title, spans=trace.spans())


def draw_error(trace: Trace) -> Axes:
    """Draw the errors of a run over time."""
    title = f"{trace.robot}: " + ("error" if trace.error_of == "error" else f"error of the {trace.error_of}")
    return error_chart(trace.time, trace.errors, unit=trace.unit, title=title, spans=trace.spans())


def draw_histogram(trace: Trace) -> Axes:
    """Draw a histogram of the errors of a run or, with a target, of the values themselves."""
    title, quantity = f"{trace.robot}: {trace.error_of}", trace.error_of
    return error_histogram(trace.errors, quantity=quantity, unit=trace.unit, target=trace.target, title=title)
