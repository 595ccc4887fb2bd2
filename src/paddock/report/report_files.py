"""Write the folder of a run: log, traces, summary, pictures, and a page with all of these."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal, get_args

from paddock.arena.episodes import Episode, Trace
from paddock.core.errors import PaddockError
from paddock.core.files import describe_folder_error, write_text
from paddock.core.json_values import plain
from paddock.report.chart_style import save_figure
from paddock.report.document import Figure, render_html
from paddock.report.run_report import LogLevel, TaskOutcome, run_log_text, run_report
from paddock.report.summary import summary
from paddock.simulation.worlds.placement import robot_types
from paddock.simulation.worlds.world_spec import WorldSpec

RunFile = Literal["log", "trace", "summary", "pictures", "report"]
ALL_FILES: tuple[RunFile, ...] = get_args(RunFile)
USUAL_FILES = ALL_FILES[:-1]
MAX_RUNS = 1_000_000  # maximum number of runs with the same name in a folder


def write_run(
    episode: Episode,
    world: WorldSpec,
    folder: Path,
    *,
    title: str,
    config: Mapping[str, Any],
    files: Collection[RunFile] = USUAL_FILES,
    provenance: Mapping[str, Any] | None = None,
    outcomes: Sequence[TaskOutcome] = (),
    log_level: LogLevel = "info",
) -> list[Path]:
    """Write the files of a run to a folder and return their paths.

    Args:
        episode: the run.
        world: world of the run.
        folder: created if it does not exist; refused if it already contains a run.
        title: title of the run.
        config: settings of the run, for the summary: world, seed, controller, …
        files: which files to write; with "report", a page with everything.
        provenance: versions, date, machine, command line and similar data.
        outcomes: results of the tasks, for the page: whether each was done, and why it ended.
        log_level: which events the log has.
    """
    traces = [record.trace for record in episode.robots.values() if len(record.trace)]
    if not traces:
        raise PaddockError("there is nothing to write: no robot was recorded")
    folder = Path(folder)
    types = {placed.name: spec for placed, spec in zip(world.robots, robot_types(world), strict=True)}
    whole: dict[str, Any] = {
        "title": title,
        "world": world.name,
        "duration": episode.seconds,
        "ended": episode.reason,
        "failed": episode.failed,
        "failed_robot": episode.culprit,
        "digest": episode.digest,
        "repeatable": episode.repeatable,
        "why_not_repeatable": episode.why_not_repeatable,
        "events": [asdict(event) for event in episode.events],
        "config": config,
        "robots": {
            name: summary(record.trace, record.metrics, types.get(name))
            for name, record in episode.robots.items()
            if len(record.trace)
        },
    }
    whole = plain(whole if provenance is None else {**whole, "provenance": provenance})
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if (folder / "run.log").exists() or (folder / "summary.json").exists():
            raise PaddockError(f"{folder}: already contains a run; choose another folder or remove this one")
        log = run_log_text(traces, whole, log_level)
        return _write_files(traces, world, whole, folder, files, outcomes, log)
    except OSError as error:
        raise describe_folder_error(folder, "run", error) from error


def _write_files(
    traces: Sequence[Trace],
    world: WorldSpec,
    contents: Mapping[str, Any],
    folder: Path,
    files: Collection[RunFile],
    outcomes: Sequence[TaskOutcome],
    log: str,
) -> list[Path]:
    """Write traces and numbers first, as pictures may fail."""
    written, title = [], str(contents["title"])
    for trace in traces if "trace" in files else ():
        written.append(folder / name_trace(trace.robot, alone=len(traces) == 1))
        trace.save(written[-1])
    if "log" in files:
        written.append(folder / "run.log")
        write_text(written[-1], log)
    if "summary" in files:
        written.append(folder / "summary.json")
        write_text(written[-1], json.dumps(contents, indent=2, ensure_ascii=False, allow_nan=False) + "\n")
    if "pictures" in files:
        figures = _save_pictures(traces, world, title, folder)
        written += [folder / f"{figure.name}.png" for figure in figures]
    if "report" in files:
        with TemporaryDirectory() as other:  # of the pictures that only the page contains
            pictures = folder if "pictures" in files else Path(other)
            if "pictures" not in files:
                figures = _save_pictures(traces, world, title, pictures)
            page = render_html(title, list(run_report(contents, figures, log, outcomes)), pictures)
        written.append(folder / "report.html")
        write_text(written[-1], page)
    return written


def _save_pictures(traces: Sequence[Trace], world: WorldSpec, title: str, folder: Path) -> list[Figure]:
    from paddock.report.run_charts import run_pictures

    figures = []
    for figure in run_pictures(traces, world, title):
        save_figure(figure.picture, folder / f"{figure.name}.png")
        figures.append(figure)
    return figures


def name_trace(robot: str, *, alone: bool) -> str:
    """Return the file name of a robot's trace."""
    return "trace.csv" if alone else f"trace-{robot}.csv"


def make_base(base: Path) -> None:
    """Create the folder of runs, or raise before anything is run."""
    try:
        base.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise describe_folder_error(base, "run", error) from error


def fresh_folder(base: Path, name: str) -> Path:
    """Create and return `base/name-001`, or the folder with the next free number."""
    base = Path(base)
    if not name or name in (".", "..") or any(letter in name for letter in '/\\:*?"<>|\0'):
        raise PaddockError(
            f"a run cannot be called {name!r}: expected the name of a folder, without characters such as / : *"
        )
    try:
        base.mkdir(parents=True, exist_ok=True)
        endings = [path.name.removeprefix(f"{name}-") for path in base.glob("*") if path.name.startswith(f"{name}-")]
        number = max((int(ending) for ending in endings if ending.isascii() and ending.isdigit()), default=0)
        while number < MAX_RUNS:
            number += 1
            folder = base / f"{name}-{number:03d}"
            try:
                folder.mkdir()
            except FileExistsError:  # another run was faster
                continue
            return folder
    except OSError as error:
        raise describe_folder_error(base, "run", error) from error
    raise PaddockError(f"{base}: there are too many runs called {name!r}; remove some or choose another name")
