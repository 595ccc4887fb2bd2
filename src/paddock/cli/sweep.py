"""`paddock study sweep`: execute a sweep with a progress bar, and print the means and the failed runs."""

from __future__ import annotations

from pathlib import Path

from rich.text import Text

from paddock.cli.driving import print_traceback
from paddock.core.jobs import Workers
from paddock.core.terminal.console import Console
from paddock.core.terminal.ending import end_with_results
from paddock.core.terminal.progress import show_runs
from paddock.core.terminal.tables import print_json
from paddock.core.terminal_text import visible
from paddock.experiments.sweeps import Sweep, load_sweep, sweep
from paddock.experiments.sweeps.sweep_report import group_failures, means_sheet
from paddock.report.sheets import Sheet
from paddock.report.terminal_sheets import print_sheet

SHOWN = 10  # problems in the terminal


def run_sweep(file: Path, *, out: Path | None, workers: Workers, run: int | None, json_lines: bool) -> bool:
    """Execute a sweep, or one of its runs, and print the results; return whether no run failed."""
    spec = load_sweep(file)
    console, aside = Console(), Console(stderr=True)
    if run is not None:
        return _run_alone(file, run, console, json_lines=json_lines)
    folder = Path("runs") / spec.name if out is None else out
    with end_with_results(folder), show_runs(aside, spec.name) as progress:
        done = sweep(spec, out=folder, workers=workers, progress=progress)
    if json_lines:
        for row in done.summary:
            print_json(row)
    elif done.rows:
        print_sheet(console, f"{spec.name}: {means_sheet(done).about}", means_sheet(done))
    there = done.runs - done.fresh
    before = f", {there:,} of them already finished" if there else ""
    aside.print(f"{done.runs:,} runs{before}; wrote {folder}", highlight=False, markup=False, soft_wrap=True)
    _print_failures(aside, done)
    return not done.failures


def _run_alone(file: Path, run: int, console: Console, *, json_lines: bool) -> bool:
    try:
        done = sweep(file, run=run)
    except Exception as error:
        print_traceback(error, whole=False)
        return False
    for row in done.rows:
        if json_lines:
            print_json(row)
        else:
            print_sheet(console, f"run {run}", Sheet(("", "value"), tuple((name, str(v)) for name, v in row.items())))
    return True


def _print_failures(aside: Console, done: Sweep) -> None:
    groups = group_failures(done)
    for first, *others in groups[:SHOWN]:
        more = f" and {len(others):,} more" if others else ""
        message = f"run {first.run}{more}: {visible(first.problem)}\n    {first.command}"
        aside.print(Text.assemble(("failed: ", "bold red"), message), soft_wrap=True, highlight=False)
    if len(groups) > SHOWN:
        aside.print(f"and {len(groups) - SHOWN:,} more problems, see failures.csv", style="red", highlight=False)
