"""The folder of a run: log, traces, summary, pictures, and a page with all of it."""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from paddock.core.errors import PaddockError
from paddock.report.document import render_html
from paddock.report.figures import save_figure
from paddock.report.log import ERROR, NUMBERS, RunLog
from paddock.report.run_log import run_log_text
from paddock.report.run_pictures import run_pictures
from paddock.report.run_report import TaskOutcome, run_report
from paddock.report.summary import plain, summary

ROWS_AT_ONCE = 4096
MOST_RUNS = 1_000_000  # of one name in a folder


def write_run(
    logs: Sequence[RunLog],
    folder: Path,
    *,
    title: str,
    config: Mapping[str, Any],
    html: bool,
    digest: str | None = None,
    outcomes: Sequence[TaskOutcome] = (),
) -> list[Path]:
    """Write everything about a run into a folder and return which files there are.

    Args:
        logs: one for every robot of interest, all of the same world.
        folder: made if it is not there; one that holds a run already is refused.
        title: for people.
        config: what decided the run, for the summary: world, seed, controller, …
        html: whether to make `report.html` too.
        digest: of the final state, if known.
        outcomes: of the tasks, for the page: whether each was done, and why it ended.
    """
    _check(logs)
    folder = Path(folder)
    numbers = {log.robot: summary(log) for log in logs}
    whole: dict[str, Any] = {"title": title, "world": logs[0].world.name}
    whole["duration"] = max(log.times[-1] for log in logs) - min(log.times[0] for log in logs)
    if digest is not None:
        whole["digest"] = digest
    whole = plain({**whole, "config": config, "robots": numbers})
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if (folder / "run.log").exists() or (folder / "summary.json").exists():
            raise PaddockError(f"{folder}: holds a run already; name another folder or remove this one")
        written = [folder / "run.log"]
        log_text = run_log_text(logs, whole)
        written[0].write_text(log_text, encoding="utf-8")
        for log in logs:
            path = folder / ("trace.csv" if len(logs) == 1 else f"trace-{log.robot}.csv")
            _write_trace(log, path)
            written.append(path)
        figures = list(run_pictures(logs, title))
        for figure in figures:
            written.append(folder / f"{figure.name}.png")
            save_figure(figure.picture, written[-1])
        written.append(folder / "summary.json")
        text = json.dumps(whole, indent=2, ensure_ascii=False, allow_nan=False)
        written[-1].write_text(text + "\n", encoding="utf-8")
        if html:
            written.append(folder / "report.html")
            parts = list(run_report(whole, figures, log_text, outcomes))
            written[-1].write_text(render_html(title, parts, folder), encoding="utf-8")
    except OSError as error:
        raise _unwritable(folder, error) from error
    return written


def fresh_folder(base: Path, name: str) -> Path:
    """Make and return `base/name-001`, or the next number that no run has yet."""
    base = Path(base)
    if not name or name in (".", "..") or any(letter in name for letter in '/\\:*?"<>|\0'):
        raise PaddockError(
            f"a run cannot be called {name!r}: expected the name of a folder, without slashes and the like"
        )
    try:
        base.mkdir(parents=True, exist_ok=True)
        endings = [path.name.removeprefix(f"{name}-") for path in base.glob("*") if path.name.startswith(f"{name}-")]
        number = max((int(ending) for ending in endings if ending.isascii() and ending.isdigit()), default=0)
        while number < MOST_RUNS:
            number += 1
            folder = base / f"{name}-{number:03d}"
            try:
                folder.mkdir()
            except FileExistsError:  # another run was faster
                continue
            return folder
    except OSError as error:
        raise _unwritable(base, error) from error
    raise PaddockError(f"{base}: there are too many runs called {name!r}; remove some or choose another name")


def _check(logs: Sequence[RunLog]) -> None:
    if not logs:
        raise PaddockError("there is nothing to write: no robot was logged")
    for log in logs:
        if not log:
            raise PaddockError(f"log of {log.robot!r}: nothing was noted, so there is nothing to write")
    names = [log.robot for log in logs]
    for name in names:
        if names.count(name) > 1:
            raise PaddockError(f"log of {name!r}: given more than once; one log per robot is expected")
    worlds = {log.world.name for log in logs}
    if len(worlds) > 1:
        raise PaddockError(f"logs of different worlds cannot be in one report: {', '.join(sorted(worlds))}")


def _unwritable(folder: Path, error: OSError) -> PaddockError:
    what = error.strerror or str(error)
    return PaddockError(f"{folder}: cannot write the run there: {what}; choose a folder that you may write to")


def _write_trace(log: RunLog, path: Path) -> None:
    """All notes as a table; floats are written so that reading them gives the same bits, unknown ones are empty."""
    numbers, channels = log.numbers, log.channels()
    heads = [*NUMBERS[:ERROR], "task", "error", "contact", *channels]
    tasks, contacts = log.tasks, log.contacts.astype(int).tolist()
    with path.open("w", encoding="utf-8", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(heads)
        for start in range(0, len(log), ROWS_AT_ONCE):
            rows = slice(start, start + ROWS_AT_ONCE)
            left = [_cells(column) for column in numbers[rows, :ERROR].T]
            right = [_cells(column[rows]) for column in channels.values()]
            table.writerows(zip(*left, tasks[rows], _cells(numbers[rows, ERROR]), contacts[rows], *right, strict=True))


def _cells(column: np.ndarray[Any, np.dtype[np.float64]]) -> list[float | None]:
    """A column of a table, with nothing where the number is unknown."""
    return [None if value != value else value for value in column.tolist()]
