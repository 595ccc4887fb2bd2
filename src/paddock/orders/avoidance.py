"""What the robot does about obstacles on its way: a strategy that can be replaced, and the published one."""

from __future__ import annotations

import math
from typing import Literal, NamedTuple, Protocol

from paddock.control.avoidance import EPUCK_RING, ObstacleAvoidance
from paddock.control.avoidance.distal import EIGHTH
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
    dt: float  # [s] until the strategy is asked again


class Manoeuvre(NamedTuple):
    """Turn; turn again while the strategy still says so; then drive, and aim anew. It counts as one try."""

    turn: float  # [rad]
    forward: float  # [m]


Reaction = Manoeuvre | tuple[float, float] | Literal["give up"] | None
"""None: the way is free, the robot drives on to its target. Two numbers: wheel speeds [m/s] for this tick."""


class AvoidanceStrategy(Protocol):
    """Asked in every tick of a drive. It sees no more than a `Sight`."""

    @property
    def detections(self) -> int:
        """How often an obstacle was noticed, in all drives."""

    def start(self, pose: Pose, target: Point) -> None:
        """A drive begins."""

    def react(self, sight: Sight) -> Reaction:
        """What to do now."""


class DistalAvoidance:
    """As published: turn 45° away from the side on which two sensors see something, and drive a little. Right first.

    The rule is that of `control.avoidance.Distal`, which steers any robot by it. Here the robot's program drives, by
    counted steps. A robot that is to stand close to a wall never gets there so. With `approach`, it does not mind what
    it sees from so near its target: whatever stood on the target itself, it would have met before.
    """

    def __init__(self, *, approach: float = 0.0, forward: float = MANOEUVRE_STEPS * CONSTANTS.step) -> None:
        """
        Args:
            approach: distance to the target [m] from which on nothing is avoided; 0 as published.
            forward: how far to drive after a turn [m].
        """
        self.approach, self.forward = approach, forward
        self.detections = 0  # positive checks: an obstacle may count several times

    def start(self, pose: Pose, target: Point) -> None:
        """It has no memory."""

    def react(self, sight: Sight) -> Manoeuvre | None:
        side = EPUCK_RING.find_counted(sight.proximity, sight.threshold)
        if not side or math.dist(sight.pose[:2], sight.target) < self.approach:
            return None
        self.detections += 1
        return Manoeuvre(-side * EIGHTH, self.forward)


class SteeredAvoidance:
    """Steers all the way, up to where it takes the goal for reached; the rest the robot drives itself."""

    def __init__(self, seeker: ObstacleAvoidance) -> None:
        """
        Args:
            seeker: what steers, such as `Planning()`; its ring tells distances from the raw numbers of the sensors.
        """
        self._seeker, self._earlier = seeker, 0

    @property
    def detections(self) -> int:
        """How often an obstacle was noticed, in all drives."""
        return self._earlier + self._seeker.detections

    def start(self, pose: Pose, target: Point) -> None:
        self._earlier = self.detections
        self._seeker.reset(pose, target)

    def react(self, sight: Sight) -> Reaction:
        left, right = self._seeker.act(self._seeker.ring.find_distances(sight.proximity), sight.pose, sight.dt)
        if self._seeker.state == "gave up":
            return "give up"
        return (float(left), float(right)) if self._seeker.state == "driving" else None
