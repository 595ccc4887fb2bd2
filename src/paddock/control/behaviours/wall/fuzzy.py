"""A small fuzzy controller: nine rules on distance and angle, and one rule for obstacles in front."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from paddock.control.behaviours.wall.wall_follower import MAX_SPEED, WallFollower, check_positive, clamp

# Rows: too near, right, too far. Columns: heading away from the wall, along it, towards it.
# Entries are turn rates as fractions of `turn_most`: positive towards the wall.
RULES = (
    (-0.3, -0.8, -1.0),
    (0.6, 0.0, -0.6),
    (1.0, 0.8, 0.3),
)


@dataclass(kw_only=True)
class FuzzyFollower(WallFollower):
    """A Sugeno controller: the turn rate is the mean of all rules, each weighted by how well it applies."""

    clearance: float  # target distance between the nearest sonar and the wall [m]
    speed: float = 0.30  # on a straight wall [m/s]
    distance_width: float = 0.10  # distance error with full membership in too far or too near [m]
    angle_width: float = 0.12  # difference of the side sonars with full membership in towards or away [m]
    front_width: float = 0.15  # distance in addition to the clearance from which obstacles ahead have an effect [m]
    turn_most: float = 1.6  # [rad/s]
    max_speed: float = MAX_SPEED  # [m/s]
    wheel_separation: float = 0.33  # [m]

    def __post_init__(self) -> None:
        check_positive(self, "distance_width", "angle_width", "front_width", "turn_most")

    def update(
        self, ranges: Sequence[float], dt: float, wheel_speeds: tuple[float, float] | None = None
    ) -> tuple[float, float]:
        """Return wheel speeds [m/s], left and right, for a wall on the left."""
        distance = grade((min(ranges[0], ranges[1]) - self.clearance) / self.distance_width)
        angle = grade((min(ranges[15], 2 * self.clearance) - min(ranges[0], 2 * self.clearance)) / self.angle_width)
        turn = sum(
            row * column * RULES[i][j] for i, row in enumerate(distance) for j, column in enumerate(angle)
        )  # the grades of each input add up to 1, so the weights do as well
        blocked = clamp(max(0.0, 1 - (min(ranges[2:5]) - self.clearance) / self.front_width), 1.0)
        turn = self.turn_most * (turn * (1 - blocked) - blocked)
        speed = self.speed * max(0.1, 1 - abs(turn) / (1.2 * self.turn_most)) * (1 - 0.8 * blocked)
        half = turn * self.wheel_separation / 2
        return clamp(speed - half, self.max_speed), clamp(speed + half, self.max_speed)


def grade(value: float) -> tuple[float, float, float]:
    """Return the memberships in negative, zero and positive: triangles over -1, 0, 1 that add up to 1."""
    value = clamp(value, 1.0)
    return max(0.0, -value), 1 - abs(value), max(0.0, value)
