"""Obstacle avoidance of the robot: the interface of strategies, and the published strategy."""

from __future__ import annotations

import math
from typing import Literal, NamedTuple, Protocol

from paddock.control.behaviours.avoidance import EPUCK_RING, ObstacleAvoidance
from paddock.control.behaviours.avoidance.reactive import EIGHTH
from paddock.core.geometry import Point, Pose
from paddock.experiments.ecoli.waypoint_robots.motion import CONSTANTS

APPROACH = 0.03  # [m] in checked mode; less than 0.074 m, the distance at which it touches a robot on its target
MANOEUVRE_STEPS = 400  # steps ahead after a turn away; our choice: "empirical" in the publication


class Sight(NamedTuple):
    """Input of a strategy."""

    proximity: tuple[int, ...]  # raw readings of the eight sensors, clockwise from the front right
    threshold: float  # for the sum of two sensors, set by the order N
    pose: Pose  # estimated by the robot [m, rad]
    target: Point  # [m]
    dt: float  # [s] until the next call


class Manoeuvre(NamedTuple):
    """Turn, repeat while the strategy returns a turn, then drive and aim at the target again. Counts as one try."""

    turn: float  # [rad]
    forward: float  # [m]


Reaction = Manoeuvre | tuple[float, float] | Literal["give up"] | None
"""None: the path is free and the robot continues to its target. Two numbers: wheel speeds [m/s] for this tick."""


class AvoidanceStrategy(Protocol):
    """An avoidance strategy, which is called in every tick of a drive. Its only input is a `Sight`."""

    @property
    def detections(self) -> int:
        """Number of obstacle detections in all drives."""

    def start(self, pose: Pose, target: Point) -> None:
        """Start a drive."""

    def react(self, sight: Sight) -> Reaction:
        """Return the reaction for this tick."""


class DistalAvoidance:
    """The published strategy: turn 45° away from the side on which two sensors detect an obstacle, then drive a little.

    The right side is checked first. The rule is that of `control.avoidance.Distal`, which steers any robot; here the
    firmware drives by counted steps. With this rule a robot cannot reach a target close to a wall. Within the distance
    `approach` of its target the robot ignores detections, because it would have detected an obstacle on the target
    before.
    """

    def __init__(self, *, approach: float = 0.0, forward: float = MANOEUVRE_STEPS * CONSTANTS.step) -> None:
        """
        Args:
            approach: distance to the target [m] below which nothing is avoided; 0 as published.
            forward: distance to drive after a turn [m].
        """
        self.approach, self.forward = approach, forward
        self.detections = 0  # number of positive checks; one obstacle may count several times

    def start(self, pose: Pose, target: Point) -> None:
        """Do nothing: the strategy has no state."""

    def react(self, sight: Sight) -> Manoeuvre | None:
        side = EPUCK_RING.find_counted(sight.proximity, sight.threshold)
        if not side or math.dist(sight.pose[:2], sight.target) < self.approach:
            return None
        self.detections += 1
        return Manoeuvre(-side * EIGHTH, self.forward)


class SteeredAvoidance:
    """Steers with a controller until the controller reports the goal as reached; then the firmware drives the rest."""

    def __init__(self, seeker: ObstacleAvoidance) -> None:
        """
        Args:
            seeker: the controller, such as `Planning()`; its ring converts raw sensor readings to distances.
        """
        self._seeker, self._earlier = seeker, 0

    @property
    def detections(self) -> int:
        """Number of obstacle detections in all drives."""
        return self._earlier + self._seeker.detections

    def start(self, pose: Pose, target: Point) -> None:
        self._earlier = self.detections
        self._seeker.reset(pose, target)

    def react(self, sight: Sight) -> Reaction:
        left, right = self._seeker.act(self._seeker.ring.find_distances(sight.proximity), sight.pose, sight.dt)
        if self._seeker.state == "gave up":
            return "give up"
        return (float(left), float(right)) if self._seeker.state == "driving" else None
