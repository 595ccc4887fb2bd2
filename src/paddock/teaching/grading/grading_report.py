"""The reports of a grading: one for every student, without hidden seeds and other names, and one for the class."""

from __future__ import annotations

import base64
import io
import statistics
from collections import Counter
from collections.abc import Iterator

from PIL import Image

from paddock.report.charts import Level, histogram
from paddock.report.document import Failure, Figure, Heading, LogText, Paragraph, Part, Remark
from paddock.report.drawing.colours import LINES
from paddock.report.tables import Table, format_number
from paddock.teaching.exercises import CheckMark, Exercise, ExerciseRun, RunFailure
from paddock.teaching.exercises.marks import COSTLY
from paddock.teaching.grading.grading import GradedSubmission, Grading
from paddock.teaching.sandbox.submissions import printable_name

PATH, POINTS = "path", "points"
DISTRIBUTION_FROM = 3  # minimum number of submissions for a histogram


def student_report(exercise: Exercise, graded: GradedSubmission) -> Iterator[Part]:
    """Yield the parts of a student's page."""
    marks = graded.marks
    runs, known = len(marks.runs), len(graded.public.runs)
    file = printable_name(graded.submission.file)
    yield Remark(f"{exercise.title} · {file} · {runs} runs, {known} of them with known seeds")
    if graded.receipt is not None:
        yield Remark(f"{graded.receipt.student} · received {graded.receipt.time}{', late' if graded.late else ''}")
    yield Paragraph(
        f"{format_points(graded.points)} of {format_points(marks.max_points)} points"
        + (f", {format_points(graded.lost)} less than earned, because the file was late" if graded.loss else "")
        + f"; with the known seeds only, as in `paddock exercise check`, {format_points(graded.public.points)}."
    )
    if graded.failure is not None:
        yield Failure(_describe_failed_run(graded))
        yield from _failing_line(graded)
    yield Heading("Checks")
    yield Table(
        ("met", "check", "required", "runs that meet it", "points", "of"), tuple(_check_row(m) for m in marks.checks)
    )
    if graded.picture:
        yield Heading("Path")
        image = Image.open(io.BytesIO(base64.b64decode(graded.picture)))
        yield Figure(PATH, f"Path with seed {graded.shown}", image)
    yield Heading("Runs")
    yield tabulate_runs(exercise, graded)
    yield from _outputs(exercise, graded)


def _check_row(mark: CheckMark) -> tuple[str, ...]:
    met = f"{sum(mark.met)} of {len(mark.met)}"
    points, most = format_points(mark.points), format_points(mark.check.points)
    return mark.state, mark.check.name, mark.requirement, met, points, most


def tabulate_runs(exercise: Exercise, graded: GradedSubmission) -> Table:
    """Return a row for every run with the checked figures, without the numbers of hidden seeds."""
    heads = list(dict.fromkeys(mark.check.measure for mark in graded.marks.checks))
    results = {mark.check.measure: mark.results for mark in graded.marks.checks}
    rows = [
        (name_seed(exercise, run), *(format_number(results[head][k]) for head in heads), _describe_run(graded, k))
        for k, run in enumerate(graded.marks.runs)
    ]
    table = Table(("seed", *(head.rpartition(":")[2] for head in heads), "failure"), tuple(rows))
    return table if graded.failed else Table(table.heads[:-1], tuple(row[:-1] for row in rows))


def _describe_run(graded: GradedSubmission, k: int) -> str:
    """Return the failure of a run as text; runs after a costly failure are not executed."""
    failure, before = (graded.marks.runs[j].failure for j in (k, max(k - 1, 0)))
    if failure is None:
        return ""
    return "not run: same failure" if k and failure == before and failure.kind in COSTLY else str(failure)


def name_seed(exercise: Exercise, run: ExerciseRun) -> str:
    """Return the name of a seed for students; hidden seeds are only numbered."""
    if run.seed in exercise.seeds:
        return str(run.seed)
    return f"hidden {exercise.hidden_seeds.index(run.seed) + 1}"


def _describe_failed_run(graded: GradedSubmission) -> str:
    failure, runs = graded.failure, len(graded.marks.runs)
    assert failure is not None
    where = "every run" if graded.failed == runs else f"{graded.failed} of {runs} runs"
    return f"{where[0].upper()}{where[1:]} failed ({failure.kind}): {failure}"


def _failing_line(graded: GradedSubmission) -> Iterator[Part]:
    """Yield the line of the program that failed."""
    place = "" if graded.failure is None else graded.failure.location
    name, _, number = place.rpartition(" line ")
    path = (graded.submission.folder or graded.submission.file.parent) / name
    if path in graded.submission.files and number.isascii() and number.isdecimal():
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
        text = lines[int(number) - 1].strip() if 0 < int(number) <= len(lines) else ""
        if text:
            yield Paragraph(f"Line {number} of `{name}` is `{text.replace('`', '’')}`")


def _outputs(exercise: Exercise, graded: GradedSubmission) -> Iterator[Part]:
    """Yield the output of the first public run that printed anything."""
    run = next((run for run in graded.public.runs if run.output.strip()), None)
    if run is not None:
        yield Heading(f"Output with seed {run.seed}")
        yield LogText(tuple(run.output.splitlines()), "printed output")


def class_report(grading: Grading) -> Iterator[Part]:
    """Yield the parts of the class page."""
    exercise, graded = grading.exercise, grading.graded
    totals = [each.points for each in graded]
    seeds = f"{len(exercise.seeds)} public and {len(exercise.hidden_seeds)} hidden seeds"
    yield Remark(f"{exercise.name} · {len(graded)} submissions · {seeds}")
    middle = f"mean {statistics.fmean(totals):.2f}, median {statistics.median(totals):.2f}"
    full = sum(each.marks.full for each in graded)
    failed = sum(each.failure is not None for each in graded)
    most = format_points(exercise.points)
    yield Paragraph(f"Of {most} points: {middle}. Full marks: {full}. Submissions with failed runs: {failed}.")
    if grading.public:
        yield Failure(grading.public)
    if grading.missing:
        yield Paragraph(f"No submission from {', '.join(grading.missing.values())}.")
    yield Heading("Marks")
    yield tabulate_marks(grading)
    if len(graded) >= DISTRIBUTION_FROM:
        yield Heading("Distribution")
        levels = [Level("mean", LINES[1], statistics.fmean(totals), dashed=True)]
        chart = histogram(
            "Points", totals, x_name=f"points of {most}", color=LINES[0],
            about=f"{len(graded)} submissions", levels=levels,
        )  # fmt: skip
        lowest, highest = chart.get_xlim()
        chart.set_xlim(min(0.0, lowest), max(float(exercise.points), highest))  # the whole scale, reached or not
        yield Figure(POINTS, "Distribution of the points", chart)
    yield Heading("Checks")
    yield tabulate_checks(grading)
    if failed:
        yield Heading("Failures")
        yield tabulate_failures(grading)
    yield Heading("Similar submissions")
    yield from _similar(grading)


def tabulate_marks(grading: Grading) -> Table:
    """Return a row for every submission and every missing one, with the data of receipts if there are any."""
    names = [check.name for check in grading.exercise.checks]
    receipt_columns = ("student", "received") if any(each.receipt for each in grading.graded) else ()
    rows = tuple(
        (
            each.submission.name,
            *_describe_receipt(each)[: len(receipt_columns)],
            format_points(each.points),
            format_points(each.public.points),
            "" if each.failure is None else each.failure.kind,
            *(format_points(mark.points) for mark in each.marks.checks),
        )
        for each in grading.graded
    )
    rest = ("0", "0", "no submission", *["0"] * len(names))
    rows += tuple((robot, *(name, "")[: len(receipt_columns)], *rest) for robot, name in grading.missing.items())
    return Table(("name", *receipt_columns, "points", "known seeds", "failure", *names), rows)


def _describe_receipt(graded: GradedSubmission) -> tuple[str, str]:
    if graded.receipt is None:
        return "", ""
    return graded.receipt.student, graded.receipt.time[:16].replace("T", " ") + _describe_lateness(graded)


def _describe_lateness(graded: GradedSubmission) -> str:
    less = f" (−{format_points(graded.lost)})" if graded.loss else ""
    return f", late{less}" if graded.late else ""


def tabulate_checks(grading: Grading) -> Table:
    """Return how many submissions earned all, some or none of the points of each check."""
    rows = []
    for k, check in enumerate(grading.exercise.checks):
        marks = [each.marks.checks[k] for each in grading.graded]
        states = Counter("all" if m.full else "none" if m.points == 0 else "some" for m in marks)
        mean = statistics.fmean(mark.points for mark in marks)
        counts = (str(states[state]) for state in ("all", "some", "none"))
        rows.append((check.name, *counts, f"{mean:.2f}", format_points(check.points)))
    return Table(("check", "all points", "some", "none", "mean", "of"), tuple(rows))


def tabulate_failures(grading: Grading) -> Table:
    """Return the failures of all submissions, with kind and location."""
    rows = tuple(
        (each.student, each.failure.kind, f"{each.failed} of {len(each.marks.runs)}", str(each.failure))
        for each in grading.graded
        if each.failure is not None
    )
    return Table(("name", "kind", "runs", "description"), rows)


def _similar(grading: Grading) -> Iterator[Part]:
    if not grading.similar:
        yield Paragraph(
            "Apart from the starter code and common parts, no two submissions are similar, and none is to a solution."
        )
        return
    yield Paragraph(
        "Share of the smaller program that the other one also contains, regardless of names and comments. Programs for "
        "the same task are similar: look at them before you draw conclusions."
    )
    students = grading.students
    rows = tuple(
        (
            students[pair.first],
            pair.kind,
            students.get(pair.second, pair.second),
            f"{100 * pair.share:.0f} %",
            f"{100 * pair.exact_share:.0f} %",
        )
        for pair in grading.similar
    )
    yield Table(("name", "is", "to", "shared", "with the same numbers"), rows)


def format_points(points: float) -> str:
    """Return points as text without trailing zeros."""
    return f"{points:.2f}".rstrip("0").rstrip(".")


def describe_failure(failure: RunFailure | None) -> str:
    """Return a failure as a table cell."""
    return "" if failure is None else f"{failure.kind}: {failure}"
