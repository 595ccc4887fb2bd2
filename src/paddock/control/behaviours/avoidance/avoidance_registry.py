"""Registry of avoidances: shipped, from other packages (entry points `paddock.avoidance`), and in users' files."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

from paddock.control.behaviours.avoidance.avoidance_strategy import ObstacleAvoidance
from paddock.core.error_location import refuse_abstract
from paddock.core.errors import PaddockError, UnknownName
from paddock.core.registry import Registry

HERE = "paddock.control.behaviours.avoidance"
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
    """Return the avoidance class with a name, `module:Name` or `file.py:Name`.

    Args:
        name: a registered name, or the location of the class.
        folder: the first folder to search for users' files; None: only the working directory.
    """
    kind = AVOIDANCE.get(name, folder=folder)
    if not isinstance(kind, type):
        raise PaddockError(
            f"{name}: expected a class derived from ObstacleAvoidance, got an object: leave out the parentheses"
        )
    refuse_abstract(kind, "decide(self, proximity, pose, dt), which returns wheel speeds (left, right) [m/s]")
    return kind


def make_avoidance(name: str, **parameters: Any) -> ObstacleAvoidance:
    """Create an avoidance by name; raise an error for unknown parameters."""
    kind = find_avoidance(name)
    known = [field.name for field in dataclasses.fields(kind) if field.init]
    for key in parameters:
        if key not in known:
            raise UnknownName(f"parameter of the avoidance {name!r}", key, known)
    return kind(**parameters)
