"""The safety rule, for all tasks but those that keep their distance themselves: slow down in time, stop when near."""

from __future__ import annotations

import math

from paddock.control.tasks.view import View
from paddock.core.observation import Observation, WheelSpeeds

CREEP = 0.1  # of the wanted speed is left however near the clearance is, so that it is reached
STANDING = 1e-3  # [m/s] slower than this is no travel: turning on the spot is always allowed


def too_near(view: View, observation: Observation, wheels: WheelSpeeds) -> float | None:
    """The nearest distance [m] in the direction in which the wheels would drive, if it is below the clearance."""
    forward = (wheels.left + wheels.right) / 2
    if not view.guarded or abs(forward) < STANDING:
        return None
    nearest = view.nearest(observation, backwards=forward < 0)
    return nearest if nearest < view.clearance else None


def slowed(view: View, observation: Observation, wheels: WheelSpeeds) -> WheelSpeeds:
    """The same course, no faster than the motors can bring to rest within half of the room to the clearance."""
    forward = (wheels.left + wheels.right) / 2
    if not view.guarded or abs(forward) < STANDING or math.isinf(view.max_acceleration):
        return wheels
    room = view.nearest(observation, backwards=forward < 0) - view.clearance
    share = min(1.0, max(CREEP, math.sqrt(view.max_acceleration * max(room, 0.0)) / abs(forward)))
    return WheelSpeeds(wheels.left * share, wheels.right * share)
