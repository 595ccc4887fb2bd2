"""The pictures of a run: paths over the map, wheel speeds, errors and how often they occur."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from PIL import Image

from paddock.report.charts import Level, Series, histogram, line_chart
from paddock.report.log import RunLog
from paddock.report.paths import draw_paths
from paddock.report.story import best_unit, in_words

LEFT, RIGHT, WRONG = "#2e86ab", "#e4572e", "#7b5ea7"
MEAN, TARGET = "#d1495b", "#2f9e6e"
FEW = 12  # more robots than this get no charts of their own


class Figure(NamedTuple):
    """A picture and what it shows."""

    caption: str
    picture: Image.Image


def pictures(logs: Sequence[RunLog], title: str, *, size: int = 1000) -> Mapping[str, Figure]:
    """All pictures of a run by the name of their file; charts of single robots end with the robot's name."""
    found = {"path": Figure("Path over the map", draw_paths(logs, title=title, size=size))}
    for log in logs[:FEW]:
        after, of = ("", "") if len(logs) == 1 else (f"-{log.robot}", f" of {log.robot}")
        found[f"wheels{after}"] = Figure(f"Wheel speeds{of}", draw_wheels(log, size=size))
        if np.isfinite(log.errors).any():
            found[f"error{after}"] = Figure(f"Error{of} over time", draw_error(log, size=size))
            found[f"histogram{after}"] = Figure(f"How often {log.measured}s{of} occur", draw_histogram(log, size=size))
    return found


def draw_wheels(log: RunLog, *, size: int = 1000) -> Image.Image:
    """Rim speeds over time, with the tasks."""
    times, wheels = log.times, log.wheels
    fastest = float(np.nanmax(np.abs(wheels), initial=0.0))
    return line_chart(
        f"{log.robot}: wheel speeds",
        [
            Series("left", LEFT, times, wheels[:, 0], width=3.2),  # shows where both are the same
            Series("right", RIGHT, times, wheels[:, 1], width=1.4),
        ],
        about=f"{_lasting(log)}, at most {fastest:.3g} m/s",
        x_name="time [s]",
        y_name="speed at the rim [m/s]",
        spans=log.spans(),
        size=size,
    )


def draw_error(log: RunLog, *, size: int = 1000) -> Image.Image:
    """Errors over time, with the tasks."""
    errors = log.errors
    known = np.abs(errors[np.isfinite(errors)])
    largest, mean = float(known.max(initial=0.0)), float(known.mean()) if len(known) else math.nan
    factor, unit = best_unit(largest, log.unit)
    what = "error" if log.measured == "error" else f"error of the {log.measured}"
    return line_chart(
        f"{log.robot}: {what}",
        [Series("error", WRONG, log.times, errors * factor)],
        about=f"mean |error| {in_words(mean, log.unit, largest)}, at most {in_words(largest, log.unit)}",
        x_name="time [s]",
        y_name=f"error [{unit}]" if unit else "error",
        spans=log.spans(),
        levels=[Level("no error", TARGET, 0.0, dashed=True)],
        size=size,
    )


def draw_histogram(log: RunLog, *, size: int = 1000) -> Image.Image:
    """How often the errors occur or, where there is a target, the measured values themselves."""
    target = log.target or 0.0
    errors = log.errors
    values = errors[np.isfinite(errors)] + target
    usual = float(np.quantile(np.abs(values), 0.99)) if len(values) else 0.0
    factor, unit = best_unit(usual, log.unit)
    mean, spread = (float(values.mean()), float(values.std())) if len(values) else (math.nan, 0.0)
    levels = [Level(f"target {target * factor:.4g} {unit}".rstrip(), TARGET, target * factor, dashed=True)]
    if len(values):
        levels.insert(0, Level(f"mean {mean * factor:.4g} {unit}".rstrip(), MEAN, mean * factor))
    return histogram(
        f"{log.robot}: {log.measured}",
        values * factor,
        about=f"{len(values)} values, standard deviation {in_words(spread, log.unit, usual)}",
        x_name=f"{log.measured} [{unit}]" if unit else log.measured,
        color=LEFT if log.target is not None else WRONG,
        levels=levels,
        size=size,
    )


def _lasting(log: RunLog) -> str:
    times = log.times
    return f"{times[-1] - times[0]:.1f} s" if len(times) else "nothing noted"
