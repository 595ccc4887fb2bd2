"""All pictures of a run by the names of their files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from paddock.report.document import Figure
from paddock.report.log import RunLog
from paddock.report.paths import draw_paths
from paddock.report.run_charts import error_chart, error_histogram, wheel_speed_chart

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FEW = 12  # more robots than this get no charts of their own


def run_pictures(logs: Sequence[RunLog], title: str) -> Iterator[Figure]:
    """The paths of all robots, then the charts of each; with several robots those end with the robot's name."""
    yield Figure("path", "Path over the map", draw_paths(logs, title=title))
    for log in logs[:FEW]:
        after, of = ("", "") if len(logs) == 1 else (f"-{log.robot}", f" of {log.robot}")
        yield Figure(f"wheels{after}", f"Wheel speeds{of}", draw_wheels(log))
        if np.isfinite(log.errors).any():
            yield Figure(f"error{after}", f"Error{of} over time", draw_error(log))
            yield Figure(f"histogram{after}", f"How often {log.measured}s{of} occur", draw_histogram(log))


def draw_wheels(log: RunLog, *, ax: Axes | None = None) -> Axes:
    """The wheel speeds of a run."""
    title = f"{log.robot}: wheel speeds"
    return wheel_speed_chart(log.times, log.wheels, title=title, spans=log.spans(), ax=ax)


def draw_error(log: RunLog, *, ax: Axes | None = None) -> Axes:
    """The errors of a run over time."""
    title = f"{log.robot}: " + ("error" if log.measured == "error" else f"error of the {log.measured}")
    return error_chart(log.times, log.errors, unit=log.unit, title=title, spans=log.spans(), ax=ax)


def draw_histogram(log: RunLog, *, ax: Axes | None = None) -> Axes:
    """How often the errors or the measured values of a run occur."""
    title = f"{log.robot}: {log.measured}"
    return error_histogram(log.errors, quantity=log.measured, unit=log.unit, target=log.target, title=title, ax=ax)
