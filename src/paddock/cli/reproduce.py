"""`paddock study reproduce`: repeat a published experiment, and print the published numbers next to Paddock's."""

from __future__ import annotations

import time
from contextlib import nullcontext
from pathlib import Path

import typer
from rich.markup import escape

from paddock.core.jobs import FinishedJobs, Workers
from paddock.core.locks import lock_folder
from paddock.core.terminal.console import Console
from paddock.core.terminal.progress import show_runs
from paddock.experiments.reproductions import REPRODUCTIONS, Outcome, reproduction_called
from paddock.experiments.reproductions.rows import claims, none_failed, summarise
from paddock.report.document_files import ensure_folder
from paddock.report.sheets import Sheet
from paddock.report.terminal_sheets import print_sheet, sheet_console


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
            ensure_folder(folder)  # fail early if the folder is not writable
    outcomes = {study: _reproduce(study, json_lines, folder, seeds, workers) for study, folder in folders.items()}
    return all(outcomes.values())


def _reproduce(name: str, json_lines: bool, out: Path | None, seeds: int | None, workers: Workers) -> bool:
    console, aside = sheet_console(), Console(stderr=True)
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
    sheet = outcome.sheet
    print_sheet(console, f"{name}: measurements" + (f", {sheet.about}" if sheet.about else ""), sheet)
    table = claims(outcome.rows)  # numbered, because a narrow terminal shows it in parts
    numbered = tuple((str(number), *row) for number, row in enumerate(table.rows, 1))
    print_sheet(console, f"{name}: claims", Sheet(("n", *table.heads), numbered))
    style = "green" if none_failed(outcome.rows) else "red"
    console.print(f"{summarise(outcome.rows)}; {wall:.1f} s", style=style, highlight=False)
