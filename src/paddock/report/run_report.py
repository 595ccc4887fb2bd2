"""The report of a run: outcome, tasks, pictures, settings and log, as parts of a document."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from paddock.arena.episodes import Event, Trace
from paddock.arena.episodes.trace import iterate_events
from paddock.core.terminal_text import visible
from paddock.report.document import Failure, Figure, Heading, LogText, Part, Remark, SettingsTable
from paddock.report.quantities import format_quantity, settings_lines
from paddock.report.tables import Table

LogLevel = Literal["debug", "info", "warning"]
SIDE_BY_SIDE = 4  # up to this number, robots are columns; more robots are rows


def run_log_text(traces: Sequence[Trace], contents: Mapping[str, Any], level: LogLevel = "info") -> str:
    """Return the whole log: title, settings, events in order of time, and the outcome of every robot.

    Args:
        traces: the traces of all robots.
        contents: contents of `summary.json`.
        level: which events to include: `warning` only warnings and the end, `debug` also the motion once per second.
    """
    wide = max(len(trace.robot) for trace in traces)
    lines = [str(contents["title"]), "=" * len(str(contents["title"])), "", *settings_lines(run_settings(contents)), ""]
    for robot, event in list_events(traces, level):
        head = f"{event.time:10.2f} s  {robot:<{wide}}  "
        kind = "warning: " if event.kind == "warning" else ""
        lines.append(head + kind + visible(event, lines=True).replace("\n", "\n" + " " * len(head)))
    lines.append("")
    for robot, numbers in contents["robots"].items():
        lines += [robot] + [f"  {name + ':':<22}{value}" for name, value in robot_outcome(numbers)]
    lines += ["", describe_digest(contents)]
    return "\n".join(line.rstrip() for line in lines).rstrip() + "\n"


def run_settings(contents: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings of a run."""
    return {"world": contents["world"], **contents["config"]}


def describe_digest(contents: Mapping[str, Any]) -> str:
    """Return a line with the digest of the final state of a run; empty if it has none."""
    why = contents.get("why_not_repeatable")
    return f"digest {contents['digest']}{f' (not repeatable: {why})' if why else ''}" if contents.get("digest") else ""


def list_events(traces: Sequence[Trace], level: LogLevel = "info") -> list[tuple[str, Event]]:
    """Return the events in order of time, with the robot's name, including starts of tasks and contacts."""
    found = [(trace.robot, event) for trace in traces for event in _changes(trace)]
    found += iterate_events(traces)
    if level == "warning":
        found = [(robot, event) for robot, event in found if event.kind in ("warning", "end")]
    if level == "debug":
        found += [(trace.robot, event) for trace in traces for event in _sample_motion(trace)]
    return sorted(found, key=lambda entry: entry[1].time)


def _sample_motion(trace: Trace) -> Iterator[Event]:
    """Yield pose, commanded and actual wheel speeds at the first row of each second."""
    for i in np.flatnonzero(np.diff(np.floor(trace.time + 1e-9), prepend=-1)).tolist():
        (x, y, heading), command, wheels = trace.pose[i], trace.commands[i], trace.wheels[i]
        text = (
            f"at x {x:.3f} m, y {y:.3f} m, {math.degrees(heading):.1f}°; commanded {command[0]:.3f}, {command[1]:.3f} "
            f"m/s, actual {wheels[0]:.3f}, {wheels[1]:.3f} m/s"
        )
        yield Event(time=float(trace.time[i]), kind="note", text=text)


def _changes(trace: Trace) -> Iterator[Event]:
    if not any(event.kind == "task" for event in trace.events):
        for span in trace.spans():
            if span.task:
                yield Event(time=span.start, kind="task", text=f"task: {span.task}")
    touched = trace.contacts > 0
    for i in np.flatnonzero(np.diff(touched.astype(int), prepend=0)).tolist():
        yield Event(time=float(trace.time[i]), kind="note", text="contact" if touched[i] else "free again")


def robot_outcome(numbers: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Format the summary of a robot with rounded numbers."""
    rows = [("time", f"{numbers['duration']:.2f} s")]
    if "place" in numbers:  # the run had a referee
        score, fouls = numbers["score"], numbers["fouls"]
        rows.insert(0, ("score", f"{'–' if score is None else f'{score:g}'}, place {numbers['place']}, fouls: {fouls}"))
    for name, unit in (("distance", "m"), ("estimated_distance", "m"), ("mean_speed", "m/s")):
        if numbers[name] is not None:
            rows.append((name.replace("_", " "), f"{numbers[name]:.3f} {unit}"))
    if numbers["wheel_turns"] is not None:
        left, right = numbers["wheel_turns"]
        rows.append(("wheel turns", f"left {left:.2f}, right {right:.2f}"))
    if numbers["mean_abs_error"] is not None:
        mean, most, unit = numbers["mean_abs_error"], numbers["max_abs_error"], numbers["unit"]
        rows += [("mean |error|", format_quantity(mean, unit, most)), ("max |error|", format_quantity(most, unit))]
        rows.append(("sum of |error|", f"{numbers['sum_abs_error']:.2f} {unit}"))
    count = numbers["contacts"]
    touched = f"{count:g}, {numbers['contact_time']:.2f} s" if count else "unknown" if count is None else "none"
    rows.append(("contacts", touched))
    for name, pose in (("end pose", "end_pose"), ("estimated end pose", "estimated_end_pose")):
        if numbers[pose] is not None and None not in numbers[pose]:
            x, y, heading = numbers[pose]
            rows.append((name, f"x {x:.3f} m, y {y:.3f} m, {round(math.degrees(heading))}°"))
    return rows


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
    contents: Mapping[str, Any], figures: Sequence[Figure], log: str, outcomes: Sequence[TaskOutcome] = ()
) -> Iterator[Part]:
    """Iterate over the parts of the page of a run.

    Args:
        contents: contents of `summary.json`.
        figures: the pictures.
        log: contents of `run.log`.
        outcomes: results of the tasks; empty: the tasks of the trace are listed with their times only.
    """
    robots: Mapping[str, Any] = contents["robots"]
    names = ", ".join(list(robots)[:8]) + (", …" if len(robots) > 8 else "")
    kind = "robot" if len(robots) == 1 else "robots"
    yield Remark(f"{contents['world']} · {contents['duration']:.2f} s · {kind} {names}")
    if contents.get("failed"):
        yield Failure(f"The run failed: {contents['ended']}")
    yield Heading("Outcome")
    yield tabulate_outcome(robots)
    yield from [Remark(digest)] if (digest := describe_digest(contents)) else []
    tasks = tabulate_outcomes(outcomes) if outcomes else tabulate_times(robots)
    if tasks.rows:
        yield Heading("Tasks")
        yield tasks
    yield Heading("Pictures")
    yield from figures
    yield Heading("Settings")
    yield SettingsTable(run_settings(contents))
    if contents.get("provenance"):
        yield Heading("Provenance")
        yield SettingsTable(contents["provenance"])
    yield Heading("Log")
    yield LogText(tuple(log.splitlines()))


def tabulate_outcome(robots: Mapping[str, Any]) -> Table:
    """Return a table of the numbers of all robots; a few robots are shown as columns."""
    found = {robot: dict(robot_outcome(numbers)) for robot, numbers in robots.items()}
    names = tuple(dict.fromkeys(name for rows in found.values() for name in rows))
    if len(robots) <= SIDE_BY_SIDE:
        rows = tuple((name, *(values.get(name, "-") for values in found.values())) for name in names)
        return Table(("", *robots) if len(robots) > 1 else (), rows)
    return Table(
        ("robot", *names), tuple((robot, *(values.get(name, "-") for name in names)) for robot, values in found.items())
    )


def tabulate_outcomes(outcomes: Sequence[TaskOutcome]) -> Table:
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
    return Table(("done", "task", "start", "end", "duration", "why"), rows)


def tabulate_times(robots: Mapping[str, Any]) -> Table:
    """Return a table of the number and duration of each task."""
    rows = []
    for robot, numbers in robots.items():
        for task, seconds in numbers["task_seconds"].items():
            starts = [span["start"] for span in numbers["tasks"] if span["task"] == task]
            share = f"{100 * seconds / numbers['duration']:.1f} %" if numbers["duration"] > 0 else "-"
            name = f"{robot}: {task}" if len(robots) > 1 else task
            rows.append((name, str(len(starts)), f"{starts[0]:.2f} s", f"{seconds:.2f} s", share))
    return Table(("task", "times", "first at", "duration", "share"), tuple(rows))
