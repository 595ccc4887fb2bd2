"""GradingWorker: executes all runs of a submission in a worker process; each run is in a sandbox."""

from __future__ import annotations

import base64
import io
import warnings
from pathlib import Path
from typing import Any, NamedTuple

from paddock.core.errors import PaddockWarning
from paddock.report.drawing.draw_world import draw_paths
from paddock.teaching.exercises import Exercise, ExerciseRun, Marks, RunFailure, check_exercise, load_exercise

PICTURE = 800  # pixels


class GradingJob(NamedTuple):
    """A submission to grade."""

    file: Path
    folder: Path | None


class GradingWorker:
    """Returns the result of a submission as JSON-compatible data; it depends only on its files and the exercise."""

    def __init__(self, exercise: str) -> None:
        self._exercise = load_exercise(exercise)

    def __call__(self, job: GradingJob) -> dict[str, Any]:
        with warnings.catch_warnings(action="ignore", category=PaddockWarning):  # they do not name the submission
            marks = check_exercise(self._exercise, job.file, self._exercise.all_seeds, folder=job.folder)
        shown = choose_run(self._exercise, marks)
        return {
            "runs": [pack_run(run) for run in marks.runs],
            "shown": None if shown is None else shown.seed,
            "picture": None if shown is None else draw_run(self._exercise, shown),
        }


def choose_run(exercise: Exercise, marks: Marks) -> ExerciseRun | None:
    """Return the public run to draw: the first that misses a check, else the first; None if no run started."""
    public = [(k, run) for k, run in enumerate(marks.runs) if run.seed in exercise.seeds and run.episode is not None]
    missed = [run for k, run in public if not all(mark.met[k] for mark in marks.checks)]
    return next(iter([*missed, *(run for _, run in public)]), None)


def draw_run(exercise: Exercise, run: ExerciseRun) -> str:
    """Draw the paths of the robots on the map, as PNG in base64."""
    assert run.episode is not None
    traces = [record.trace for record in run.episode.robots.values() if len(record.trace)]
    image = draw_paths(traces, exercise.make_world(run.seed), title=exercise.title, size=PICTURE)
    data = io.BytesIO()
    image.save(data, "PNG")
    return base64.b64encode(data.getvalue()).decode()


def pack_run(run: ExerciseRun) -> dict[str, Any]:
    """Return a run as JSON-compatible data."""
    failure = None if run.failure is None else [run.failure.kind, run.failure.location, run.failure.text]
    results = {robot: dict(own) for robot, own in run.results.items()}
    return {"seed": run.seed, "results": results, "failure": failure, "output": run.output}


def unpack_run(packed: dict[str, Any]) -> ExerciseRun:
    """Return the run from its JSON data, without its episode."""
    report = packed["failure"]
    failure = None if report is None else RunFailure(kind=report[0], location=report[1], text=report[2])
    return ExerciseRun(seed=packed["seed"], results=packed["results"], failure=failure, output=packed["output"])
