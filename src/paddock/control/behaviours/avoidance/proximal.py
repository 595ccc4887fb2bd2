"""Proximal: the reactive avoidance of the E. coli thesis: each wheel speed is a weighted sum of the sensors."""

from __future__ import annotations

from dataclasses import dataclass

from paddock.control.behaviours.avoidance.avoidance_strategy import ObstacleAvoidance, bearing_to
from paddock.control.behaviours.avoidance.ring import Distances
from paddock.core.errors import PaddockError
from paddock.core.geometry import Pose
from paddock.core.observation import WheelSpeeds

# Weight of each sensor on the left and the right wheel [m/s], from the e-puck's demonstration program: steps/s there.
STEP = 0.1288053 / 1000  # [m]
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
