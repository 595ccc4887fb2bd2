"""The log of a run as text for people: what was said, and when tasks and contacts began."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from paddock.report.log import Line, RunLog


def story(logs: Sequence[RunLog], whole: Mapping[str, Any]) -> str:
    """The whole log: title, settings, what happened in order of time, and the outcome of every robot."""
    wide = max(len(log.robot) for log in logs)
    lines = [str(whole["title"]), "=" * len(str(whole["title"])), ""]
    settings = {"world": whole["world"], **whole["config"]}
    if "digest" in whole:
        settings["digest"] = whole["digest"]
    lines += [f"{name}: {shown(value)}" for name, value in settings.items()] + [""]
    happened = sorted(
        ((line.time, log.robot, line.text) for log in logs for line in events(log)), key=lambda entry: entry[0]
    )
    for time, robot, text in happened:
        head = f"{time:10.2f} s  {robot:<{wide}}  "
        lines.append(head + text.replace("\n", "\n" + " " * len(head)))
    lines.append("")
    for robot, numbers in whole["robots"].items():
        lines += [robot] + [f"  {name + ':':<22}{value}" for name, value in outcome(numbers)]
    return "\n".join(line.rstrip() for line in lines) + "\n"


def events(log: RunLog) -> Iterator[Line]:
    """What was said, and the beginnings of tasks and contacts; at the same time, the task comes first."""
    found = [Line(span.start, f"task: {span.task}") for span in log.spans() if span.task]
    times, touched = log.times, log.contacts
    changes = np.flatnonzero(np.diff(touched.astype(int), prepend=0))
    found += [Line(float(times[i]), "contact" if touched[i] else "free again") for i in changes.tolist()]
    yield from sorted(found + log.lines, key=lambda line: line.time)


def outcome(numbers: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The summary of a robot in words and rounded numbers."""
    rows = [("time", f"{numbers['duration']:.2f} s"), ("distance", f"{numbers['distance']:.3f} m")]
    if numbers["believed_distance"] is not None:
        rows.append(("believed distance", f"{numbers['believed_distance']:.3f} m"))
    if numbers["mean_speed"] is not None:
        rows.append(("mean speed", f"{numbers['mean_speed']:.3f} m/s"))
    if numbers["mean_abs_error"] is not None:
        mean, most, unit = numbers["mean_abs_error"], numbers["max_abs_error"], numbers["unit"]
        rows += [("mean |error|", in_words(mean, unit, most)), ("max |error|", in_words(most, unit))]
    count = numbers["contacts"]
    rows.append(("contacts", f"{count}, {numbers['contact_seconds']:.2f} s" if count else "none"))
    for name, pose in (("ended at", "end_pose"), ("believed to be at", "believed_end_pose")):
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
