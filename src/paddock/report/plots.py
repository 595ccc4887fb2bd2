"""The pictures of a run: paths over the map, wheel speeds, errors and how often they occur."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from PIL import Image

from paddock.episodes import Trace
from paddock.report.charts import Level, Series, histogram, line_chart
from paddock.report.paths import draw_paths
from paddock.report.story import best_unit, in_words
from paddock.worlds.spec import WorldSpec

LEFT, RIGHT, WRONG = "#2e86ab", "#e4572e", "#7b5ea7"
MEAN, TARGET = "#d1495b", "#2f9e6e"
FEW = 12  # more robots than this get no charts of their own


class Figure(NamedTuple):
    """A picture and what it shows."""

    caption: str
    picture: Image.Image


def pictures(traces: Sequence[Trace], world: WorldSpec, title: str, *, size: int = 1000) -> Mapping[str, Figure]:
    """All pictures of a run by the name of their file; charts of single robots end with the robot's name."""
    found = {"path": Figure("Path over the map", draw_paths(traces, world, title=title, size=size))}
    for trace in traces[:FEW]:
        after, of = ("", "") if len(traces) == 1 else (f"-{trace.robot}", f" of {trace.robot}")
        found[f"wheels{after}"] = Figure(f"Wheel speeds{of}", draw_wheels(trace, size=size))
        if np.isfinite(trace.errors).any():
            found[f"error{after}"] = Figure(f"Error{of} over time", draw_error(trace, size=size))
            found[f"histogram{after}"] = Figure(
                f"How often {trace.error_of}s{of} occur", draw_histogram(trace, size=size)
            )
    return found


def draw_wheels(trace: Trace, *, size: int = 1000) -> Image.Image:
    """Wheel speeds over time, with the tasks."""
    times, wheels = trace.time, trace.wheels
    fastest = float(np.nanmax(np.abs(wheels), initial=0.0))
    return line_chart(
        f"{trace.robot}: wheel speeds",
        [
            Series("left", LEFT, times, wheels[:, 0], width=3.2),  # shows where both are the same
            Series("right", RIGHT, times, wheels[:, 1], width=1.4),
        ],
        about=f"{_lasting(trace)}, at most {fastest:.3g} m/s",
        x_name="time [s]",
        y_name="wheel speed [m/s]",
        spans=trace.spans(),
        size=size,
    )


def draw_error(trace: Trace, *, size: int = 1000) -> Image.Image:
    """Errors over time, with the tasks."""
    errors = trace.errors
    known = np.abs(errors[np.isfinite(errors)])
    largest, mean = float(known.max(initial=0.0)), float(known.mean()) if len(known) else math.nan
    factor, unit = best_unit(largest, trace.unit)
    what = "error" if trace.error_of == "error" else f"error of the {trace.error_of}"
    return line_chart(
        f"{trace.robot}: {what}",
        [Series("error", WRONG, trace.time, errors * factor)],
        about=f"mean |error| {in_words(mean, trace.unit, largest)}, at most {in_words(largest, trace.unit)}",
        x_name="time [s]",
        y_name=f"error [{unit}]" if unit else "error",
        spans=trace.spans(),
        levels=[Level("no error", TARGET, 0.0, dashed=True)],
        size=size,
    )


def draw_histogram(trace: Trace, *, size: int = 1000) -> Image.Image:
    """How often the errors occur or, where there is a target, the measured values themselves."""
    target = trace.target or 0.0
    errors = trace.errors
    values = errors[np.isfinite(errors)] + target
    usual = float(np.quantile(np.abs(values), 0.99)) if len(values) else 0.0
    factor, unit = best_unit(usual, trace.unit)
    mean, spread = (float(values.mean()), float(values.std())) if len(values) else (math.nan, 0.0)
    levels = [Level(f"target {target * factor:.4g} {unit}".rstrip(), TARGET, target * factor, dashed=True)]
    if len(values):
        levels.insert(0, Level(f"mean {mean * factor:.4g} {unit}".rstrip(), MEAN, mean * factor))
    return histogram(
        f"{trace.robot}: {trace.error_of}",
        values * factor,
        about=f"{len(values)} values, standard deviation {in_words(spread, trace.unit, usual)}",
        x_name=f"{trace.error_of} [{unit}]" if unit else trace.error_of,
        color=LEFT if trace.target is not None else WRONG,
        levels=levels,
        size=size,
    )


def _lasting(trace: Trace) -> str:
    times = trace.time
    return f"{times[-1] - times[0]:.1f} s" if len(times) else "nothing recorded"
