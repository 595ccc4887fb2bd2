"""`paddock grade`: grade all submissions to an exercise, with a progress bar."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from paddock.cli.options import Workers


def grade(
    exercise: Annotated[str, typer.Argument(help="A shipped exercise, or the folder of your own.")],
    submissions: Annotated[Path, typer.Argument(help="Folder with a file NAME.py or a folder NAME for each student.")],
    out: Annotated[Path, typer.Option(help="File for the marks; the reports are written next to it.")] = Path(
        "marks/marks.csv"
    ),
    due: Annotated[
        str | None,
        typer.Option(
            help="Due date such as 2026-11-20T18:00, local time; without a time, the end of that day (23:59:59). "
            "Submissions with a later receipt are late. Default: the due date of the class at the time of submission."
        ),
    ] = None,
    workers: Workers = None,
) -> None:
    """Grade all submissions to an exercise: marks, a report for every student, and one for the class.

    Every program runs with all seeds, public and hidden, each time in its own process with limits on time, memory
    and files. To resume a grading that was stopped or killed, run the same command again.

      paddock grade line-following submissions --out marks/marks.csv
      paddock grade exercises/week-3 submissions --workers 4
    """
    from paddock.cli.console import Console
    from paddock.cli.ending import end_with_results
    from paddock.cli.progress import show_runs
    from paddock.cli.sheets import print_sheet, sheet_console
    from paddock.core.jobs import parse_workers
    from paddock.teaching.grading import grade as grade_all
    from paddock.teaching.grading import save_grading
    from paddock.teaching.grading.grading_report import marks_sheet
    from paddock.teaching.grading.receipts import parse_due

    aside = Console(stderr=True)
    when = None if due is None else parse_due(due)
    with end_with_results(out.parent), show_runs(aside, "grading", of="submissions") as progress:
        done = grade_all(
            exercise, submissions, out=out.parent, workers=parse_workers(workers), progress=progress, due=when
        )
    written = save_grading(done, out)
    print_sheet(sheet_console(), f"{done.exercise.title}: {len(done.graded)} submissions", marks_sheet(done))
    there = sum(not each.submission.problem for each in done.graded) - done.fresh
    before = f", {there} of them already graded" if there else ""
    message = f"{len(done.graded)} submissions{before}; wrote {out}, {written[-1].name} and {len(done.graded)} reports"
    aside.print(message, highlight=False, markup=False, soft_wrap=True)
    late = sum(each.late for each in done.graded)
    if when is None and late:
        aside.print(f"late according to their receipts: {late}", highlight=False, markup=False)
    if when is not None:
        aside.print(f"due {when:%Y-%m-%d %H:%M:%S %z}: {late} are late", highlight=False, markup=False)
