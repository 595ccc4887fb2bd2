"""Robots as data: the spec, and the library of shipped robots."""

from __future__ import annotations

from pathlib import Path

from paddock.core import library
from paddock.core.spec import read_toml_file, spec_from_table
from paddock.robots.spec import Body, RobotSpec

__all__ = ["Body", "RobotSpec", "load_robot", "robot_names"]


def robot_names() -> list[str]:
    """The shipped robots."""
    return library.names(__name__)


def load_robot(name_or_path: str | Path, *, beside: str | Path | None = None) -> RobotSpec:
    """A shipped robot by name, or a robot from a TOML file."""
    path = library.find(__name__, "robot", name_or_path, beside=beside)
    return spec_from_table(RobotSpec, read_toml_file(path), file=path.name)
