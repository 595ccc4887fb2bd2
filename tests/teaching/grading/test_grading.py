"""Grading: equal submissions get equal marks, failures are reported, and students see only their own data."""

from __future__ import annotations

import csv
import os
import re
import shutil
import signal
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from matplotlib.axes import Axes

from command_line import paddock
from paddock.core.errors import PaddockError
from paddock.report.document import Figure
from paddock.teaching.classroom import ClassFolder, ClassSpec
from paddock.teaching.classroom.class_spec import class_text
from paddock.teaching.exercises import check_exercise, load_exercise
from paddock.teaching.exercises.loader import explain_publicity
from paddock.teaching.grading import find_similar, find_submissions, grade, save_grading
from paddock.teaching.grading.grading import parse_due
from paddock.teaching.grading.grading_report import class_report
from paddock.teaching.sandbox import guards
from paddock.testing import wait_for
from warm_start import start_python

EXERCISE = """
title = "Go ahead"
world = "line-track"
seconds = 1.0
devices = ["ground"]
seeds = [1, 2]
metrics = ["distance"]

[[checks]]
name = "moves"
measure = "distance"
at_least = 0.01
points = 2

[[checks]]
name = "moves far"
measure = "distance"
at_least = 0.05
points = 3
"""
PROGRAMS = {
    "anna": "def act(seen):\n    print(seen.ground)\n    return 0.08, 0.08\n",
    "bert": "def act(seen):\n    return 0.03, 0.03\n",
    "cleo": "def act(seen):\n    return 1 / 0\n",
    "dora": "text = open('{folder}/anna.py').read()\n",
    "emil": "import random, time\nstep = 0.01 * random.random() + 0.001 * hash('x') % 7\n"
    "def act(seen):\n    return 0.05 + step * (time.time() > 0.5), 0.05\n",
}


@pytest.fixture(scope="module")
def exercise(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("exercises") / "ahead"
    folder.mkdir()
    (folder / "exercise.toml").write_text(EXERCISE)
    (folder / "hidden.toml").write_text("seeds = [7331]\n")
    (folder / "starter.py").write_text("def act(seen):\n    return 0.0, 0.0\n")
    return folder


@pytest.fixture(scope="module")
def submissions(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("submissions")
    for name, text in PROGRAMS.items():
        (folder / f"{name}.py").write_text(text.replace("{folder}", str(folder)))
    (folder / "frida").mkdir()
    (folder / "frida" / "controller.py").write_text("from mine import speed\ndef act(seen): return speed, speed\n")
    (folder / "frida" / "mine.py").write_text("speed = 0.08\n")
    (folder / "gustav").mkdir()
    (folder / "README.txt").write_text("no submission")
    return folder


@pytest.fixture(scope="module")
def marked(exercise: Path, submissions: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The output folder of a grading by the command line."""
    out = tmp_path_factory.mktemp("marks")
    done = paddock("class", "grade", str(exercise), str(submissions), "--out", str(out / "marks.csv"), "--workers", "1")
    assert done.returncode == 0, done.stderr
    return out


def read_marks(folder: Path) -> dict[str, dict[str, str]]:
    with (folder / "marks.csv").open(newline="", encoding="utf-8-sig") as file:
        return {row["name"]: row for row in csv.DictReader(file)}


def test_each_check_gives_points_and_failures_name_line(marked: Path) -> None:
    marks = read_marks(marked)
    assert list(marks) == ["anna", "bert", "cleo", "dora", "emil", "frida", "gustav"]
    assert (marks["anna"]["moves"], marks["anna"]["moves far"], marks["anna"]["total"]) == ("2", "3", "5")
    assert (marks["bert"]["moves"], marks["bert"]["moves far"], marks["bert"]["total"]) == ("2", "0", "2")
    assert marks["frida"]["total"] == "5"
    assert marks["cleo"]["failure"] == "crash: cleo.py line 2: ZeroDivisionError: division by zero"
    assert marks["dora"]["failure"].startswith("forbidden: dora.py line 1: a controller may not read ")
    problem = "there is neither controller.py nor a single Python file of another name"
    assert marks["gustav"]["failure"] == f"invalid: {problem}"
    assert [marks[name]["total"] for name in ("cleo", "dora", "gustav")] == ["0", "0", "0"]
    assert {row["of"] for row in marks.values()} == {"5"}


def test_the_axis_of_the_points_shows_the_whole_scale_even_if_nobody_has_full_marks(
    exercise: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "submissions"
    folder.mkdir()
    for name in ("bert", "cleo", "hugo"):
        (folder / f"{name}.py").write_text(PROGRAMS.get(name, PROGRAMS["bert"] + "# the same\n"))
    grading = grade(exercise, folder, out=tmp_path / "out", workers=1)
    assert max(each.marks.points for each in grading.graded) == 2
    (chart,) = (part.picture for part in class_report(grading) if isinstance(part, Figure))
    assert isinstance(chart, Axes)
    assert (chart.get_xlim()[0], chart.get_xlim()[1]) == (0.0, 5.0)


def test_same_submissions_give_byte_identical_files(
    marked: Path, exercise: Path, submissions: Path, tmp_path: Path
) -> None:
    save_grading(grade(exercise, submissions, out=tmp_path, workers=2), tmp_path / "marks.csv")
    names = sorted(path.relative_to(marked) for path in marked.rglob("*") if path.suffix in (".csv", ".html"))
    assert len(names) == 3 + 7
    assert [name for name in names if (marked / name).read_bytes() != (tmp_path / name).read_bytes()] == []


def test_marks_with_public_seeds_equal_those_students_see(marked: Path, exercise: Path, submissions: Path) -> None:
    chosen, marks = load_exercise(exercise), read_marks(marked)
    for name in ("anna", "bert", "cleo", "emil"):
        points = check_exercise(chosen, submissions / f"{name}.py").points
        assert float(marks[name]["known_seeds"]) == points


def test_reports_hide_hidden_seeds_and_other_students(marked: Path) -> None:
    page = (marked / "reports" / "anna.html").read_text()
    assert "hidden 1" in page
    assert "7331" not in page
    assert not [name for name in ("bert", "cleo", "dora") if name in page]
    assert "Path with seed 1" in page
    assert "Line 2 of <code>cleo.py</code> is <code>return 1 / 0</code>" in (marked / "reports/cleo.html").read_text()
    overview = (marked / "overview.html").read_text()
    assert '<a href="reports/anna.html">anna</a>' in overview


def test_only_new_versions_are_graded_again(marked: Path, exercise: Path, submissions: Path, tmp_path: Path) -> None:
    shutil.copy(marked / "graded.jsonl", tmp_path / "graded.jsonl")
    copied = Path(shutil.copytree(submissions, tmp_path / "submissions"))
    assert grade(exercise, copied, out=tmp_path, workers=1).fresh == 0
    (copied / "bert.py").write_text("def act(seen):\n    return 0.08, 0.08\n")
    again = grade(exercise, copied, out=tmp_path, workers=1)
    assert again.fresh == 1
    assert {each.submission.name: each.marks.points for each in again.graded}["bert"] == 5


def test_invalid_submission_does_not_count_as_already_graded(exercise: Path, tmp_path: Path) -> None:
    (tmp_path / "in" / "empty").mkdir(parents=True)
    (tmp_path / "in" / "none.py").write_text("def act(seen):\n    pass\n")
    done = paddock(
        "class", "grade", str(exercise), str(tmp_path / "in"), "--out", str(tmp_path / "marks.csv"), "--workers", "1"
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == f"2 submissions; wrote {tmp_path / 'marks.csv'}, overview.html and 2 reports\n"
    done = paddock(
        "class", "grade", str(exercise), str(tmp_path / "in"), "--out", str(tmp_path / "marks.csv"), "--workers", "1"
    )
    assert done.stderr.startswith("2 submissions, 1 of them already graded; wrote")


def test_interrupted_grading_resumes(exercise: Path, submissions: Path, tmp_path: Path) -> None:
    command = ["-m", "paddock", "class", "grade", str(exercise), str(submissions), "--workers", "1"]
    kept = tmp_path / "graded.jsonl"
    with start_python([*command, "--out", str(tmp_path / "marks.csv")]) as first:
        wait_for(lambda: kept.exists() and kept.read_text().count("\n") >= 2)
        first.send_signal(signal.SIGINT)
        _, said = first.communicate()
    assert first.returncode == 130
    assert "the same command continues" in said
    done = grade(exercise, submissions, out=tmp_path, workers=1)
    assert 0 < done.fresh < 6


def test_similar_programs_are_found_despite_names_and_comments() -> None:
    copied = "\n".join(f"def step_{k}(a, b):\n    return [a * {k} + b for a in range(b) if a > {k}]" for k in range(6))
    changed = (
        copied.replace("step_", "phase_").replace("(a, b)", "(first, second)").replace("return", "# mine\n    return")
    )
    other = "class Controller:\n" + "\n".join(
        f"    def part_{k}(self):\n        while self.x[{k}] < 3:\n            self.x[{k}] += len(self.y)"
        for k in range(6)
    )
    starter = "import math\nSPEED = 0.05\n"
    texts = {"anna": starter + copied, "bert": starter + changed, "cleo": starter + other, "dora": starter}
    found = find_similar(texts, starter)
    assert [(pair.first, pair.second, pair.share, pair.exact_share) for pair in found] == [("anna", "bert", 1.0, 1.0)]
    assert not find_similar({"anna": starter, "emil": starter}, starter)
    other_numbers = find_similar({"anna": copied, "emil": re.sub(r"\d", "9", copied)})
    assert [(pair.share, pair.exact_share < 0.6) for pair in other_numbers] == [(1.0, True)]


def test_similar_pairs_show_student_names(exercise: Path, tmp_path: Path) -> None:
    course = ClassFolder.create(tmp_path / "course", ClassSpec(title="Course"), ["Anna Ångström", "李雷"])
    copied = "def act(seen):\n" + "\n".join(f"    step_{k} = [{k} * a for a in seen.ground]" for k in range(9))
    for number, student in enumerate(course.students):
        course.receive(student, "ahead", "mine.py", f"{copied}\n    return 0.01, 0.0{number + 1}\n".encode())
    out = tmp_path / "marks"
    save_grading(grade(exercise, course.path / "submissions" / "ahead", out=out, workers=1), out / "marks.csv")
    (row,) = csv.DictReader((out / "similar.csv").read_text(encoding="utf-8-sig").splitlines())
    assert (row["first"], row["first_student"]) == ("anna-angstrom", "Anna Ångström")
    assert (row["second"], row["second_student"]) == ("李雷", "李雷")
    page = (out / "overview.html").read_text(encoding="utf-8")
    assert "Anna Ångström" in page[page.index("Similar submissions") :]


def test_copied_solution_and_public_exercise_are_reported(exercise: Path, tmp_path: Path) -> None:
    """The solutions of shipped exercises are public, and so are all seeds of an exercise without hidden ones."""
    known = Path(shutil.copytree(exercise, tmp_path / "known"))
    (known / "hidden.toml").unlink()
    solution = load_exercise("first-drive").path("solution.py").read_text(encoding="utf-8")
    folder = tmp_path / "submissions"
    folder.mkdir()
    (folder / "anna.py").write_text(solution.replace("ahead", "nearest").replace('"""', '"""Mine. ', 1))
    (folder / "bert.py").write_text(PROGRAMS["bert"])
    command = ("class", "grade", str(known), str(folder), "--out", str(tmp_path / "marks.csv"), "--workers", "1")
    done = paddock(*command, columns=200)
    assert done.returncode == 0, done.stderr
    assert "anna: equals the shipped solution of first-drive" in done.stderr
    assert "bert: equals" not in done.stderr
    assert "warning: students know all seeds of this exercise: write further ones into hidden.toml" in done.stderr
    (row,) = csv.DictReader((tmp_path / "similar.csv").read_text(encoding="utf-8-sig").splitlines())
    assert (row["first"], row["second"], row["kind"]) == ("anna", "the shipped solution of first-drive", "equal")
    page = (tmp_path / "overview.html").read_text(encoding="utf-8")
    assert "the shipped solution of first-drive" in page
    assert "students know all seeds" in page
    assert "students know" not in (tmp_path / "reports" / "anna.html").read_text(encoding="utf-8")


def test_exercise_is_public_if_students_know_all_its_seeds(exercise: Path, tmp_path: Path) -> None:
    assert explain_publicity(load_exercise(exercise)) == ""
    shipped = explain_publicity(load_exercise("maze"))
    assert "this exercise is public: its solution and hidden seeds are published with Paddock" in shipped
    assert "`paddock exercise new my-maze --from maze`" in shipped
    copied = Path(shutil.copytree(exercise, tmp_path / "ahead"))
    (copied / "hidden.toml").write_text(f"seeds = {list(load_exercise('maze').hidden_seeds[:3])}\n")
    assert "the hidden seeds are those of the exercise maze, which is public" in explain_publicity(
        load_exercise(copied)
    )
    (copied / "hidden.toml").unlink()
    assert "students know all seeds of this exercise" in explain_publicity(load_exercise(copied))


def test_marks_and_hidden_seeds_are_readable_by_the_owner_only(marked: Path) -> None:
    files = [path for path in marked.rglob("*") if path.is_file()]
    assert {"marks.csv", "graded.jsonl", "overview.html"} <= {path.name for path in files}
    assert [path.name for path in files if path.stat().st_mode & 0o077] == []


def test_nothing_is_graded_where_submissions_cannot_be_confined(
    exercise: Path, submissions: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(guards, "find_file_guard", lambda: "")
    with pytest.raises(PaddockError, match=r"submissions cannot be confined on this system: .* Landlock"):
        grade(exercise, submissions, out=tmp_path / "marks")
    assert not (tmp_path / "marks").exists()
    (tmp_path / "files").mkdir()
    (tmp_path / "files" / "ada.py").write_text("def act(seen): return 0.1, 0.1\n")
    done = grade(exercise, tmp_path / "files", out=tmp_path / "marks", workers=1, unprotected=True)
    assert done.graded[0].marks.points > 0


def test_folder_without_submissions_is_refused(tmp_path: Path) -> None:
    with pytest.raises(PaddockError, match="there are no submissions"):
        find_submissions(tmp_path)
    with pytest.raises(PaddockError, match="no such folder"):
        find_submissions(tmp_path / "missing")
    (tmp_path / "anna.py").write_text("")
    (tmp_path / "anna").mkdir()
    with pytest.raises(PaddockError, match="remove or rename one of them"):
        find_submissions(tmp_path)


def test_receipts_of_class_give_student_name_and_lateness(exercise: Path, tmp_path: Path) -> None:
    course = ClassFolder.create(tmp_path / "course", ClassSpec(title="Course"), ["Anna Ångström", "Bert"])
    overview, handed_in = tmp_path / "marks" / "overview.html", course.path / "submissions" / "ahead"
    receipt = course.receive("Anna Ångström", "ahead", "mine.py", PROGRAMS["bert"].encode())
    out = tmp_path / "marks"
    for due, late in (("2001-01-01", True), ("2999-01-01T12:00", False)):
        done = grade(exercise, handed_in, out=out, workers=1, due=parse_due(due))
        (only,) = done.graded
        assert only.receipt == receipt
        assert (only.marks.points, only.late, done.fresh) == (2, late, int(late))
    save_grading(done, out / "marks.csv")
    assert next(iter(read_marks(out).values()))["student"] == "Anna Ångström"
    assert "Go ahead: Anna Ångström" in (out / "reports" / "anna-angstrom.html").read_text(encoding="utf-8")
    assert read_marks(out)["bert"]["failure"] == "no submission"
    assert (
        '<th scope="row" class="short">bert</th><td class="short" data-head="student">Bert</td>'
        in overview.read_text(encoding="utf-8")
    )
    file = course.path / "class.toml"
    file.write_text(file.read_text().replace("# due = 2026-12-01", "due = 2001-01-01"))
    course.refresh()
    course.receive("Anna Ångström", "ahead", "mine.py", PROGRAMS["bert"].encode() + b"# again\n")
    course.collect("ahead", tmp_path / "collected")
    save_grading(grade(exercise, tmp_path / "collected", out=out, workers=1), out / "marks.csv")
    bert = read_marks(out)["bert"]
    assert read_marks(out)["anna-angstrom"]["late"] == "late"  # as the class has it, where the command says nothing
    assert (bert["student"], bert["total"], bert["failure"]) == ("Bert", "0", "no submission")
    assert "No submission from Bert." in overview.read_text(encoding="utf-8")
    with pytest.raises(PaddockError, match="expected a date and time such as"):
        parse_due("tomorrow")
    assert parse_due("2026-11-20") == parse_due("2026-11-20T23:59:59")


def test_late_submission_loses_points_as_the_class_says(exercise: Path, tmp_path: Path) -> None:
    """The due date of the exercise counts, not that of the class, and each begun day costs the same."""
    course = ClassFolder.create(tmp_path / "course", ClassSpec(title="Course"), ["Anna", "Bert"])
    now = datetime.now().astimezone()
    dates = {"due": now - timedelta(days=30), "late_loss": 0.1, "due_dates": {"ahead": now - timedelta(hours=25)}}
    course.spec = replace(course.spec, **dates)
    (course.path / "class.toml").write_text(class_text(course.spec), encoding="utf-8")
    course.refresh()
    course.receive("Anna", "ahead", "mine.py", PROGRAMS["bert"].encode())
    course.receive("Bert", "other", "mine.py", PROGRAMS["bert"].encode())
    (own, other) = course.receipts()
    assert own.due == dates["due_dates"]["ahead"].isoformat(timespec="seconds")
    assert other.due == dates["due"].isoformat(timespec="seconds")
    handed_in, out = course.path / "submissions" / "ahead", tmp_path / "marks"
    done = grade(exercise, handed_in, out=out, workers=1)
    (anna,) = done.graded
    assert (anna.marks.points, anna.lost, anna.points) == (2, 0.4, 1.6)  # two days have begun
    save_grading(done, out / "marks.csv")
    row = read_marks(out)["anna"]
    assert (row["moves"], row["total"], row["late"], row["lost"]) == ("2", "1.6", "late", "0.4")
    assert "1.6 of 5 points, 0.4 less than earned" in (out / "reports" / "anna.html").read_text(encoding="utf-8")
    for due, loss, points in ((parse_due("2999-01-01"), None, 2), (None, 0.0, 2), (parse_due("2001-01-01"), 1.0, 0)):
        assert grade(exercise, handed_in, out=out, workers=1, due=due, late_loss=loss).graded[0].points == points


def test_file_name_is_escaped_against_spreadsheet_formulas(exercise: Path, tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "=1+1.py").write_text("def act(seen:\n")
    save_grading(grade(exercise, tmp_path / "in", out=tmp_path / "out", workers=1), tmp_path / "out" / "marks.csv")
    assert list(read_marks(tmp_path / "out")) == ["'=1+1"]


def test_symbolic_links_in_submissions_are_not_followed(tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_text("hidden")
    (tmp_path / "all").mkdir()
    (tmp_path / "all" / "anna.py").symlink_to(tmp_path / "secret.txt")
    assert find_submissions(tmp_path / "all")[0].problem == "it contains a symbolic link: expected regular files only"


def test_file_names_that_are_not_utf_8_are_graded(exercise: Path, tmp_path: Path) -> None:
    folder = tmp_path / "handed-in"
    (folder / "zoe").mkdir(parents=True)
    (folder / "zoe" / "controller.py").write_text(PROGRAMS["bert"])
    (folder / "zoe" / os.fsdecode(b"L\xf6sung.txt")).write_text("from an archive of an old system")
    (folder / os.fsdecode(b"M\xfcller.py")).write_text(PROGRAMS["cleo"])
    grading = grade(exercise, folder, out=tmp_path / "out", workers=1)
    save_grading(grading, tmp_path / "out" / "marks.csv")
    assert {each.submission.name: each.marks.points for each in grading.graded} == {"M\ufffdller": 0.0, "zoe": 2.0}
    assert "M\ufffdller.py line 2" in (tmp_path / "out" / "marks.csv").read_text(encoding="utf-8")


def test_pipe_in_a_submission_is_reported_and_does_not_block(exercise: Path, tmp_path: Path) -> None:
    folder = tmp_path / "submissions" / "anna"
    folder.mkdir(parents=True)
    (folder / "controller.py").write_text(PROGRAMS["bert"])
    os.mkfifo(folder / "notes.txt")
    (found,) = find_submissions(folder.parent)
    assert found.problem == "it contains a pipe or a device: expected regular files only"
