"""The log of a run as text: settings, events in order of time, and the outcome of each robot."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from paddock.arena.episodes import Event, Trace
from paddock.arena.episodes.trace import iterate_events
from paddock.core.terminal_text import visible
from paddock.report.quantities import format_quantity, settings_lines


def run_log_text(traces: Sequence[Trace], whole: Mapping[str, Any]) -> str:
    """Return the whole log: title, settings, events in order of time, and the outcome of every robot."""
    wide = max(len(trace.robot) for trace in traces)
    lines = [str(whole["title"]), "=" * len(str(whole["title"])), "", *settings_lines(run_settings(whole)), ""]
    for robot, event in list_events(traces):
        head = f"{event.time:10.2f} s  {robot:<{wide}}  "
        lines.append(head + visible(event, lines=True).replace("\n", "\n" + " " * len(head)))
    lines.append("")
    for robot, numbers in whole["robots"].items():
        lines += [robot] + [f"  {name + ':':<22}{value}" for name, value in robot_outcome(numbers)]
    return "\n".join(line.rstrip() for line in lines) + "\n"


def run_settings(whole: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings of a run, and the digest of its final state."""
    settings = {"world": whole["world"], **whole["config"]}
    if whole.get("digest"):
        why = whole["why_not_repeatable"]
        settings["digest"] = whole["digest"] + (f" (not repeatable: {why})" if why else "")
    return settings


def list_events(traces: Sequence[Trace]) -> list[tuple[str, Event]]:
    """Return all events in order of time, with the robot's name, including starts of tasks and contacts."""
    found = [(trace.robot, event) for trace in traces for event in _changes(trace)]
    return sorted([*found, *iterate_events(traces)], key=lambda entry: entry[1].time)


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
    if numbers["mean_abs_error"] is not None:
        mean, most, unit = numbers["mean_abs_error"], numbers["max_abs_error"], numbers["unit"]
        rows += [("mean |error|", format_quantity(mean, unit, most)), ("max |error|", format_quantity(most, unit))]
    count = numbers["contacts"]
    touched = f"{count:g}, {numbers['contact_time']:.2f} s" if count else "unknown" if count is None else "none"
    rows.append(("contacts", touched))
    for name, pose in (("end pose", "end_pose"), ("estimated end pose", "estimated_end_pose")):
        if numbers[pose] is not None and None not in numbers[pose]:
            x, y, heading = numbers[pose]
            rows.append((name, f"x {x:.3f} m, y {y:.3f} m, {round(math.degrees(heading))}°"))
    return rows
