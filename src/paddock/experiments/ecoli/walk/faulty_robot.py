"""Robots whose wheels and start heading differ from the values that their program assumes."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from paddock.simulation.worlds.world_spec import Placed

WHEEL_SEPARATION, WHEEL_DIAMETER = 0.053, 0.041  # [m] of the data sheet


@dataclass(frozen=True, kw_only=True, slots=True)
class RobotErrors:
    """Differences of a robot from its data sheet, and of its start heading from the assumed one."""

    start_heading: float = 0.0  # [rad] true heading minus the heading that the robot assumes
    wheel_ratio: float = 1.0  # right wheel over left wheel
    wheel_separation: float = WHEEL_SEPARATION  # [m]
    wheel_diameter: float = WHEEL_DIAMETER  # [m] mean of both wheels


PERFECT = RobotErrors()
FITTED = RobotErrors(start_heading=-0.0663, wheel_ratio=1.00147, wheel_separation=0.0522, wheel_diameter=0.0404)
"""Fitted to the 25 published points of experiment 1: the errors that explain them best, not measurements."""


def apply_robot_errors(robot: Placed, errors: RobotErrors, heading: float = 0.0) -> Placed:
    """Return a robot with these errors; it assumes that it has a heading [rad]."""
    scale, ratio = errors.wheel_diameter / WHEEL_DIAMETER, errors.wheel_ratio
    return replace(
        robot,
        heading_deg=math.degrees(heading + errors.start_heading),
        wheel_diameter_error=(2 * scale / (1 + ratio) - 1, 2 * scale * ratio / (1 + ratio) - 1),
        wheel_separation_error=errors.wheel_separation / WHEEL_SEPARATION - 1,
    )
