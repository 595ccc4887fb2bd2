"""Robot descriptions: the spec, and the library of shipped robots."""

from __future__ import annotations

from paddock.simulation.robots.drives import (
    AckermannDrive,
    DifferentialDrive,
    Drive,
    MeasuredWheels,
    MecanumDrive,
    OmniDrive,
    SkidDrive,
)
from paddock.simulation.robots.robot_spec import (
    BodySpec,
    RobotSpec,
    find_robot,
    load_robot,
    robot_names,
)
from paddock.simulation.robots.urdf import describe_as_urdf

__all__ = [
    "AckermannDrive",
    "BodySpec",
    "DifferentialDrive",
    "Drive",
    "MeasuredWheels",
    "MecanumDrive",
    "OmniDrive",
    "RobotSpec",
    "SkidDrive",
    "describe_as_urdf",
    "find_robot",
    "load_robot",
    "robot_names",
]
