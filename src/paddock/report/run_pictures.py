"""All pictures of a run by file name."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from paddock.arena.episodes import Trace
from paddock.report.document import Figure
from paddock.report.paths import draw_paths
from paddock.report.run_charts import error_chart, error_histogram, wheel_speed_chart
from paddock.simulation.worlds.world_spec import WorldSpec

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FEW = 12  # maximum number of robots with charts


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
