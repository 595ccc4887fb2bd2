"""Registry of wall followers: shipped, from packages (entry points `paddock.wall_followers`), and in users' files."""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from paddock.control.behaviours.wall.wall_follower import WallFollower
from paddock.core.error_location import refuse_abstract
from paddock.core.errors import SpecError, suggestion
from paddock.core.registry import Registry
from paddock.core.spec import NotNegative, convert

FollowerEntry = type[WallFollower] | WallFollower
HERE, STUDY = "paddock.control.behaviours.wall", "paddock.experiments.reproductions.wall_follower.followers"
WALL_FOLLOWERS: Registry[FollowerEntry] = Registry(
    "wall follower",
    group="paddock.wall_followers",
    builtin={
        "min": f"{STUDY}:MIN",
        "multi": f"{STUDY}:MULTI",
        "min-fast": f"{STUDY}:MIN_FAST",
        "multi-fast": f"{STUDY}:MULTI_FAST",
        "pid": f"{HERE}.pid:PidFollower",
        "fuzzy": f"{HERE}.fuzzy:FuzzyFollower",
        "geometry": f"{HERE}.geometry:GeometryFollower",
        "geometry-slow": f"{HERE}.geometry:SlowGeometryFollower",
        "tuned": f"{STUDY}:TUNED",
        "tuned-slow": f"{STUDY}:TUNED_SLOW",
    },
    base=WallFollower,
)


def make_wall_follower(
    name: str,
    numbers: Mapping[str, float] | None = None,
    *,
    robot: Mapping[str, float] | None = None,
    folder: str | Path | None = None,
) -> WallFollower:
    """Create a wall follower; a SpecError names an invalid parameter.

    Args:
        name: a registered name, or `module:Name` or `file.py:Name` of a class derived from WallFollower.
        numbers: parameters that differ from their defaults.
        robot: the robot's clearance [m], max_speed [m/s] and wheel_separation [m], for parameters without a default.
        folder: the first folder to search for users' files; None: only the working directory.
    """
    entry, numbers, robot = _find(name, folder), dict(numbers or {}), robot or {}
    known = _names_of_numbers(entry)
    for key, value in numbers.items():
        if key not in known:
            raise SpecError(f"unknown key{suggestion(key, known)}", path=key)
        numbers[key] = convert(value, NotNegative, key)
    if isinstance(entry, WallFollower):
        return dataclasses.replace(entry, **numbers) if numbers else copy.copy(entry)  # type: ignore[type-var]
    for field in _fields(entry):
        required = field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING
        if required and field.init and field.name not in numbers:
            if field.name not in robot:
                raise SpecError(f"missing: {name} has no default for it", path=field.name)
            numbers[field.name] = robot[field.name]
    return entry(**numbers)


def list_numbers(name: str, folder: str | Path | None = None) -> list[str]:
    """Return the names of the numeric parameters of a wall follower."""
    return _names_of_numbers(_find(name, folder))


def _find(name: str, folder: str | Path | None) -> FollowerEntry:
    entry = WALL_FOLLOWERS.get(name, folder=folder)
    method = "update(self, ranges, dt, wheel_speeds), which returns wheel speeds (left, right) [m/s]"
    refuse_abstract(entry if isinstance(entry, type) else type(entry), method)
    return entry


def _names_of_numbers(entry: FollowerEntry) -> list[str]:
    return [field.name for field in _fields(entry) if field.init and field.type in (float, int, "float", "int")]


def _fields(entry: FollowerEntry) -> tuple[dataclasses.Field[Any], ...]:
    return dataclasses.fields(entry) if dataclasses.is_dataclass(entry) else ()
