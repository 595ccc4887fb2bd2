"""Sweep: the results of all runs, with one tidy table, means with confidence intervals, and the failed runs."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from paddock.arena.episodes.trace_files import import_extra
from paddock.core.errors import UnknownName
from paddock.experiments.sweeps.intervals import MeanInterval, estimate_mean, estimate_share
from paddock.experiments.sweeps.sweep_spec import ABOUT, SweepSpec

if TYPE_CHECKING:
    import pandas
    from matplotlib.axes import Axes


@dataclass(frozen=True, kw_only=True)
class FailedRun:
    """A run without a result."""

    run: int
    labels: Mapping[str, Any]  # its combination
    seed: int
    problem: str  # one-line error message
    trace: str  # the whole traceback
    command: str  # command that repeats the run


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Sweep:
    """Results of a sweep: a row for every robot of every run, in the order of the runs."""

    spec: SweepSpec
    rows: Sequence[Mapping[str, Any]]
    axes: tuple[str, ...]  # columns that identify the combination
    runs: int  # number of runs, including failed ones
    fresh: int  # runs executed in this call; the others were already finished
    failures: tuple[FailedRun, ...] = ()

    def __repr__(self) -> str:
        failed = f", failed: {len(self.failures)}" if self.failures else ""
        return f"<Sweep {self.spec.name}, runs: {self.runs}{failed}, figures: {', '.join(self.results) or 'none'}>"

    def _repr_html_(self) -> str:
        from paddock.experiments.sweeps.sweep_report import tabulate_means
        from paddock.report.display import render_display

        sheet = tabulate_means(self)
        return render_display(f"Sweep {self.spec.name}", f"{self.runs:,} runs, {sheet.about}", [], sheet)

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """Names of all columns."""
        return tuple(dict.fromkeys(name for row in self.rows for name in row))

    @cached_property
    def results(self) -> tuple[str, ...]:
        """Names of the measured columns."""
        return tuple(name for name in self.columns if name not in ABOUT and name not in self.axes)

    def column(self, name: str) -> list[Any]:
        """Return a column of the table, with None for rows without this value."""
        return [row.get(name) for row in self.rows]

    def combinations(self) -> list[dict[str, Any]]:
        """Return the combinations that have results, in order."""
        found = {repr(key): key for row in self.rows if (key := {axis: row[axis] for axis in self.axes})}
        return list(found.values())

    @cached_property
    def failed_combinations(self) -> list[Mapping[str, Any]]:
        """Combinations of which all runs failed, in order; each has only the labels that the spec gives."""
        found = {repr(each.labels): each.labels for each in self.failures}
        return [labels for labels in found.values() if not any(labels.items() <= row.items() for row in self.summary)]

    @cached_property
    def summary(self) -> list[dict[str, Any]]:
        """A row for every combination and figure; a run with several robots contributes their mean.

        Columns besides the axes: figure, mean, low and high ends of its interval, and the number of runs.
        """
        groups: dict[str, list[Mapping[str, Any]]] = {}
        for row in self.rows:
            groups.setdefault(repr([row[axis] for axis in self.axes]), []).append(row)
        return [
            {**{axis: rows[0][axis] for axis in self.axes}, "figure": figure, **self._interval(rows, figure)._asdict()}
            for rows in groups.values()
            for figure in self.results
            if any(figure in row for row in rows)
        ]

    def _interval(self, rows: Sequence[Mapping[str, Any]], figure: str) -> MeanInterval:
        runs: dict[int, list[float]] = {}
        for row in rows:
            runs.setdefault(row["run"], []).append(math.nan if row.get(figure) is None else row[figure])
        values = [math.fsum(robots) / len(robots) for robots in runs.values()]
        if all(isinstance(row.get(figure), bool) for row in rows):
            return estimate_share(round(sum(values)), len(values), self.spec.confidence)
        return estimate_mean(values, self.spec.confidence)

    def to_pandas(self) -> pandas.DataFrame:
        """Return the table as a pandas DataFrame."""
        return import_extra("pandas").DataFrame([dict(row) for row in self.rows], columns=list(self.columns))  # type: ignore[no-any-return]

    def draw(self, figure: str, *, ax: Axes | None = None) -> Axes:
        """Draw the means of a figure and their intervals, over a numeric parameter or by combination."""
        from paddock.experiments.sweeps.sweep_report import draw_figure

        if figure not in self.results:
            raise UnknownName("figure", figure, self.results)
        return draw_figure(self, figure, ax=ax)

    def save(self, folder: str | Path) -> list[Path]:
        """Write the tables, the charts and the report into a folder, and return the files."""
        from paddock.experiments.sweeps.sweep_files import save_sweep

        return save_sweep(self, Path(folder))
