"""Exercises in a terminal: tables of exercises, checks and marks; runs on the page."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import typer
from rich.markdown import Markdown
from rich.text import Text

from paddock.arena import Arena
from paddock.cli.driving import STALLED, report_stalls
from paddock.cli.pages import offer_to_run_again, show_page
from paddock.core.errors import PaddockError
from paddock.core.files import ensure_folder
from paddock.core.terminal.console import Console, cell, new_table, print_json
from paddock.core.terminal.output_files import check_new, print_written
from paddock.core.terminal_text import shell_word, visible
from paddock.report.document import write_document
from paddock.report.tables import make_console, print_table
from paddock.teaching.exercises import (
    Exercise,
    ExerciseRun,
    Marks,
    check_exercise,
    exercise_names,
    load_exercise,
    mark_runs,
    run_exercise,
)
from paddock.teaching.exercises.exercise_report import list_failures, marks_report, tabulate_marks
from paddock.teaching.exercises.exercise_spec import STARTER, TEXT_FILE
from paddock.teaching.exercises.folders import PROGRAM, new_exercise, start_exercise, write_handout
from paddock.teaching.exercises.verify import verify_exercise
from paddock.teaching.sandbox.submissions import find_submission


def list_exercises() -> None:
    """Print a table of the shipped exercises."""
    table = new_table("Exercises", "name", "title", "devices", "points", "seeds", right=("points", "seeds"))
    for name in exercise_names():
        found = load_exercise(name)
        row = name, found.title, ", ".join(found.devices), f"{found.points:g}", str(len(found.seeds))
        table.add_row(*map(cell, row))
    Console().print(table)


def show_exercise(name: str) -> None:
    """Print the text of an exercise, and its checks as a table."""
    found, console = load_exercise(name), Console()
    console.print(Markdown(_visible_lines(found.read_text())))
    table = new_table("Checks", "check", "measure", "required", "points", right=("points",))
    for check in found.checks:
        row = check.name, check.measure.rpartition(":")[2], check.required_range, f"{check.points:g}"
        table.add_row(*map(cell, row))
    console.print(table)
    seeds = ", ".join(map(str, found.seeds))
    console.print(f"{found.seconds:g} s with each of the seeds {seeds}", highlight=False, markup=False)


def _visible_lines(text: str) -> str:
    return "\n".join(visible(line) for line in text.splitlines())


def begin_exercise(folder: Path, template: str) -> None:
    """Create the folder of a new exercise, and list its files."""
    for path in new_exercise(folder, template):
        typer.echo(path)
    typer.echo(f"edit these files, then: paddock exercise verify {shell_word(folder)}")


def start_work(name: str, out: Path | None) -> None:
    """Create a student's folder for an exercise, list its files, and print the next command."""
    found = load_exercise(name)
    folder = out or Path(found.name)
    if out is None and folder.resolve() == Path(found.folder):
        folder = Path(f"my-{found.name}")
    for path in start_exercise(found, folder):
        typer.echo(path)
    typer.echo(f"read the task in {folder / TEXT_FILE}, edit {folder / PROGRAM}, then:")
    typer.echo(f"  paddock exercise try {shell_word(name)} -c {shell_word(folder / PROGRAM)}")


def try_exercise(
    name: str, controller: Path | None, *, seed: int | None, speed: float | None, headless: bool, port: int | None
) -> bool:
    """Run a program with one seed, on the page, and again on request of a viewer; return whether it did not fail."""
    found, console = load_exercise(name), Console()
    file, folder = _find_program(controller or found.path(STARTER))
    chosen = found.seeds[0] if seed is None else seed
    again = True

    def report(run: ExerciseRun) -> str:
        """Print the result of a run, and return it in one line."""
        if run.output:
            console.print(_visible_lines(run.output), highlight=False, markup=False)
        marks = mark_runs(found, [run])
        print_table(make_console(), f"{found.title}: {file.name}, seed {chosen}", tabulate_marks(marks))
        if run.failure is not None:
            console.print(Text.assemble(("failed: ", "bold red"), visible(str(run.failure))))
        points = f"{marks.points:g} of {marks.max_points:g} points"
        why = run.failure or (run.episode.reason if run.episode else "the run did not start")
        return f"{why}; {points}"

    @contextmanager
    def watch(arena: Arena) -> Iterator[Callable[[ExerciseRun], None]]:
        with show_page(arena, console=console, speed=speed, port=port, devices=found.devices) as page:

            def offer(run: ExerciseRun) -> None:
                nonlocal again
                again = offer_to_run_again(page, console, report(run), failed=run.failure is not None)

            yield offer

    while again:
        again = False
        with report_stalls(console, after=STALLED):  # where no sandbox limits the time of an answer
            run = run_exercise(found, file, chosen, folder=folder, watch=None if headless else watch)
    if headless:
        report(run)
    return run.failure is None


def check_file(name: str, file: Path, *, seeds: Sequence[int] | None, report: Path | None, json_lines: bool) -> bool:
    """Check a program and print its marks; return whether it earned all points."""
    found, aside = load_exercise(name), Console(stderr=True)
    if report is not None:
        ensure_folder(report)
    with aside.status(f"checking {cell(file.name)} …"):
        program, folder = _find_program(file)
        marks = check_exercise(found, program, seeds, folder=folder)
    if json_lines:
        _print_marks(marks)
    else:
        print_table(make_console(), f"{found.title}: {file.name}", tabulate_marks(marks))
    for text, failed in list_failures(marks).items():
        message = f"seed {', '.join(map(str, failed))}: {visible(text)}"
        aside.print(Text.assemble(("failed: ", "bold red"), message), soft_wrap=True, highlight=False)
    if report is not None:
        written = write_document(found.title, list(marks_report(found, marks, file.name)), report)
        print_written(written[1], err=True)
    return marks.full


def _find_program(path: Path) -> tuple[Path, Path | None]:
    """Return the file of a program, and its folder if it has one, as in grading."""
    if not path.is_dir():
        return path, None
    found = find_submission(path)
    if found.problem:
        raise PaddockError(f"{path}: {found.problem}")
    return found.file, found.folder


def _print_marks(marks: Marks) -> None:
    for mark in marks.checks:
        results = {str(seed): figure for seed, figure in zip(marks.seeds, mark.results, strict=True)}
        row = {"check": mark.check.name, "points": mark.points, "of": mark.check.points, "results": results}
        print_json(row)


def hand_out(name: str, output: Path | None, force: bool) -> None:
    """Write the files for students, and list them."""
    found = load_exercise(name)
    out = Path(f"{found.name}.zip") if output is None else output
    if out.suffix == ".zip":
        check_new(out, force=force)
    for file in write_handout(found, out, force=force):
        typer.echo(file)
    print_written(out)


def verify(name: str) -> bool:
    """Verify an exercise and print the findings; return whether it is ready for students."""
    found: Exercise = load_exercise(name)
    console, fit = Console(), True
    with console.status("") as status:
        for finding in verify_exercise(found, on_file=lambda file: status.update(f"running {cell(file)} …")):
            fit = fit and (finding.holds or not finding.needed)
            missed = ("NO", "bold red") if finding.needed else ("!", "bold yellow")
            mark, style = ("yes", "green") if finding.holds else missed
            detail = f": {visible(finding.detail)}" if finding.detail else ""
            console.print(Text.assemble((f"{mark:>3} ", style), finding.what, detail), soft_wrap=True)
    return fit
