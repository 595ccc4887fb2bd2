"""The safety rule: slow down in time and stop near obstacles; not for tasks that keep their own distance."""

from __future__ import annotations

import math

from paddock.control.behaviours.tasks.context import TaskContext, cruise_speed
from paddock.core.observation import Observation, WheelSpeeds

CREEP = 0.1  # minimum fraction of the commanded speed near the clearance, so that the robot reaches it
STANDING = 1e-3  # [m/s] slower motion is not limited, so that turning on the spot is always permitted
BODY_SHARE = 0.5  # fraction of the body's radius that is kept free around it


def derive_clearance(radius: float, max_speed: float, max_acceleration: float, sensor_range: float = math.inf) -> float:
    """Return the default safety distance [m] of a robot.

    It is half of the body's radius plus the braking distance from the cruise speed, at most half of the sensor range.

    Args:
        radius: radius of a circle around the body's centre that encloses the body [m].
        max_speed: of a wheel [m/s].
        max_acceleration: of a wheel [m/s²]; infinity if there is no limit.
        sensor_range: range of the sensors that measure ahead [m].
    """
    braking = cruise_speed(max_speed) ** 2 / (2 * max_acceleration)
    return min(BODY_SHARE * radius + braking, sensor_range / 2)


def too_near(context: TaskContext, observation: Observation, wheels: WheelSpeeds) -> float | None:
    """Return the smallest distance [m] in the direction of travel if it is below the clearance, else None."""
    linear = (wheels.left + wheels.right) / 2
    if not context.guarded or abs(linear) < STANDING:
        return None
    nearest = context.nearest(observation, backwards=linear < 0)
    return nearest if nearest < context.clearance else None


def limit_speed(context: TaskContext, observation: Observation, wheels: WheelSpeeds) -> WheelSpeeds:
    """Scale wheel speeds so that the motors can stop the robot within half of the distance to the clearance."""
    linear = (wheels.left + wheels.right) / 2
    if not context.guarded or abs(linear) < STANDING or math.isinf(context.max_acceleration):
        return wheels
    room = context.nearest(observation, backwards=linear < 0) - context.clearance
    share = min(1.0, max(CREEP, math.sqrt(context.max_acceleration * max(room, 0.0)) / abs(linear)))
    return WheelSpeeds(wheels.left * share, wheels.right * share)
