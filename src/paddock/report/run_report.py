"""The report of a run: outcome, tasks, pictures, settings and log, as parts of a document."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from paddock.report.document import Failure, Figure, Heading, LogText, Part, Remark, SettingsTable
from paddock.report.run_log import robot_outcome, run_settings
from paddock.report.sheets import Sheet

SIDE_BY_SIDE = 4  # up to this number, robots are columns; more robots are rows


@dataclass(frozen=True, kw_only=True, slots=True)
class TaskOutcome:
    """Result of a task: its start and end [s], whether it succeeded, and why it ended."""

    name: str
    start: float
    end: float
    done: bool
    why: str
    robot: str = ""


def run_report(
    whole: Mapping[str, Any], figures: Sequence[Figure], log: str, outcomes: Sequence[TaskOutcome] = ()
) -> Iterator[Part]:
    """Iterate over the parts of the page of a run.

    Args:
        whole: contents of `summary.json`.
        figures: the pictures.
        log: contents of `run.log`.
        outcomes: results of the tasks; empty: the tasks of the trace are listed with their times only.
    """
    robots: Mapping[str, Any] = whole["robots"]
    names = ", ".join(list(robots)[:8]) + (", …" if len(robots) > 8 else "")
    kind = "robot" if len(robots) == 1 else "robots"
    yield Remark(f"{whole['world']} · {whole['duration']:.2f} s · {kind} {names}")
    if whole.get("failed"):
        yield Failure(f"The run failed: {whole['ended']}")
    yield Heading("Outcome")
    yield outcome_sheet(robots)
    tasks = outcomes_sheet(outcomes) if outcomes else times_sheet(robots)
    if tasks.rows:
        yield Heading("Tasks")
        yield tasks
    yield Heading("Pictures")
    yield from figures
    yield Heading("Settings")
    yield SettingsTable(run_settings(whole))
    if whole.get("provenance"):
        yield Heading("Provenance")
        yield SettingsTable(whole["provenance"])
    yield Heading("Log")
    yield LogText(tuple(log.splitlines()))


def outcome_sheet(robots: Mapping[str, Any]) -> Sheet:
    """Return a table of the numbers of all robots; a few robots are shown as columns."""
    found = {robot: dict(robot_outcome(numbers)) for robot, numbers in robots.items()}
    names = tuple(dict.fromkeys(name for rows in found.values() for name in rows))
    if len(robots) <= SIDE_BY_SIDE:
        rows = tuple((name, *(values.get(name, "-") for values in found.values())) for name in names)
        return Sheet(("", *robots) if len(robots) > 1 else (), rows)
    return Sheet(
        ("robot", *names), tuple((robot, *(values.get(name, "-") for name in names)) for robot, values in found.items())
    )


def outcomes_sheet(outcomes: Sequence[TaskOutcome]) -> Sheet:
    """Return a table of the tasks, with their results and the reasons why they ended."""
    several = len({task.robot for task in outcomes}) > 1
    rows = tuple(
        (
            "yes" if task.done else "NO",
            f"{task.robot}: {task.name}" if several else task.name,
            f"{task.start:.2f} s",
            f"{task.end:.2f} s",
            f"{task.end - task.start:.2f} s",
            task.why,
        )
        for task in outcomes
    )
    return Sheet(("done", "task", "start", "end", "duration", "why"), rows)


def times_sheet(robots: Mapping[str, Any]) -> Sheet:
    """Return a table of the number and duration of each task."""
    rows = []
    for robot, numbers in robots.items():
        for task, seconds in numbers["task_seconds"].items():
            starts = [span["start"] for span in numbers["tasks"] if span["task"] == task]
            share = f"{100 * seconds / numbers['duration']:.1f} %" if numbers["duration"] > 0 else "-"
            name = f"{robot}: {task}" if len(robots) > 1 else task
            rows.append((name, str(len(starts)), f"{starts[0]:.2f} s", f"{seconds:.2f} s", share))
    return Sheet(("task", "times", "first at", "duration", "share"), tuple(rows))
