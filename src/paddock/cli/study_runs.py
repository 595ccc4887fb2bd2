"""`paddock study sweep` and `reproduce`: progress and tables of sweeps and of repeated experiments."""

from __future__ import annotations

import time
from contextlib import nullcontext
from pathlib import Path

import typer
from rich.markup import escape
from rich.text import Text

from paddock.cli.driving import print_traceback
from paddock.core.files import ensure_folder
from paddock.core.jobs import FinishedJobs, Workers
from paddock.core.locks import lock_folder
from paddock.core.provenance import claim_folder
from paddock.core.terminal.console import Console, print_json
from paddock.core.terminal.ending import end_with_results
from paddock.core.terminal.progress import show_runs
from paddock.core.terminal_text import visible
from paddock.experiments.reproductions import REPRODUCTIONS, Outcome, reproduction_called
from paddock.experiments.reproductions.rows import claims, none_failed, summarise
from paddock.experiments.sweeps import Sweep, load_sweep, sweep
from paddock.experiments.sweeps.sweep_report import group_failures, tabulate_means
from paddock.report.tables import Table, make_console, print_table

SHOWN = 10  # problems in the terminal


def print_reproductions(
    name: str,
    *,
    json_lines: bool = False,
    out: Path | None = None,
    seeds: int | None = None,
    workers: Workers = None,
) -> bool:
    """Run one reproduction, or `all`, and return whether no claim failed.

    Args:
        name: name of the reproduction.
        json_lines: print one JSON object for every claim instead of tables.
        out: folder for the report and for finished runs, which are not repeated; None: none.
        seeds: number of seeds of every repeated experiment; None: as many as the claims need.
        workers: number of processes, None: one for every core; or "ray".
    """
    names = list(REPRODUCTIONS) if name == "all" else [name]
    for study in names:
        reproduction_called(study)  # raises for an unknown name before anything runs
    folders = {study: out / study if out is not None and name == "all" else out for study in names}
    for folder in folders.values():
        if folder is not None:
            claim_folder(ensure_folder(folder), "reproduction")  # fail early if the folder is not writable
    outcomes = {study: _reproduce(study, json_lines, folder, seeds, workers) for study, folder in folders.items()}
    return all(outcomes.values())


def _reproduce(name: str, json_lines: bool, out: Path | None, seeds: int | None, workers: Workers) -> bool:
    console, aside = make_console(), Console(stderr=True)
    started = time.perf_counter()
    with nullcontext() if out is None else lock_folder(out, timeout=0.0), show_runs(aside, name) as progress:
        finished = None if out is None else FinishedJobs(out / f"finished-{name}.jsonl", f"reproduce {name}")
        outcome = reproduction_called(name)(seeds=seeds, workers=workers, progress=progress, finished=finished)
    wall = time.perf_counter() - started
    fine = none_failed(outcome.rows)
    if json_lines:
        for row in outcome.rows:
            typer.echo(row.as_json())
    else:
        _print(console, name, outcome, wall)
    if outcome.quick_look:
        aside.print(f"{escape(name)}: {escape(outcome.quick_look)}", style="yellow", highlight=False)
    if out is not None:
        written = outcome.write(out)
        aside.print(f"wrote {len(written)} files to {escape(str(out))}", highlight=False)
    return fine


def _print(console: Console, name: str, outcome: Outcome, wall: float) -> None:
    measured = outcome.table
    print_table(console, f"{name}: measurements" + (f", {measured.about}" if measured.about else ""), measured)
    table = claims(outcome.rows)  # numbered, because a narrow terminal shows it in parts
    numbered = tuple((str(number), *row) for number, row in enumerate(table.rows, 1))
    print_table(console, f"{name}: claims", Table(("n", *table.heads), numbered))
    style = "green" if none_failed(outcome.rows) else "red"
    console.print(f"{summarise(outcome.rows)}; {wall:.1f} s", style=style, highlight=False)


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
        print_table(console, f"{spec.name}: {tabulate_means(done).about}", tabulate_means(done))
    there = done.runs - done.fresh
    before = f", {there:,} of them already finished" if there else ""
    aside.print(f"{done.runs:,} runs{before}; wrote {folder}", highlight=False, markup=False, soft_wrap=True)
    _print_failures(aside, done)
    return not done.failures


def _run_alone(file: Path, run: int, console: Console, *, json_lines: bool) -> bool:
    try:
        done = sweep(file, run=run)
    except Exception as error:
        print_traceback(error, all_files=False)
        return False
    for row in done.rows:
        if json_lines:
            print_json(row)
        else:
            print_table(console, f"run {run}", Table(("", "value"), tuple((name, str(v)) for name, v in row.items())))
    return True


def _print_failures(aside: Console, done: Sweep) -> None:
    groups = group_failures(done)
    for first, *others in groups[:SHOWN]:
        more = f" and {len(others):,} more" if others else ""
        message = f"run {first.run}{more}: {visible(first.problem)}\n    {first.command}"
        aside.print(Text.assemble(("failed: ", "bold red"), message), soft_wrap=True, highlight=False)
    if len(groups) > SHOWN:
        aside.print(f"and {len(groups) - SHOWN:,} more problems, see failures.csv", style="red", highlight=False)
