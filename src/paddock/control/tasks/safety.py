"""The safety rule, for all tasks but those that keep their distance themselves: slow down in time, stop when near."""

from __future__ import annotations

import math

from paddock.control.tasks.context import TaskContext, cruise_speed
from paddock.core.observation import Observation, WheelSpeeds

CREEP = 0.1  # of the commanded speed is left however near the clearance is, so that it is reached
STANDING = 1e-3  # [m/s] slower than this is no travel: turning on the spot is always allowed
BODY_SHARE = 0.5  # of the body's radius, kept free around it


def derive_clearance(radius: float, max_speed: float, max_acceleration: float, sensor_range: float = math.inf) -> float:
    """The safety distance [m] of a robot that is given none.

    Half of the body's radius, and the way to brake from its cruise speed; at most half of what its sensors see.

    Args:
        radius: of a circle around the body's centre that holds all of it [m].
        max_speed: of a wheel [m/s].
        max_acceleration: of a wheel [m/s²]; infinity where there is no limit.
        sensor_range: of the sensors that look ahead [m].
    """
    braking = cruise_speed(max_speed) ** 2 / (2 * max_acceleration)
    return min(BODY_SHARE * radius + braking, sensor_range / 2)


def too_near(context: TaskContext, observation: Observation, wheels: WheelSpeeds) -> float | None:
    """The nearest distance [m] in the direction in which the wheels would drive, if it is below the clearance."""
    linear = (wheels.left + wheels.right) / 2
    if not context.guarded or abs(linear) < STANDING:
        return None
    nearest = context.nearest(observation, backwards=linear < 0)
    return nearest if nearest < context.clearance else None


def limit_speed(context: TaskContext, observation: Observation, wheels: WheelSpeeds) -> WheelSpeeds:
    """The same course, no faster than the motors can bring to rest within half of the room to the clearance."""
    linear = (wheels.left + wheels.right) / 2
    if not context.guarded or abs(linear) < STANDING or math.isinf(context.max_acceleration):
        return wheels
    room = context.nearest(observation, backwards=linear < 0) - context.clearance
    share = min(1.0, max(CREEP, math.sqrt(context.max_acceleration * max(room, 0.0)) / abs(linear)))
    return WheelSpeeds(wheels.left * share, wheels.right * share)
