"""Marks: the points of a program for each check of an exercise."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from paddock.arena.run_spec import DriverSource
from paddock.teaching.exercises.exercise_spec import Exercise, ExerciseCheck
from paddock.teaching.exercises.runs import ExerciseRun, RunFailure, run_exercise

DIGITS = 2  # decimal places of points
COSTLY = ("answer-timeout", "cpu", "memory", "died")  # failures after which further runs would waste time


@dataclass(frozen=True, kw_only=True)
class CheckMark:
    """The result of a program in one check."""

    check: ExerciseCheck
    results: tuple[float, ...]  # one for each seed, of the robot that meets the check least; NaN: there is none
    met: tuple[bool, ...]  # whether each seed meets the check; all equal with `over = "mean"`
    points: float

    @property
    def full(self) -> bool:
        """Whether all points of the check were earned."""
        return all(self.met)

    @property
    def state(self) -> str:
        """Whether the check is met, as a cell of a table."""
        return "yes" if self.full else "NO" if self.points == 0 else "partly"

    @property
    def requirement(self) -> str:
        """The figure and its required range, as a cell of a table."""
        return f"{self.check.measure.rpartition(':')[2]} {self.check.required_range}"


@dataclass(frozen=True, kw_only=True)
class Marks:
    """The results of a program in all checks of an exercise."""

    exercise: str
    seeds: tuple[int, ...]
    checks: tuple[CheckMark, ...]
    runs: tuple[ExerciseRun, ...]
    max_points: float  # maximum points

    @property
    def points(self) -> float:
        """Total points."""
        return round(sum(mark.points for mark in self.checks), DIGITS)

    @property
    def full(self) -> bool:
        """Whether every check was met with every seed."""
        return all(mark.full for mark in self.checks)


def check_exercise(
    exercise: Exercise,
    file: str | Path | DriverSource,
    seeds: Iterable[int] | None = None,
    *,
    folder: Path | None = None,
) -> Marks:
    """Run a program, as in `run_exercise`, and return its marks; with the public seeds unless others are given.

    After a run that exceeds a time or memory limit, the remaining runs count as failed in the same way.
    """
    runs: list[ExerciseRun] = []
    for seed in exercise.seeds if seeds is None else seeds:
        before = runs[-1].failure if runs else None
        if before is not None and before.kind in COSTLY:
            runs.append(ExerciseRun(seed=seed, results={}, failure=before))
        else:
            runs.append(run_exercise(exercise, file, seed, folder=folder))
    return mark_runs(exercise, runs)


def mark_runs(exercise: Exercise, runs: Sequence[ExerciseRun]) -> Marks:
    """Return the marks for finished runs, one for each seed."""
    marks: dict[str, CheckMark] = {}
    for check in exercise.checks:
        marks[check.name] = _mark(check, [_figure(exercise, check, run) for run in runs], marks)
    seeds = tuple(run.seed for run in runs)
    done = tuple(marks.values())
    return Marks(exercise=exercise.name, seeds=seeds, checks=done, runs=tuple(runs), max_points=exercise.points)


def _figure(exercise: Exercise, check: ExerciseCheck, run: ExerciseRun) -> float:
    if run.failure is not None and (not exercise.keep_failed or ends_by_chance(run.failure)):
        return math.nan
    chosen = run.results.values() if check.robot is None else [run.results.get(check.robot, {})]
    return check.find_worst([results.get(check.measure, math.nan) for results in chosen])


def ends_by_chance(failure: RunFailure) -> bool:
    """Return whether the tick of a failure is random, as for limits on all answers together, which have no line."""
    return failure.kind in ("cpu", "died") or (failure.kind == "answer-timeout" and not failure.location)


def _mark(check: ExerciseCheck, results: list[float], before: dict[str, CheckMark]) -> CheckMark:
    if check.over == "mean":
        met = [check.admits(sum(results) / len(results))] * len(results)
    else:
        met = [check.admits(figure) for figure in results]
    if check.requires is not None:
        met = [own and needed for own, needed in zip(met, before[check.requires].met, strict=True)]
    share = sum(met) / len(met) if check.over == "each" else float(all(met))
    points = round(check.points * share, DIGITS)
    return CheckMark(check=check, results=tuple(results), met=tuple(met), points=points)
