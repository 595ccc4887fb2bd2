"""Robot descriptions: the spec, and the library of shipped robots."""

from __future__ import annotations

from paddock.simulation.robots.robot_spec import (
    BodySpec,
    DifferentialDrive,
    MeasuredWheels,
    RobotSpec,
    find_robot,
    load_robot,
    robot_names,
)
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
