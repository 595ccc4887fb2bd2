"""grade: mark all submissions to an exercise. Equal submissions always get equal marks."""

from __future__ import annotations

import base64
import hashlib
import io
import warnings
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from datetime import date, datetime, time
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from paddock.core.errors import PaddockError, PaddockWarning
from paddock.core.files import ensure_folder
from paddock.core.jobs import FinishedJobs, JobRunner, Workers
from paddock.core.provenance import claim_folder
from paddock.core.user_code import describe_code
from paddock.report.drawing.draw_world import draw_paths
from paddock.teaching.classroom.class_spec import read_class_spec
from paddock.teaching.classroom.folder import ROSTER, SPEC
from paddock.teaching.classroom.roster import read_roster
from paddock.teaching.classroom.submissions import RECEIPTS, Receipt, find_loss, is_late, read_missing, read_receipts
from paddock.teaching.exercises import (
    Exercise,
    ExerciseRun,
    Marks,
    RunFailure,
    check_exercise,
    load_exercise,
    mark_runs,
)
from paddock.teaching.exercises.loader import explain_publicity
from paddock.teaching.exercises.marks import DIGITS
from paddock.teaching.grading.similar import SimilarPair, find_copies, find_similar, list_solutions, read_programs
from paddock.teaching.sandbox import SandboxedProgram
from paddock.teaching.sandbox.guards import check_protection
from paddock.teaching.sandbox.submissions import Submission, find_submissions

FINISHED = "graded.jsonl"
PICTURE = 800  # pixels
Progress = Callable[[int, int], None]


@dataclass(frozen=True, kw_only=True)
class GradedSubmission:
    """The result of a submission."""

    submission: Submission
    marks: Marks  # with all seeds
    public: Marks  # with the public seeds, as `paddock exercise check` reports them
    picture: str = ""  # picture of one run, PNG in base64
    shown: int | None = None  # seed of that run
    receipt: Receipt | None = None  # None: the class has none
    late: bool = False
    loss: float = 0.0  # share of the points that are lost because it is late, 0 … 1

    @property
    def points(self) -> float:
        """Points of all checks, less what is lost because it is late."""
        return round(self.marks.points - self.lost, DIGITS)

    @property
    def lost(self) -> float:
        """Points that are lost because it is late."""
        return round(self.marks.points * self.loss, DIGITS)

    @property
    def student(self) -> str:
        """Name of the student from the receipt; without a receipt, the name of the submission."""
        return self.receipt.student if self.receipt else self.submission.name

    @property
    def failure(self) -> RunFailure | None:
        """The first failure of a run; None if there is none."""
        return next((run.failure for run in self.marks.runs if run.failure is not None), None)

    @property
    def failed(self) -> int:
        """Number of failed runs."""
        return sum(run.failure is not None for run in self.marks.runs)


@dataclass(frozen=True, kw_only=True)
class Grading:
    """The results of all submissions."""

    exercise: Exercise
    graded: Sequence[GradedSubmission]
    similar: Sequence[SimilarPair]  # those with a known solution first
    fresh: int  # number of submissions graded now; the others had stored results
    missing: Mapping[str, str] = field(default_factory=dict)  # students without a submission: names by robot
    public: str = ""  # why students may know the seeds or the solution; empty: they do not

    @property
    def students(self) -> dict[str, str]:
        """Name of the student by the name of the submission."""
        return {each.submission.name: each.student for each in self.graded}


def grade(
    exercise: str | Path,
    submissions: str | Path,
    *,
    out: str | Path,
    workers: Workers = None,
    progress: Progress | None = None,
    due: datetime | None = None,
    late_loss: float | None = None,
    unprotected: bool = False,
) -> Grading:
    """Run every submission with all seeds, each run in its own sandbox.

    Args:
        exercise: a shipped exercise by name, or a folder.
        submissions: a folder with a file NAME.py or a folder NAME per student.
        out: folder for results; submissions with stored results are not run again.
        workers: number of processes; None: one for every core, 1: only this one; or "ray", the cores of a cluster.
        progress: called with the number of finished submissions and the number of all.
        due: submissions with a later receipt are marked late. None: as marked on the receipt.
        late_loss: share of the points that a late submission loses for each day begun after the due date. None: as in
            the class.toml above the submissions; nothing if there is none.
        unprotected: run the submissions also where the system cannot confine them, because you trust all of them.
    """
    check_protection(unprotected)
    chosen = load_exercise(exercise)
    found, starter = find_submissions(submissions), chosen.read_starter()
    folder = claim_folder(ensure_folder(Path(out)), "grading", private=True)
    finished = FinishedJobs(folder / FINISHED, f"grading of {chosen.name}", private=True)
    keys = {each.name: identify_marks(chosen, each) for each in found}
    todo = [each for each in found if not each.problem and keys[each.name] not in finished]
    runner = JobRunner(partial(GradingWorker, chosen.folder), workers, max_jobs=max(1, len(todo)))
    jobs = [GradingJob(each.file.resolve(), each.folder and each.folder.resolve()) for each in todo]
    broken: dict[str, str] = {}
    with runner, closing(runner.stream(jobs)) as answers:
        for done, (number, answer) in enumerate(answers, len(found) - len(todo) + 1):
            if answer.failure is None:
                finished.add({keys[todo[number].name]: answer.value})
            else:
                broken[todo[number].name] = answer.failure.problem
            if progress is not None:
                progress(done, len(found))
    whole = [_put_together(chosen, each, finished.get(keys[each.name]), broken.get(each.name, "")) for each in found]
    graded = _add_receipts(whole, Path(submissions), due, late_loss)
    missing = {robot: name for robot, name in list_expected(Path(submissions)).items() if robot not in keys}
    texts = read_programs({each.name: each.files for each in found if not each.problem})
    similar = [*find_copies(texts, list_solutions(chosen), starter), *find_similar(texts, starter)]
    public = explain_publicity(chosen)
    return Grading(exercise=chosen, graded=graded, similar=similar, fresh=len(todo), missing=missing, public=public)


def _add_receipts(
    graded: Sequence[GradedSubmission], folder: Path, due: datetime | None, late_loss: float | None
) -> list[GradedSubmission]:
    """Return the results with their receipts, and what late submissions lose."""
    receipts = find_receipts(folder, [each.submission for each in graded])
    per_day = find_late_loss(folder) if late_loss is None else late_loss
    found = []
    for each in graded:
        receipt, late, loss = receipts.get(each.submission.name), False, 0.0
        if receipt is not None:
            at = due or (datetime.fromisoformat(receipt.due) if receipt.due else None)
            late = receipt.late if due is None else is_late(receipt.time, due)
            loss = find_loss(receipt.time, at, per_day) if late and at is not None else 0.0
        found.append(replace(each, receipt=receipt, late=late, loss=loss))
    return found


def _put_together(
    exercise: Exercise, submission: Submission, result: dict[str, Any] | None, problem: str
) -> GradedSubmission:
    if result is None:
        kind, text = ("invalid", submission.problem) if submission.problem else ("not graded", problem)
        failure = RunFailure(kind=kind, location="", text=text)
        runs = [ExerciseRun(seed=seed, results={}, failure=failure) for seed in exercise.all_seeds]
    else:
        runs = [unpack_run(packed) for packed in result["runs"]]
    public = [run for run in runs if run.seed in exercise.seeds]
    return GradedSubmission(
        submission=submission,
        marks=mark_runs(exercise, runs),
        public=mark_runs(exercise, public),
        picture=(result or {}).get("picture") or "",
        shown=(result or {}).get("shown"),
    )


def identify_marks(exercise: Exercise, submission: Submission) -> str:
    """Return the digest of everything that decides the figures of a submission: its runs, and how they are measured."""
    program = SandboxedProgram(file=submission.file, folder=submission.folder, devices=exercise.devices)
    runs = exercise.plan(0, program).digests(exercise.all_seeds)
    measures = [describe_code(check.measure, exercise.folder) for check in exercise.checks]
    return hashlib.sha256(repr([runs, measures, exercise.keep_failed]).encode()).hexdigest()


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


def find_receipts(folder: Path, submissions: list[Submission]) -> dict[str, Receipt]:
    """Return the receipt of each submission by its name, from the folder of submissions or the two folders above it.

    Receipts are matched by the SHA-256 of the file, so that collected and renamed copies are found, too.
    """
    place = next((own for own in (folder, *folder.resolve().parents[:2]) if (own / RECEIPTS).is_file()), None)
    if place is None:
        return {}
    known: dict[str, list[Receipt]] = {}
    for receipt in read_receipts(place):
        known.setdefault(receipt.sha256, []).append(receipt)
    found: dict[str, Receipt] = {}
    for each in submissions:
        if not each.problem:
            same = known.get(hashlib.sha256(each.file.read_bytes()).hexdigest(), [])
            own = [receipt for receipt in same if receipt.robot == each.name] or same
            if own:
                found[each.name] = own[0]
    return found


def find_class(folder: Path) -> Path | None:
    """Return the folder of the class that contains a folder of submissions, or None."""
    return next((own for own in folder.resolve().parents[:2] if (own / SPEC).is_file()), None)


def find_late_loss(folder: Path) -> float:
    """Return the share of the points that a late submission loses per day, from the class folder above; else 0."""
    own = find_class(folder)
    return 0.0 if own is None else read_class_spec(own / SPEC).late_loss


def list_expected(folder: Path) -> dict[str, str]:
    """Return the students who should have submitted, names by robot, from the class folder above and missing.csv."""
    own = find_class(folder)
    members = [] if own is None else read_roster(own / ROSTER)
    return {s.robot: s.name for s in members if s.robot and s.state != "removed"} | read_missing(folder)


def parse_due(text: str) -> datetime:
    """Parse a date and time such as 2026-11-20T18:00, local unless it has an offset; a date means its end."""
    try:
        return datetime.combine(date.fromisoformat(text), time(23, 59, 59)).astimezone()
    except ValueError:
        pass
    try:
        return datetime.fromisoformat(text).astimezone()
    except ValueError:
        expected = "expected a date and time such as 2026-11-20T18:00, or a date, which means the end of that day"
        raise PaddockError(f"due: {expected}, got {text!r}") from None
