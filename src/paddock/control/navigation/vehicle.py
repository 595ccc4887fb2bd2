"""A robot as planners see it: the outline of its body, distances from obstacles, and the limits of its drive."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from paddock.core.errors import PaddockError
from paddock.core.geometry import Disc, Shape, bounding_radius
from paddock.core.jit import kernel
from paddock.core.observation import WheelSpeeds
from paddock.perception.mapping.scan import Floats
from paddock.simulation.robots import RobotSpec

MAX_SPACING = 0.03  # maximum distance of points on an outline [m]
POINTS = 8  # minimum number of points along its largest radius
INSCRIBED, CIRCUMSCRIBED, NEEDED = range(3)  # of a body's numbers [m]; the last is the required free distance
X, Y, SIDE = range(3)  # of an origin: the corner of cell [0, 0], and the side of a cell [m]
STRIDE = 0.2  # distance between two checks along an arc [circumscribed radii]


@dataclass(frozen=True)
class Footprint:
    """A body relative to its centre of rotation. The two radii of a disc are equal."""

    inscribed: float  # radius of the largest circle around the centre inside the outline [m]
    half_width: float  # maximum extent to the side [m]; a straight passage must be twice as wide
    circumscribed: float  # radius of the smallest circle around the outline [m]
    outline: Floats = field(repr=False)  # points on it, x forward, y left [m], shape (n, 2)
    spacing: float  # the largest gap between them [m]

    @classmethod
    def of(cls, shape: Shape, spacing: float | None = None) -> Footprint:
        """Create the footprint of a body's shape.

        Args:
            shape: in the robot's frame, such as `robot.spec.body.shape`.
            spacing: maximum distance of points on the outline [m]; None: an eighth of its radius, and at most 3 cm.
        """
        if spacing is None:
            spacing = min(MAX_SPACING, bounding_radius(shape) / POINTS)
        if not spacing > 0:
            raise PaddockError(f"Footprint: spacing: expected metres > 0, got {spacing!r}")
        if isinstance(shape, Disc):
            count = max(8, math.ceil(math.tau * shape.radius / spacing))
            angles = np.arange(count) * math.tau / count
            circle = np.column_stack((np.cos(angles), np.sin(angles)))
            inner = max(0.0, shape.radius - math.hypot(shape.x, shape.y))
            wide = abs(shape.y) + shape.radius
            return cls(inner, wide, bounding_radius(shape), (shape.x, shape.y) + shape.radius * circle, spacing)
        points: list[tuple[float, float]] = []
        inner = math.inf
        for (x0, y0), (x1, y1) in zip(shape, (*shape[1:], shape[0]), strict=True):
            length = math.hypot(x1 - x0, y1 - y0)
            inner = min(inner, (x0 * y1 - x1 * y0) / length)  # to the left of the edge: corners are counter-clockwise
            pieces = max(1, math.ceil(length / spacing))
            points += [(x0 + (x1 - x0) * k / pieces, y0 + (y1 - y0) * k / pieces) for k in range(pieces)]
        wide = max(abs(y) for _, y in shape)
        return cls(max(0.0, inner), wide, bounding_radius(shape), np.array(points), spacing)

    def numbers(self, margin: float) -> Floats:
        """Return the numbers for kernels, with a margin around the outline [m]."""
        return np.array([self.inscribed, self.circumscribed, margin + self.spacing / 2])


@kernel
def distance_at(distance, origin, x, y):
    """Return the interpolated distance from a point to the nearest obstacle [m]; infinity outside the map."""
    across, along = (y - origin[Y]) / origin[SIDE] - 0.5, (x - origin[X]) / origin[SIDE] - 0.5
    row, column = math.floor(across), math.floor(along)
    if not (0 <= row < distance.shape[0] - 1 and 0 <= column < distance.shape[1] - 1):
        return math.inf
    across, along = across - row, along - column
    here = (1.0 - along) * distance[row, column] + along * distance[row, column + 1]
    above = (1.0 - along) * distance[row + 1, column] + along * distance[row + 1, column + 1]
    return (1.0 - across) * here + across * above


@kernel
def body_clearance(distance, origin, outline, body, x, y, heading):
    """Return a lower bound of the distance from the outline of a body to the nearest obstacle [m]."""
    middle = distance_at(distance, origin, x, y)
    if middle >= body[CIRCUMSCRIBED] + body[NEEDED]:
        return middle - body[CIRCUMSCRIBED]
    smallest = middle - body[INSCRIBED]
    c, s = math.cos(heading), math.sin(heading)
    for k in range(outline.shape[0]):
        px, py = outline[k, 0], outline[k, 1]
        smallest = min(smallest, distance_at(distance, origin, x + c * px - s * py, y + s * px + c * py))
    return smallest


@kernel
def roll_on(x, y, heading, linear, angular, seconds):
    """Return the pose after some time of a constant twist, on the exact arc."""
    half = 0.5 * angular * seconds
    chord = linear * seconds
    if abs(half) > 1e-6:
        chord *= math.sin(half) / half
    return x + chord * math.cos(heading + half), y + chord * math.sin(heading + half), heading + 2.0 * half


@kernel
def free_time(distance, origin, outline, body, pose, linear, angular, seconds):
    """Return how long a body may move with a twist [m/s, rad/s] before it comes too near to an obstacle.

    The result is at most `seconds`. A body that is already too near may move as long as it comes no nearer.
    """
    x, y, heading = pose[0], pose[1], pose[2]
    allowed = min(body[NEEDED], body_clearance(distance, origin, outline, body, x, y, heading) - 1e-9)
    fastest = max(abs(linear), abs(angular) * body[CIRCUMSCRIBED], 1e-9)
    looks = math.ceil(seconds * fastest / (STRIDE * body[CIRCUMSCRIBED]))
    for k in range(1, looks + 1):
        passed = seconds * k / looks
        px, py, turned = roll_on(x, y, heading, linear, angular, passed)
        if body_clearance(distance, origin, outline, body, px, py, turned) < allowed:
            return seconds * (k - 1) / looks
    return seconds


class Twist(NamedTuple):
    """Velocity of a robot: linear forward [m/s], and angular to the left [rad/s]."""

    linear: float
    angular: float


STILL = Twist(0.0, 0.0)


@dataclass(frozen=True, kw_only=True)
class DriveLimits:
    """Limits of a differential drive."""

    wheel_separation: float  # [m]
    max_speed: float  # of a wheel [m/s]
    max_acceleration: float = math.inf  # of a wheel [m/s²]
    speed: float = 0.5  # maximum forward speed [m/s]
    turn_rate: float = 1.2  # maximum [rad/s]
    reaction: float = 0.3  # maximum delay between a measurement and the reaction of the wheels [s]

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if not (isinstance(value, int | float) and value > 0):
                raise PaddockError(f"DriveLimits: {name}: expected a number > 0, got {value!r}")
        if self.speed > self.max_speed:
            raise PaddockError(
                f"DriveLimits: speed: expected at most {self.max_speed:g} m/s, the wheels' maximum, got {self.speed:g}"
            )

    @classmethod
    def of(cls, spec: RobotSpec, speed: float | None = None) -> DriveLimits:
        """Return the limits of a robot.

        Args:
            spec: the robot.
            speed: maximum forward speed [m/s]; None: half of the maximum wheel speed, and at most 0.5.
        """
        drive = spec.drive
        most = 2 * drive.max_speed / drive.wheel_separation
        return cls(
            wheel_separation=drive.wheel_separation,
            max_speed=drive.max_speed,
            max_acceleration=drive.max_acceleration or math.inf,
            speed=min(0.5, 0.5 * drive.max_speed) if speed is None else speed,
            turn_rate=min(1.2, 0.5 * most),
        )

    def wheels(self, twist: Twist) -> WheelSpeeds:
        """Return the wheel speeds for a twist; both parts are scaled down if a wheel would be too fast."""
        return WheelSpeeds.of_twist(twist.linear, twist.angular, self.wheel_separation).limit(self.max_speed)

    def twist(self, wheels: WheelSpeeds) -> Twist:
        """Return the twist for wheel speeds."""
        left, right = wheels
        return Twist((left + right) / 2, (right - left) / self.wheel_separation)

    def approach(self, now: Twist, target: Twist, seconds: float) -> Twist:
        """Return the twist after accelerating towards another for some time, within the limits of the wheels."""
        (left0, right0), (left1, right1) = self.wheels(now), self.wheels(target)
        change = max(abs(left1 - left0), abs(right1 - right0))
        share = min(1.0, self.max_acceleration * seconds / change) if change > 0 else 1.0
        return self.twist(WheelSpeeds(left0 + share * (left1 - left0), right0 + share * (right1 - right0)))

    def stopping_time(self, twist: Twist) -> float:
        """Return how long the path of a twist must be free so that the robot can stop in time [s].

        This is the reaction time plus half the braking time, because braking takes half the distance of full speed.
        """
        fastest = max(abs(speed) for speed in self.wheels(twist))
        return self.reaction + 0.5 * fastest / self.max_acceleration
