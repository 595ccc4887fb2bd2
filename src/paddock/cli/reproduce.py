"""`paddock reproduce`: repeat a published experiment, and print the published numbers next to Paddock's."""

from __future__ import annotations

import time
from pathlib import Path

import typer
from rich.markup import escape

from paddock.cli.console import Console
from paddock.cli.progress import show_runs
from paddock.cli.sheets import print_sheet
from paddock.experiments import REPRODUCTIONS, Outcome, reproduction_called
from paddock.experiments.rows import all_hold, claims
from paddock.jobs import Workers
from paddock.report.document_files import ensure_folder


def reproduce(
    name: str,
    *,
    json_lines: bool = False,
    out: Path | None = None,
    seeds: int | None = None,
    workers: Workers = None,
) -> bool:
    """Run one reproduction, or `all`, and return whether every claim holds.

    Args:
        name: name of the reproduction.
        json_lines: print one JSON object for every claim instead of tables.
        out: folder for the report; None: no report.
        seeds: number of seeds of every repeated experiment; None: as many as the claims need.
        workers: number of processes, None: one for every core; or "ray".
    """
    names = list(REPRODUCTIONS) if name == "all" else [name]
    for study in names:
        reproduction_called(study)  # raises for an unknown name before anything runs
    folders = {study: out / study if out is not None and name == "all" else out for study in names}
    for folder in folders.values():
        if folder is not None:
            ensure_folder(folder)  # fail early if the folder is not writable
    outcomes = {study: _reproduce(study, json_lines, folder, seeds, workers) for study, folder in folders.items()}
    return all(outcomes.values())


def _reproduce(name: str, json_lines: bool, out: Path | None, seeds: int | None, workers: Workers) -> bool:
    console, aside = Console(), Console(stderr=True)
    started = time.perf_counter()
    with show_runs(aside, name) as progress:
        outcome = reproduction_called(name)(seeds=seeds, workers=workers, progress=progress)
    wall = time.perf_counter() - started
    holds = all_hold(outcome.rows)
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
    return holds


def _print(console: Console, name: str, outcome: Outcome, wall: float) -> None:
    sheet = outcome.sheet
    print_sheet(console, f"{name}: measurements" + (f", {sheet.about}" if sheet.about else ""), sheet)
    print_sheet(console, f"{name}: claims", claims(outcome.rows))
    failed = [row for row in outcome.rows if not row.holds]
    result = f"{len(outcome.rows) - len(failed)} of {len(outcome.rows)} claims hold; {wall:.1f} s"
    console.print(result, style="red" if failed else "green", highlight=False)
