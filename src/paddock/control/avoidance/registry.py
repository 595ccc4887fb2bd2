"""Avoidances by name: shipped, of other packages (entry points `paddock.avoidance`), and in users' files."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

from paddock.control.avoidance.base import ObstacleAvoidance
from paddock.core.errors import PaddockError, UnknownName
from paddock.core.places import refuse_abstract
from paddock.core.registry import Registry

HERE = "paddock.control.avoidance"
AVOIDANCE: Registry[type[ObstacleAvoidance]] = Registry(
    "avoidance",
    group="paddock.avoidance",
    builtin={
        "distal": f"{HERE}.distal:Distal",
        "proximal": f"{HERE}.proximal:Proximal",
        "planning": f"{HERE}.planning:Planning",
    },
    base=ObstacleAvoidance,
)


def find_avoidance(name: str, folder: str | Path | None = None) -> type[ObstacleAvoidance]:
    """The avoidance of that name, or the one that `module:Name` or `file.py:Name` names.

    Args:
        name: a registered name, or where to find the class.
        folder: where users' files are looked for first; None: only in the working directory.
    """
    kind = AVOIDANCE.get(name, folder=folder)
    if not isinstance(kind, type):
        raise PaddockError(
            f"{name}: expected a class derived from ObstacleAvoidance, got an object: leave out the parentheses"
        )
    refuse_abstract(kind, "decide(self, proximity, pose, dt), which gives wheel speeds (left, right) [m/s]")
    return kind


def make_avoidance(name: str, **parameters: Any) -> ObstacleAvoidance:
    """A new avoidance by name; unknown parameters are refused by name."""
    kind = find_avoidance(name)
    known = [field.name for field in dataclasses.fields(kind) if field.init]
    for key in parameters:
        if key not in known:
            raise UnknownName(f"parameter of the avoidance {name!r}", key, known)
    return kind(**parameters)
