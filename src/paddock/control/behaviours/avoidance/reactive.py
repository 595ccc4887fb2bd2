"""Reactive avoidance without a map: the rules of the E. coli robots, and weighted sums over the sensors."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from paddock.control.behaviours.avoidance.avoidance_strategy import ObstacleAvoidance, bearing_to
from paddock.control.behaviours.avoidance.proximity_ring import Distances
from paddock.core.errors import PaddockError
from paddock.core.geometry import Point, Pose, wrap
from paddock.core.observation import WheelSpeeds

AIMED = math.radians(1.0)  # tolerance at which a turn ends
EIGHTH = math.pi / 4

# Weight of each sensor on the left and the right wheel [m/s], from the e-puck's demonstration program: steps/s there.
STEP = 0.1288053 / 1000  # [m]


@dataclass(kw_only=True)
class Distal(ObstacleAvoidance):
    """Compares the sum of counts of the two foremost sensors on each side with a threshold, the right side first.

    The thesis found the distance driven aside and the number of tries by experiment and did not publish them. The
    defaults are ours.
    """

    threshold: float = 480.0  # an obstacle is detected if the counts of two sensors add up to more
    aside: float = 0.05  # distance driven after a turn, before it aims at the goal again [m]
    most_tries: int = 30

    def reset(self, start: Pose, goal: Point) -> None:
        super().reset(start, goal)
        self._phase: Literal["aim", "drive", "turn", "aside"] = "aim"
        self._heading = 0.0  # to turn to [rad]
        self._from = start  # pose at which it started to drive aside

    def decide(self, proximity: Distances, pose: Pose, dt: float) -> WheelSpeeds:
        if self._phase in ("drive", "aside"):
            side = self.ring.find_obstacle(proximity, self.threshold)
            if side:
                self.detections += 1
                self._phase, self._heading = "turn", wrap(pose.heading - side * EIGHTH)
            elif self._phase == "aside" and math.dist(pose[:2], self._from[:2]) >= self.aside:
                self.tries += 1
                if self.tries >= self.most_tries:
                    return self.give_up()
                self._phase = "aim"
        if self._phase == "turn":
            off = wrap(self._heading - pose.heading)
            if abs(off) > AIMED:
                return self.turn_on_spot(off, dt)
            self._phase, self._from = "aside", pose
        if self._phase == "aim":
            off = bearing_to(pose, self.goal)
            if abs(off) > AIMED:
                return self.turn_on_spot(off, dt)
            self._phase = "drive"
        if self._phase == "aside":
            return WheelSpeeds(self.speed, self.speed)
        if abs(bearing_to(pose, self.goal)) > EIGHTH:  # the robot has just missed the goal
            self._phase = "aim"
        speed = self.brake_before_goal(pose, dt)
        return WheelSpeeds(speed, speed)


WEIGHTS = tuple(
    (left * STEP, right * STEP)
    for left, right in (
        (150, -35), (100, -15), (80, -10), (-10, -10), (-10, -10), (-10, 80), (-30, 100), (-20, 150),
    )
)  # fmt: skip


@dataclass(kw_only=True)
class Proximal(ObstacleAvoidance):
    """Wheel speed = sum of weight(sensor, wheel) · (1 - counts / 512), blended with a turn towards the goal."""

    weights: tuple[tuple[float, float], ...] = WEIGHTS
    half: float = 512.0  # counts at which a sensor has no effect
    pull: float = 1.0  # turn rate per radian of bearing to the goal [1/s]
    stretch: float = 3.0  # factor on the weights, which alone drive at 250 steps/s

    def __post_init__(self) -> None:
        super().__post_init__()
        if len(self.weights) != len(self.ring.mounts):
            count = len(self.ring.mounts)
            raise PaddockError(f"Proximal: weights: expected {count} pairs, one per sensor, got {len(self.weights)}")

    def decide(self, proximity: Distances, pose: Pose, dt: float) -> WheelSpeeds:
        shares = [1.0 - self.ring.find_counts(float(distance)) / self.half for distance in proximity]
        left, right = (sum(s * w[k] for s, w in zip(shares, self.weights, strict=True)) for k in (0, 1))
        linear = self.stretch * (left + right) / 2
        angular = self.stretch * (right - left) / self.wheel_separation + self.pull * bearing_to(pose, self.goal)
        return self.turn_wheels(min(linear, self.brake_before_goal(pose, dt)), angular)
