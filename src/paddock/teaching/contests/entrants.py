"""Entrants: the participants of a contest, with their files and names."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from paddock.core.errors import PaddockError
from paddock.teaching.classroom import ClassFolder
from paddock.teaching.sandbox.submissions import Submission, find_submissions


@dataclass(frozen=True, slots=True, kw_only=True)
class Entrant:
    """A robot of a contest and its controller."""

    robot: str  # robot name in the world
    name: str  # display name
    submission: Submission


def find_entrants(folder: str | Path) -> list[Entrant]:
    """Return the submissions in a folder as entrants, sorted by name."""
    return _enter((each.name, each) for each in find_submissions(Path(folder)))


def collect_entrants(class_folder: str | Path, exercise: str, out: Path) -> list[Entrant]:
    """Copy the last submissions of a class for an exercise to a folder; return them as entrants, named by student."""
    copies = ClassFolder.load(class_folder).collect(exercise, out)
    return _enter((name, Submission(name=copy.stem, file=copy)) for name, copy in copies.items())


def _enter(named: Iterable[tuple[str, Submission]]) -> list[Entrant]:
    entrants: dict[str, Entrant] = {}
    for name, submission in named:
        robot = name_robot(submission.name)
        if robot in entrants:
            other = entrants[robot].submission
            raise PaddockError(f"{submission.file} and {other.file} would both be called {robot!r}: rename one of them")
        entrants[robot] = Entrant(robot=robot, name=name, submission=submission)
    return list(entrants.values())


def name_robot(name: str) -> str:
    """Return a valid robot name: letters, digits, '-' and '_'."""
    return re.sub(r"[^\w-]+", "-", name).strip("-") or "robot"
