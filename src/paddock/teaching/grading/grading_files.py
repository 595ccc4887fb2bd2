"""The output files of a grading: marks.csv, similar.csv, a page for every student, and one for the class."""

from __future__ import annotations

import csv
import io
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any
from urllib.parse import quote

from paddock.core.files import ensure_folder, write_text
from paddock.report.chart_style import save_figure
from paddock.report.document import Figure, Part, render_html
from paddock.teaching.classroom.class_tables import MARK, text_cell
from paddock.teaching.classroom.submissions import LATE
from paddock.teaching.grading.grading import Grading
from paddock.teaching.grading.grading_report import class_report, describe_failure, format_points, student_report

OVERVIEW, SIMILAR, REPORTS = "overview.html", "similar.csv", "reports"


def save_grading(grading: Grading, marks: Path) -> list[Path]:
    """Write the marks and all other files into the same folder, readable by this user only.

    Equal submissions give identical files.
    """
    folder = marks.parent
    reports = ensure_folder(folder / REPORTS)
    written = [_write_table(marks, *marks_table(grading))]
    written.append(_write_table(folder / SIMILAR, *similar_table(grading)))
    links = {}
    for each in grading.graded:
        name = each.submission.name
        links[name] = links[each.student] = f"{REPORTS}/{quote(name)}.html"
        page = list(student_report(grading.exercise, each))
        written.append(_write_page(reports / f"{name}.html", f"{grading.exercise.title}: {each.student}", page))
    title = f"{grading.exercise.title}: marks"
    return [*written, _write_page(folder / OVERVIEW, title, list(class_report(grading)), links)]


def marks_table(grading: Grading) -> tuple[Sequence[str], Sequence[Sequence[Any]]]:
    """Return the column names and rows of marks.csv."""
    checks = [check.name for check in grading.exercise.checks]
    heads = (
        "name",
        *checks,
        "total",
        "of",
        "known_seeds",
        "failed_runs",
        "failure",
        "student",
        "received",
        "late",
        "lost",
    )
    rows = [
        (
            text_cell(each.submission.name),
            *(format_points(mark.points) for mark in each.marks.checks),
            format_points(each.points),
            format_points(each.marks.max_points),
            format_points(each.public.points),
            each.failed,
            text_cell(describe_failure(each.failure)),
            text_cell(each.receipt.student) if each.receipt else "",
            each.receipt.time if each.receipt else "",
            LATE if each.late else "",
            format_points(each.lost) if each.loss else "",
        )
        for each in grading.graded
    ]
    most, zeros = format_points(grading.exercise.points), ["0"] * len(checks)
    nothing = [
        (text_cell(robot), *zeros, "0", most, "0", 0, "no submission", text_cell(name), "", "", "")
        for robot, name in grading.missing.items()
    ]
    return heads, [*rows, *nothing]


def similar_table(grading: Grading) -> tuple[Sequence[str], Sequence[Sequence[str]]]:
    """Return the column names and rows of similar.csv."""
    heads = ("first", "second", "share", "share_with_numbers", "first_student", "second_student", "kind")
    rows = []
    for pair in grading.similar:
        names = (pair.first, pair.second)
        first, second, *students = map(text_cell, (*names, *(grading.students.get(name, "") for name in names)))
        rows.append((first, second, f"{pair.share:.3f}", f"{pair.exact_share:.3f}", *students, pair.kind))
    return heads, rows


def _write_page(path: Path, title: str, parts: Sequence[Part], links: Mapping[str, str] = MappingProxyType({})) -> Path:
    """Write a self-contained HTML page."""
    with tempfile.TemporaryDirectory() as folder:
        for part in parts:
            if isinstance(part, Figure):
                save_figure(part.picture, Path(folder) / f"{part.name}.png")
        write_text(path, render_html(title, parts, Path(folder), links), private=True)
    return path


def _write_table(path: Path, heads: Sequence[str], rows: Iterable[Sequence[Any]]) -> Path:
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow(heads)
    table.writerows(rows)
    write_text(path, MARK + text.getvalue(), private=True)
    return path
