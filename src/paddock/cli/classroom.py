"""`paddock class`: all its commands, and those for submissions and marks."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from paddock.cli.class_folder import ClassPath, folder_app, open_class
from paddock.cli.class_lesson import lesson_app
from paddock.cli.contest import contest_app
from paddock.core.files import read_secret
from paddock.core.terminal.shared_options import FILES, Force, Unprotected, Workers, out_option

SUBMISSIONS = "Submissions and marks"
submissions_app = typer.Typer()
Exercise = Annotated[str, typer.Argument(help="The exercise's name.")]
CollectFolder = Annotated[
    Path | None,
    typer.Option(
        "--out",
        "-o",
        rich_help_panel=FILES,
        help="Folder for the files. Default: collected/EXERCISE in the class folder.",
    ),
]
SubmittedFile = Annotated[Path, typer.Argument(help="The Python file to submit.")]
Link = Annotated[
    str, typer.Option("--link", help="Your join link, or @FILE with it.", envvar="PADDOCK_LINK", callback=read_secret)
]
ForExercise = Annotated[
    str, typer.Option("--exercise", help="Name of the exercise. Default: the current one of the class.")
]
LateLoss = Annotated[
    float | None,
    typer.Option(
        min=0,
        max=1,
        help="Share of its points that a late file loses for each day begun, such as 0.1. Default: as in class.toml.",
    ),
]


MarksFile = Annotated[Path, out_option("File for the marks; reports are written next to it.")]
DueDate = Annotated[
    str | None,
    typer.Option(
        help="Due date such as 2026-11-20T18:00, local time; without a time, the end of the day. Default: that of "
        "the class at the time of submission."
    ),
]


@submissions_app.command("collect", rich_help_panel=SUBMISSIONS)
def collect_submissions(folder: ClassPath, exercise: Exercise, out: CollectFolder = None, force: Force = False) -> None:
    """Copy all last submissions into a folder, for `class grade`.

    paddock class collect robotics-101 maze
    paddock class grade maze robotics-101/collected/maze --out marks.csv
    """
    from paddock.core.terminal.output_files import check_new
    from paddock.core.terminal_text import visible

    found = open_class(folder)
    place = out or folder / "collected" / exercise
    if out is not None and place.exists() and any(place.iterdir()):
        check_new(place, force=force)
    copies = found.collect(exercise, place)
    typer.echo(f"wrote {len(copies)} files into {place}")
    for student in found.students:
        if student.name not in copies:
            typer.echo(visible(f"  no submission from {student.name}"))


@submissions_app.command("results", rich_help_panel=SUBMISSIONS)
def show_results(folder: ClassPath) -> None:
    """Print the results of all heats.

    paddock class results robotics-101
    """
    from paddock.cli.class_tables import print_results

    print_results(open_class(folder))


@submissions_app.command("submit", rich_help_panel=SUBMISSIONS)
def submit(file: SubmittedFile, link: Link, exercise: ForExercise = "") -> None:
    """Submit a Python file for an exercise of your class.

    paddock class submit mine.py --link "http://HOST:8642/#token=…&robot=ada"
    """
    from paddock.core.terminal_text import visible
    from paddock.network.client.submission import submit_file

    receipt = submit_file(link, file, exercise=exercise)
    typer.echo(visible(receipt.text or f"receipt {receipt.number}, {receipt.time}"))
    typer.echo(visible(f"SHA-256 {receipt.sha256}"))


@submissions_app.command("grade", rich_help_panel=SUBMISSIONS)
def grade(
    exercise: Annotated[str, typer.Argument(help="A shipped exercise, or the folder of your own.")],
    submissions: Annotated[Path, typer.Argument(help="Folder with a file NAME.py or a folder NAME for each student.")],
    out: MarksFile = Path("marks/marks.csv"),
    due: DueDate = None,
    late_loss: LateLoss = None,
    workers: Workers = None,
    unprotected: Unprotected = False,
) -> None:
    """Grade all submissions: marks and reports.

    Every program runs with all seeds, public and hidden, each time in its own process with limits on time, memory
    and files. To resume a grading that was stopped or killed, run the same command again.

      paddock class grade line-following submissions --out marks/marks.csv
      paddock class grade exercises/week-3 submissions --workers 4
    """
    from paddock.cli.class_tables import print_grading
    from paddock.core.jobs import parse_workers
    from paddock.core.terminal.console import Console
    from paddock.core.terminal.ending import end_with_results
    from paddock.core.terminal.progress import show_runs
    from paddock.teaching.grading import grade as grade_all
    from paddock.teaching.grading import save_grading
    from paddock.teaching.grading.grading import parse_due

    when = None if due is None else parse_due(due)
    with end_with_results(out.parent), show_runs(Console(stderr=True), "grading", of="submissions") as progress:
        done = grade_all(
            exercise,
            submissions,
            out=out.parent,
            workers=parse_workers(workers),
            progress=progress,
            due=when,
            late_loss=late_loss,
            unprotected=unprotected,
        )
    save_grading(done, out)
    print_grading(done, out, due=when)


class_app = typer.Typer(help="A class: students, links, lessons, submissions, contests.", no_args_is_help=True)
for part in (folder_app, lesson_app, submissions_app):
    class_app.add_typer(part)
class_app.add_typer(contest_app, name="contest", rich_help_panel=SUBMISSIONS)
