"""Marks as a table and as a page for students."""

from __future__ import annotations

from collections.abc import Iterator

from paddock.report.document import Failure, Figure, Heading, LogText, Paragraph, Part
from paddock.report.drawing.draw_world import draw_paths
from paddock.report.tables import Table, format_number
from paddock.teaching.exercises.exercise_spec import Exercise
from paddock.teaching.exercises.marks import Marks
from paddock.teaching.exercises.runs import ExerciseRun


def tabulate_marks(marks: Marks) -> Table:
    """Return a row for each check with its points, the required range, and the figure of every seed."""
    rows = [
        (
            mark.check.name,
            mark.state,
            mark.requirement,
            f"{mark.points:g} of {mark.check.points:g}",
            *(format_number(figure, 3) for figure in mark.results),
        )
        for mark in marks.checks
    ]
    total = ("all checks", "", "", f"{marks.points:g} of {marks.max_points:g}", *("" for _ in marks.seeds))
    heads = ("check", "met", "required", "points", *(f"seed {seed}" for seed in marks.seeds))
    return Table(heads, (*rows, total))


def list_failures(marks: Marks) -> dict[str, list[int]]:
    """Return the failures, each with the seeds of its runs."""
    failures: dict[str, list[int]] = {}
    for run in marks.runs:
        if run.failure is not None:
            failures.setdefault(f"{run.failure} ({run.failure.kind})", []).append(run.seed)
    return failures


def marks_report(exercise: Exercise, marks: Marks, file: str) -> Iterator[Part]:
    """Yield the parts of the page."""
    yield Paragraph(f"{file}: {marks.points:g} of {marks.max_points:g} points.")
    for text, seeds in list_failures(marks).items():
        yield Failure(f"seed {', '.join(map(str, seeds))}: {text}")
    yield tabulate_marks(marks)
    for run in marks.runs:
        yield from _run_parts(exercise, run)


def _run_parts(exercise: Exercise, run: ExerciseRun) -> Iterator[Part]:
    if run.episode is None:
        return
    yield Heading(f"Seed {run.seed}")
    traces = [record.trace for record in run.episode.robots.values()]
    title = f"{exercise.title}, seed {run.seed}"
    yield Figure(f"path-{run.seed}", run.episode.reason, draw_paths(traces, exercise.make_world(run.seed), title=title))
    if run.output:
        yield LogText(tuple(run.output.splitlines()), file="printed output")
