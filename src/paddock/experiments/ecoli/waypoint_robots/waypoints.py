"""Files of waypoints: one line `name;x;y` in centimetres per waypoint, in driving order."""

from __future__ import annotations

import math
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from paddock.core.errors import PaddockError, format_value
from paddock.core.files import read_user_text, write_text
from paddock.core.reason import Reason, explain
from paddock.experiments.ecoli.waypoint_robots.texts import CM, FARTHEST


class Waypoint(NamedTuple):
    """A target point of a robot."""

    robot: str
    x: float  # [m]
    y: float  # [m]


def read_waypoints(path: str | Path) -> list[Waypoint]:
    """Read the waypoints of a file. Empty lines and lines that start with # are ignored."""
    found = [
        _read_line(line, f"{path}:{number}")
        for number, line in enumerate(read_user_text(path).splitlines(), 1)
        if line.strip() and not line.lstrip().startswith("#")
    ]
    if not found:
        raise PaddockError(explain("{file}: expected lines such as 'e-puck_2479;39.0;95.0', found none", file=path))
    return found


def _read_line(line: str, place: str) -> Waypoint:
    parts = [part.strip() for part in line.split(";")]
    if len(parts) != 3 or not parts[0]:
        reason = explain("expected name;x;y in centimetres, such as 'e-puck_2479;39.0;95.0', got {text!r}", text=line)
        raise _refuse(place, reason)
    numbers = [_read_number(text) for text in parts[1:]]
    for axis, text, number in zip("xy", parts[1:], numbers, strict=True):
        if not math.isfinite(number):
            reason = explain("{axis}: expected centimetres, got {text!r}", axis=axis, text=text)
            raise _refuse(
                place, explain("{reason}; numbers have a decimal point", reason=reason) if "," in text else reason
            )
        if abs(number) > FARTHEST:
            most = round(FARTHEST)
            raise _refuse(
                place,
                explain("{axis}: expected centimetres up to {most}, got {text!r}", axis=axis, most=most, text=text),
            )
    return Waypoint(parts[0], numbers[0] * CM, numbers[1] * CM)


def _refuse(place: str, reason: Reason) -> PaddockError:
    return PaddockError(explain("{place}: {reason}", place=place, reason=reason))


def _read_number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return math.nan


def write_waypoints(path: str | Path, waypoints: Iterable[Waypoint]) -> None:
    """Write a file that `read_waypoints` reads."""
    write_text(path, format_waypoints(waypoints))


def format_waypoints(waypoints: Iterable[Waypoint]) -> str:
    """Return the lines of a waypoint file, with one to six decimals and without trailing zeros."""
    lines = []
    for i, (robot, x, y) in enumerate(waypoints):
        if not robot or set(robot) & set(";\r\n") or robot != robot.strip() or robot.startswith("#"):
            raise PaddockError(f"waypoints[{i}]: expected a robot's name without ';', got {format_value(robot)}")
        if not (math.isfinite(x) and math.isfinite(y)):
            raise PaddockError(f"waypoints[{i}]: expected finite metres, got ({x!r}, {y!r})")
        if max(abs(x), abs(y)) > FARTHEST * CM:
            raise PaddockError(f"waypoints[{i}]: expected metres up to {FARTHEST * CM:g}, got ({x!r}, {y!r})")
        lines.append(f"{robot};{_write_cm(x)};{_write_cm(y)}\n")
    return "".join(lines)


def _write_cm(metres: float) -> str:
    text = f"{metres / CM + 0.0:.6f}".rstrip("0")
    return text + "0" if text.endswith(".") else text
