"""Robot descriptions: the spec, and the library of shipped robots."""

from __future__ import annotations

from pathlib import Path

from paddock.core import library
from paddock.simulation.robots.differential import DifferentialDrive, MeasuredWheels
from paddock.simulation.robots.robot_spec import BodySpec, RobotSpec, find_robot, read_robot
from paddock.simulation.robots.urdf import describe_as_urdf

__all__ = [
    "BodySpec",
    "DifferentialDrive",
    "MeasuredWheels",
    "RobotSpec",
    "describe_as_urdf",
    "find_robot",
    "load_robot",
    "robot_names",
]


def robot_names() -> list[str]:
    """Return the names of the shipped robots."""
    return library.names(__name__)


def load_robot(name_or_path: str | Path) -> RobotSpec:
    """Load a shipped robot by name, or a robot from a TOML file."""
    return read_robot(find_robot(name_or_path))
