"""grade: the marks of all submissions to an exercise. Equal submissions get equal marks, always."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

import paddock
from paddock.classes import Receipt
from paddock.classes.submissions import is_late
from paddock.exercises import Exercise, ExerciseRun, Marks, RunFailure, load_exercise, mark_runs
from paddock.grading.receipts import find_receipts, list_expected
from paddock.grading.similar import SimilarPair, find_similar, read_programs
from paddock.grading.worker import GradingJob, GradingWorker, unpack_run
from paddock.jobs import FinishedJobs, JobRunner, Workers
from paddock.report.document_files import ensure_folder
from paddock.sandbox.submissions import Submission, find_submissions

FINISHED = "graded.jsonl"
Progress = Callable[[int, int], None]


@dataclass(frozen=True, kw_only=True)
class GradedSubmission:
    """What became of a submission."""

    submission: Submission
    marks: Marks  # over all seeds
    public: Marks  # over those that students know: what `paddock exercise check` tells them
    picture: str = ""  # of one run, PNG in base64
    shown: int | None = None  # its seed
    receipt: Receipt | None = None  # where a class has one
    late: bool = False

    @property
    def student(self) -> str:
        """Whose it is, as people write the name, where a receipt tells; else what it is called."""
        return self.receipt.student if self.receipt else self.submission.name

    @property
    def failure(self) -> RunFailure | None:
        """The first failure of a run."""
        return next((run.failure for run in self.marks.runs if run.failure is not None), None)

    @property
    def failed(self) -> int:
        """How many runs failed."""
        return sum(run.failure is not None for run in self.marks.runs)


@dataclass(frozen=True, kw_only=True)
class Grading:
    """What became of all submissions."""

    exercise: Exercise
    graded: Sequence[GradedSubmission]
    similar: Sequence[SimilarPair]
    fresh: int  # how many were graded now; the others were there already
    missing: Mapping[str, str] = field(default_factory=dict)  # who handed in nothing: names by robot

    @property
    def students(self) -> dict[str, str]:
        """Whose each submission is, by its name."""
        return {each.submission.name: each.student for each in self.graded}


def grade(
    exercise: str | Path,
    submissions: str | Path,
    *,
    out: str | Path,
    workers: Workers = None,
    progress: Progress | None = None,
    due: datetime | None = None,
) -> Grading:
    """Run every submission with all seeds, each run in a sandbox of its own.

    Args:
        exercise: a shipped one by name, or a folder.
        submissions: a folder with a file NAME.py or a folder NAME for everyone.
        out: folder for what is finished; what is there already is not done again.
        workers: processes; None: one for every core, 1: only this one; or "ray", the cores of a cluster.
        progress: told how many submissions are done, and how many there are.
        due: what came later, by its receipt, is called late; it costs no points. None: what its receipt calls late.
    """
    chosen = load_exercise(exercise)
    found, starter = find_submissions(submissions), chosen.read_starter()
    finished = FinishedJobs(ensure_folder(Path(out)) / FINISHED, f"grading of {chosen.name}")
    head = _exercise_digest(chosen)
    keys = {each.name: f"{head} {each.digest()}" for each in found}
    todo = [each for each in found if not each.problem and keys[each.name] not in finished]
    runner = JobRunner(partial(GradingWorker, chosen.folder), workers, most=max(1, len(todo)))
    jobs = [GradingJob(each.name, each.file.resolve(), each.folder and each.folder.resolve()) for each in todo]
    broken: dict[str, str] = {}
    with runner, closing(runner.stream(jobs)) as answers:
        for done, (number, answer) in enumerate(answers, len(found) - len(todo) + 1):
            if answer.failure is None:
                finished.add({keys[todo[number].name]: answer.value})
            else:
                broken[todo[number].name] = answer.failure.problem
            if progress is not None:
                progress(done, len(found))
    receipts = find_receipts(Path(submissions), found)
    graded = []
    for each in found:
        whole = _put_together(chosen, each, finished.get(keys[each.name]), broken.get(each.name, ""))
        receipt = receipts.get(each.name)
        late = receipt is not None and (receipt.late if due is None else is_late(receipt.time, due))
        graded.append(replace(whole, receipt=receipt, late=late))
    missing = {robot: name for robot, name in list_expected(Path(submissions)).items() if robot not in keys}
    texts = read_programs({each.name: each.files for each in found if not each.problem})
    similar = find_similar(texts, starter)
    return Grading(exercise=chosen, graded=graded, similar=similar, fresh=len(todo), missing=missing)


def _put_together(
    exercise: Exercise, submission: Submission, result: dict[str, Any] | None, problem: str
) -> GradedSubmission:
    if result is None:
        kind, text = ("invalid", submission.problem) if submission.problem else ("not graded", problem)
        failure = RunFailure(kind=kind, place="", text=text)
        runs = [ExerciseRun(seed=seed, figures={}, failure=failure) for seed in exercise.all_seeds]
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


def _exercise_digest(exercise: Exercise) -> str:
    """A text that differs when anything does that decides the marks."""
    whole = hashlib.sha256(paddock.__version__.encode())
    for path in _files(Path(exercise.folder)):
        whole.update(path.relative_to(exercise.folder).as_posix().encode() + b"\0" + path.read_bytes())
    return whole.hexdigest()


def _files(folder: Path) -> Iterator[Path]:
    return (path for path in sorted(folder.rglob("*")) if path.is_file() and "__pycache__" not in path.parts)
