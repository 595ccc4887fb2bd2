"""What came of a run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, kw_only=True)
class TaskResult:
    """One task of a run."""

    name: str
    parameters: dict[str, Any]  # as they were drawn, without defaults
    began: float  # [s]
    ended: float  # [s]
    why: str  # it ended
    done: bool  # whether it did what it was there for


@dataclass(frozen=True, kw_only=True)
class ScenarioResult:
    """A run: its tasks and its totals."""

    scenario: str
    seed: int
    tasks: tuple[TaskResult, ...]  # those that were started
    ended: str  # why the run ended
    complete: bool  # whether every task was done
    interrupted: bool  # by Ctrl-C
    seconds: float  # simulated
    ticks: int
    distance: float  # [m] that the robot really moved
    contact_seconds: float  # [s] in which it touched something
    digest: str  # of the arena at the end: equal for equal runs
