"""Report of a sweep: means with confidence intervals as a table and as charts, failures, settings."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from paddock.core.provenance import describe
from paddock.experiments.sweeps.sweep_result import FailedRun, Sweep
from paddock.report.document import Failure, Figure, Heading, Paragraph, Part, Remark, SettingsTable
from paddock.report.drawing.colours import LINES
from paddock.report.interval_charts import IntervalSeries, interval_chart, interval_lines
from paddock.report.quantities import label_figure
from paddock.report.tables import Table

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MAX_LINES, MAX_ROWS, MAX_FAILURES, MAX_LISTED = 10, 60, 100, 5  # limits of the report; the tables are complete
MAX_COLUMNS = 7  # columns of a table, so that they fit into a narrow window
MAX_DIGITS = 6  # decimal places
ROUNDING = 1e-12  # relative size of intervals that only rounding errors cause


def sweep_report(sweep: Sweep, provenance: Mapping[str, Any]) -> Iterator[Part]:
    """Yield the parts of the report."""
    spec = sweep.spec
    yield Remark(describe(provenance, seeds=len(spec.seeds)).rpartition(" · ")[0] + f" · {_format_seeds(spec.seeds)}")
    combinations = sweep.combinations()
    count = f"{sweep.runs:,} runs: {sweep.runs // len(spec.seeds):,} combinations × {len(spec.seeds):,} seeds"
    yield Paragraph(f"{count}. The table of all runs is `runs.csv`; with the extra `data`, also `runs.parquet`.")
    if sweep.failures:
        yield Failure(f"{len(sweep.failures):,} of {sweep.runs:,} runs failed; see below.")
    if combinations:
        yield Heading("Means")
        yield Paragraph(f"Mean over the runs ± half of its {spec.confidence:.0%} confidence interval.")
        yield from tabulate_means(sweep).split(MAX_COLUMNS)
        drawn = [figure for figure in sweep.results if _differs(sweep, figure)]
        yield from [Heading("Charts")] if drawn else []
        for figure in drawn:
            yield Figure(figure, f"{figure}: means and their intervals", draw_figure(sweep, figure))
    if sweep.failures:
        yield Heading("Failures")
        yield tabulate_failures(sweep)
    yield Heading("Settings")
    yield SettingsTable(spec.to_table())


def tabulate_means(sweep: Sweep) -> Table:
    """Return a table with a row for every combination and a column for every figure; fully failed ones come last."""
    varying = varying_axes(sweep)
    cells: dict[str, dict[str, str]] = {}
    for row in sweep.summary:
        name = _format_labels({axis: row[axis] for axis in varying})
        own = cells.setdefault(repr([row[axis] for axis in sweep.axes]), {"combination": name})
        own["runs"] = str(max(int(own.get("runs", 0)), row["runs"]))
        own[row["figure"]] = _format_interval(row)
    for labels in sweep.failed_combinations:
        name = _format_labels({axis: labels[axis] for axis in varying if axis in labels})
        cells[repr(labels)] = {"combination": f"{name} (all runs failed)", "runs": "0"}
    heads, named = ["combination", *sweep.results], ["combination", *map(label_figure, sweep.results)]
    about = f"mean ± half of the {sweep.spec.confidence:.0%} confidence interval"
    counts = {own["runs"] for own in cells.values()}
    if len(counts) == 1:
        about += f", runs of each combination: {counts.pop()}"
    else:
        heads, named = [*heads, "runs"], [*named, "runs"]
    rows = tuple(tuple(own.get(head, "-") for head in heads) for own in list(cells.values())[:MAX_ROWS])
    return Table(tuple(named), rows, about)


def group_failures(sweep: Sweep) -> list[list[FailedRun]]:
    """Group the failed runs by their problem."""
    groups: dict[str, list[FailedRun]] = {}
    for each in sweep.failures:
        groups.setdefault(each.problem, []).append(each)
    return list(groups.values())


def tabulate_failures(sweep: Sweep) -> Table:
    """Return a table with a row for every problem: runs, combinations, seeds, and the command that repeats it."""
    varying = varying_axes(sweep)
    rows = []
    for runs in group_failures(sweep)[:MAX_FAILURES]:
        names = [_format_labels({axis: run.labels[axis] for axis in varying if axis in run.labels}) for run in runs]
        seeds = [str(run.seed) for run in runs]
        rows.append((runs[0].problem, str(len(runs)), _list_some(names, "; "), _list_some(seeds), runs[0].command))
    return Table(("problem", "runs", "combinations", "seeds", "repeat the first"), tuple(rows))


def draw_figure(sweep: Sweep, figure: str, *, ax: Axes | None = None) -> Axes:
    """Draw the means of a figure as lines over a numeric parameter if there is one, else as a row per combination."""
    rows = [row for row in sweep.summary if row["figure"] == figure]
    varying = varying_axes(sweep)
    over = next((axis for axis in reversed(varying) if _is_numeric(rows, axis)), None)
    others, short = [axis for axis in varying if axis != over], shorten_axes(varying)
    groups: dict[str, list[Mapping[str, Any]]] = {}
    for row in rows:
        groups.setdefault(_format_labels({short[axis]: row[axis] for axis in others}), []).append(row)
    about = f"{sweep.spec.name}: means with {sweep.spec.confidence:.0%} confidence intervals"
    if over is None or len(groups) > MAX_LINES:
        shown = rows[:MAX_ROWS]
        names = [_format_labels({short[axis]: row[axis] for axis in varying}) or sweep.spec.name for row in shown]
        ends = ([row[name] for row in shown] for name in ("mean", "low", "high"))
        return interval_chart(figure, names, *ends, x_name=label_figure(figure), about=about, ax=ax)
    lines = []
    for number, (name, own) in enumerate(groups.items()):
        own.sort(key=lambda row: row[over])
        columns = ([row[key] for row in own] for key in (over, "mean", "low", "high"))
        lines.append(IntervalSeries(name or figure, LINES[number % len(LINES)], *columns))
    return interval_lines(figure, lines, x_name=over, y_name=label_figure(figure), about=about, ax=ax)


def _differs(sweep: Sweep, figure: str) -> bool:
    """Return whether a figure has more than one value, so that a chart is useful."""
    return len({repr(value) for value in sweep.column(figure)}) > 1


def varying_axes(sweep: Sweep) -> list[str]:
    """Return the axes with more than one value, or all axes if there is none."""
    all_labels = [*sweep.summary, *sweep.failed_combinations]
    found = [axis for axis in sweep.axes if len({repr(row[axis]) for row in all_labels if axis in row}) > 1]
    return found or list(sweep.axes)


def shorten_axes(axes: Sequence[str]) -> dict[str, str]:
    """Return the shortest ends of the axes' paths that tell them apart, so that they fit into legends."""
    short = {}
    for axis in axes:
        parts = axis.split(".")
        ends = [".".join(parts[-count:]) for count in range(1, len(parts) + 1)]
        short[axis] = next(end for end in ends if sum(f".{other}".endswith(f".{end}") for other in axes) == 1)
    return short


def _is_numeric(rows: list[Any], axis: str) -> bool:
    values = {row[axis] for row in rows}
    return len(values) > 1 and all(isinstance(v, (int, float)) and not isinstance(v, bool) for v in values)


def _format_labels(labels: Mapping[str, Any]) -> str:
    return ", ".join(str(value) if isinstance(value, str) else f"{name} {value}" for name, value in labels.items())


def _format_interval(row: Mapping[str, Any]) -> str:
    mean, half = row["mean"], (row["high"] - row["low"]) / 2
    if math.isnan(mean) or half <= ROUNDING * abs(mean):
        return "-" if math.isnan(mean) else f"{mean:.6g}"
    if math.isnan(half):
        return f"{mean:.6g}"
    digits = max(0, 1 - math.floor(math.log10(half)))
    if digits > MAX_DIGITS:
        return f"{mean:.6g} ± {half:.1g}"
    return f"{mean:.{digits}f} ± {half:.{digits}f}"


def _list_some(names: Sequence[str], between: str = ", ") -> str:
    """List the first different names."""
    different = list(dict.fromkeys(names))
    return between.join([*different[:MAX_LISTED], *["…"][: len(different) > MAX_LISTED]])


def _format_seeds(seeds: tuple[int, ...]) -> str:
    if len(seeds) == 1:
        return f"seed {seeds[0]}"
    if seeds == tuple(range(seeds[0], seeds[0] + len(seeds))):
        return f"seeds {seeds[0]} … {seeds[-1]}"
    return f"{len(seeds)} seeds"
