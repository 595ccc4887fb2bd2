"""What the robot does about obstacles on its way: a strategy that can be replaced, and the published one."""

from __future__ import annotations

import math
from typing import NamedTuple, Protocol

from paddock.core.geometry import Point, Pose
from paddock.orders.motion import CONSTANTS

APPROACH = 0.03  # [m] of a robot in checked mode; another one on its target it meets at twice its radius, 0.074 m
MANOEUVRE_STEPS = 400  # that the robot drives after it has turned away; ours: "empirical" in the publication


class Sight(NamedTuple):
    """All that a strategy may know."""

    proximity: tuple[int, ...]  # raw numbers of the eight sensors, clockwise from the right of the nose
    threshold: float  # of the sum of two of them, set by the order N
    pose: Pose  # estimated by the robot [m, rad]
    target: Point  # [m]


class Manoeuvre(NamedTuple):
    """Turn; turn again while the strategy still says so; then drive, and aim anew. It counts as one try."""

    turn: float  # [rad]
    forward: float  # [m]


class AvoidanceStrategy(Protocol):
    """Asked in every tick of a drive. It sees no more than a `Sight`."""

    def start(self) -> None:
        """A new order begins."""

    def react(self, sight: Sight) -> Manoeuvre | tuple[float, float] | None:
        """None: the way is free. A Manoeuvre: do that. Two numbers: wheel speeds [m/s] for this tick."""


class DistalAvoidance:
    """As published: turn 45° away from the side on which two sensors see something, and drive a little. Right first.

    A robot that is to stand close to a wall never gets there so. With `approach`, it does not mind what it sees from
    so near its target: whatever stood on the target itself, it would have met before.
    """

    def __init__(self, *, approach: float = 0.0, forward: float = MANOEUVRE_STEPS * CONSTANTS.step) -> None:
        """
        Args:
            approach: distance to the target [m] from which on nothing is avoided; 0 as published.
            forward: how far to drive after a turn [m].
        """
        self.approach, self.forward = approach, forward

    def start(self) -> None:
        """It has no memory."""

    def react(self, sight: Sight) -> Manoeuvre | None:
        p = sight.proximity
        right, left = p[0] + p[1] > sight.threshold, p[6] + p[7] > sight.threshold
        if not (right or left) or math.dist(sight.pose[:2], sight.target) < self.approach:
            return None
        return Manoeuvre(math.pi / 4 if right else -math.pi / 4, self.forward)
