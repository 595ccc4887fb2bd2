"""The log of a run as text for people: what was said, and when tasks and contacts began."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from paddock.episodes import Event, Trace
from paddock.episodes.trace import iterate_events


def story(traces: Sequence[Trace], whole: Mapping[str, Any]) -> str:
    """The whole log: title, settings, what happened in order of time, and the outcome of every robot."""
    wide = max(len(trace.robot) for trace in traces)
    lines = [str(whole["title"]), "=" * len(str(whole["title"])), ""]
    settings = {"world": whole["world"], **whole["config"]}
    if whole.get("digest"):
        settings["digest"] = whole["digest"] + ("" if whole["repeatable"] else " (not repeatable: someone intervened)")
    lines += [f"{name}: {shown(value)}" for name, value in settings.items()] + [""]
    for robot, event in events(traces):
        head = f"{event.time:10.2f} s  {robot:<{wide}}  "
        lines.append(head + str(event).replace("\n", "\n" + " " * len(head)))
    lines.append("")
    for robot, numbers in whole["robots"].items():
        lines += [robot] + [f"  {name + ':':<22}{value}" for name, value in outcome(numbers)]
    return "\n".join(line.rstrip() for line in lines) + "\n"


def events(traces: Sequence[Trace]) -> list[tuple[str, Event]]:
    """What happened in order of time, with the robot's name; beginnings of tasks and contacts are events, too."""
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


def outcome(numbers: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The summary of a robot in words and rounded numbers."""
    rows = [("time", f"{numbers['duration']:.2f} s"), ("distance", f"{numbers['distance']:.3f} m")]
    if numbers["estimated_distance"] is not None:
        rows.append(("estimated distance", f"{numbers['estimated_distance']:.3f} m"))
    if numbers["mean_speed"] is not None:
        rows.append(("mean speed", f"{numbers['mean_speed']:.3f} m/s"))
    if numbers["mean_abs_error"] is not None:
        mean, most, unit = numbers["mean_abs_error"], numbers["max_abs_error"], numbers["unit"]
        rows += [("mean |error|", in_words(mean, unit, most)), ("max |error|", in_words(most, unit))]
    count = numbers["contacts"]
    rows.append(("contacts", f"{count:g}, {numbers['contact_time']:.2f} s" if count else "none"))
    for name, pose in (("ended at", "end_pose"), ("estimated to be at", "estimated_end_pose")):
        if numbers[pose] is not None and None not in numbers[pose]:
            x, y, heading = numbers[pose]
            rows.append((name, f"x {x:.3f} m, y {y:.3f} m, {round(math.degrees(heading))}°"))
    return rows


def in_words(value: float, unit: str, beside: float | None = None) -> str:
    """A number with its unit; lengths in the unit that reads best for it, or for another one that it stands beside."""
    factor, better = best_unit(value if beside is None else beside, unit)
    return f"{value * factor:.4g} {better}".strip()


def best_unit(largest: float, unit: str) -> tuple[float, str]:
    """What to multiply numbers with, and the unit they have then: metres become cm or mm when they are small."""
    if unit != "m" or abs(largest) >= 1.0 or largest == 0:
        return 1.0, unit
    return (100.0, "cm") if abs(largest) >= 0.01 else (1000.0, "mm")


def shown(value: Any) -> str:
    """A setting as text."""
    if isinstance(value, Mapping):
        return ", ".join(f"{name} = {shown(part)}" for name, part in value.items())
    if isinstance(value, list):
        return ", ".join(shown(part) for part in value)
    return "-" if value is None else str(value)
