"""Tables of a class."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from paddock.core.terminal.console import Console, cell, new_table
from paddock.core.terminal_text import visible
from paddock.experiments.reproductions.rows import number
from paddock.report.tables import Table, make_console, print_table
from paddock.teaching.classroom import ClassFolder, ResultRow, join_links, staff_links

if TYPE_CHECKING:
    from paddock.teaching.grading import Grading


def print_students(folder: ClassFolder) -> None:
    """Print a table of the students of a class."""
    receipts = folder.receipts()
    files = Counter((receipt.robot, receipt.exercise) for receipt in receipts)
    late = {(receipt.robot, receipt.exercise): ", late" if receipt.late else "" for receipt in receipts}  # the last one
    rows = []
    for student in folder.everyone:
        own = [(exercise, count) for (robot, exercise), count in files.items() if robot == student.robot]
        submitted = [f"{exercise} ({count}{late[student.robot, exercise]})" for exercise, count in own]
        rows.append((visible(student.name), student.robot, student.state, ", ".join(submitted)))
    print_table(make_console(), folder.spec.title, Table(("student", "robot", "state", "submissions"), tuple(rows)))


def print_class_links(folder: ClassFolder) -> None:
    """Print the links of students, of the lecturer and of the projector."""
    print_join_links([(row.name, row.robot, row.link) for row in join_links(folder)])
    for who, link in staff_links(folder).items():
        Console().print(cell(f"{who}: {link}"), soft_wrap=True, highlight=False)


def print_join_links(rows: Sequence[tuple[str, str, str]]) -> None:
    """Print a table of students, robots and links, whose lines are never broken."""
    table = new_table("Join links", "student", "robot", "link")
    for row in rows:
        table.add_row(*map(cell, row))
    wide = max((2 * len(name) + len(robot) + len(link) for name, robot, link in rows), default=0) + 20
    Console(width=max(Console().width, wide)).print(table)


def print_results(folder: ClassFolder) -> None:
    """Print the results of all students: the places in heats, and the last score."""
    rows_of: dict[tuple[str, str], list[ResultRow]] = defaultdict(list)
    for row in folder.results():
        rows_of[row.exercise, row.student].append(row)
    table = []
    for (exercise, student), rows in sorted(rows_of.items(), key=lambda item: (item[0][0], _mean_place(item[1]))):
        places, last = [row.place for row in rows], rows[-1]
        results = (str(len(rows)), str(places.count(1)), number(_mean_place(rows)), str(sum(r.fouls for r in rows)))
        table.append((visible(student), visible(exercise), *results, visible(_score(last))))
    heads = ("student", "exercise", "heats", "won", "mean place", "fouls", "last score")
    print_table(make_console(), f"{folder.spec.title}: results", Table(heads, tuple(table)))


def _mean_place(rows: list[ResultRow]) -> float:
    return sum(row.place for row in rows) / len(rows)


def _score(row: ResultRow) -> str:
    return "–" if row.score is None else f"{number(row.score)} {row.unit}".strip()


def print_grading(done: Grading, out: Path, *, due: datetime | None) -> None:
    """Print the marks, what was written, and what the lecturer has to know: copies, a public exercise, late files."""
    from paddock.teaching.grading.grading_files import OVERVIEW
    from paddock.teaching.grading.grading_report import tabulate_marks

    print_table(make_console(), f"{done.exercise.title}: {len(done.graded)} submissions", tabulate_marks(done))
    aside, there = Console(stderr=True), sum(not each.submission.problem for each in done.graded) - done.fresh
    before = f", {there} of them already graded" if there else ""
    lines = [f"{len(done.graded)} submissions{before}; wrote {out}, {OVERVIEW} and {len(done.graded)} reports"]
    lines += [f"{done.students[pair.first]}: equals {pair.second}" for pair in done.similar if pair.kind == "equal"]
    if done.public:
        lines.append(f"warning: {done.public}")
    late = sum(each.late for each in done.graded)
    if due is not None:
        lines.append(f"due {due:%Y-%m-%d %H:%M:%S %z}: {late} are late")
    elif late:
        lines.append(f"late according to their receipts: {late}")
    for line in lines:
        aside.print(visible(line), highlight=False, markup=False, soft_wrap=True)
