"""The log of a run as text: settings, what happened in order of time, and the outcome of each robot."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from paddock.report.log import Line, RunLog
from paddock.report.quantities import format_quantity, settings_lines


def run_log_text(logs: Sequence[RunLog], whole: Mapping[str, Any]) -> str:
    """The whole log: title, settings, what happened in order of time, and the outcome of every robot."""
    wide = max(len(log.robot) for log in logs)
    lines = [str(whole["title"]), "=" * len(str(whole["title"])), "", *settings_lines(run_settings(whole)), ""]
    happened = sorted(
        ((line.time, log.robot, line.text) for log in logs for line in events(log)), key=lambda entry: entry[0]
    )
    for time, robot, text in happened:
        head = f"{time:10.2f} s  {robot:<{wide}}  "
        lines.append(head + text.replace("\n", "\n" + " " * len(head)))
    lines.append("")
    for robot, numbers in whole["robots"].items():
        lines += [robot] + [f"  {name + ':':<22}{value}" for name, value in robot_outcome(numbers)]
    return "\n".join(line.rstrip() for line in lines) + "\n"


def run_settings(whole: Mapping[str, Any]) -> dict[str, Any]:
    """What decided a run, and the digest of its end."""
    settings = {"world": whole["world"], **whole["config"]}
    return {**settings, "digest": whole["digest"]} if "digest" in whole else settings


def events(log: RunLog) -> Iterator[Line]:
    """What was said, and the beginnings of tasks and contacts; at the same time, the task comes first."""
    found = [Line(span.start, f"task: {span.task}") for span in log.spans() if span.task]
    times, touched = log.times, log.contacts
    changes = np.flatnonzero(np.diff(touched.astype(int), prepend=0))
    found += [Line(float(times[i]), "contact" if touched[i] else "free again") for i in changes.tolist()]
    yield from sorted(found + log.lines, key=lambda line: line.time)


def robot_outcome(numbers: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The summary of a robot in words and rounded numbers."""
    rows = [("time", f"{numbers['duration']:.2f} s"), ("distance", f"{numbers['distance']:.3f} m")]
    if numbers["believed_distance"] is not None:
        rows.append(("estimated distance", f"{numbers['believed_distance']:.3f} m"))
    if numbers["mean_speed"] is not None:
        rows.append(("mean speed", f"{numbers['mean_speed']:.3f} m/s"))
    if numbers["mean_abs_error"] is not None:
        mean, most, unit = numbers["mean_abs_error"], numbers["max_abs_error"], numbers["unit"]
        rows += [("mean |error|", format_quantity(mean, unit, most)), ("max |error|", format_quantity(most, unit))]
    count = numbers["contacts"]
    rows.append(("contacts", f"{count}, {numbers['contact_seconds']:.2f} s" if count else "none"))
    for name, pose in (("end pose", "end_pose"), ("estimated end pose", "believed_end_pose")):
        if numbers[pose] is not None and None not in numbers[pose]:
            x, y, heading = numbers[pose]
            rows.append((name, f"x {x:.3f} m, y {y:.3f} m, {round(math.degrees(heading))}°"))
    return rows
