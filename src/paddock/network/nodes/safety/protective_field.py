"""Safety rules: a protective field that sweeps the body over its stopping distance, and AP2DX's sonar rule."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from paddock.core.geometry import ORIGIN, Pose
from paddock.core.jit import kernel
from paddock.core.observation import WheelSpeeds
from paddock.perception.mapping.scan import Floats, transform

NO_POINTS: Floats = np.empty((0, 2))
STILL_SPEED = 1e-6  # [m/s]
SWEEP_STEP = 0.02  # [m] motion of the outermost corner between two checks
STANDING = 1e-6  # [m, rad] maximum motion between two updates of a stationary robot
MEMORY_TIME = 5.0  # [s] for which points outside the sensors' view are kept
TOLERANCE = 0.002  # [m] by which a point may come nearer, because of noise
TRACK_STEP = 0.02  # [m] between stored poses
TRACK_LENGTH = 1.0  # [m]


@kernel
def distance_to_body(normals, offsets, x, y):
    """Return the distance from the edges of a convex body to a point in its frame [m]; negative inside."""
    farthest = -math.inf
    for k in range(offsets.shape[0]):
        farthest = max(farthest, normals[k, 0] * x + normals[k, 1] * y - offsets[k])
    return farthest


@kernel
def find_contact(points, pose, normals, offsets, way, reach, margin, tolerance):
    """Return the index of the first pose of a path at which a body comes too near to a point; -1 if there is none.

    A point that is already inside the margin may stay there but must not come nearer, so that an escape is possible.

    Args:
        points: obstacle points in the frame of odometry [m], shape (n, 2).
        pose: pose of the body in that frame.
        normals: outward normals of its edges, shape (edges, 2).
        offsets: distances of its edges from its centre along the normals [m].
        way: poses of the path in the body's current frame: x, y [m], cosine and sine of the heading, shape (steps, 4).
        reach: points farther than this from the centre are ignored [m].
        margin: minimum distance to points [m].
        tolerance: distance by which a point may come nearer [m].
    """
    c, s = math.cos(pose[2]), math.sin(pose[2])
    first = way.shape[0]
    for i in range(points.shape[0]):
        dx, dy = points[i, 0] - pose[0], points[i, 1] - pose[1]
        if not dx * dx + dy * dy < reach * reach:
            continue
        x, y = c * dx + s * dy, c * dy - s * dx
        now = distance_to_body(normals, offsets, x, y) - tolerance
        for k in range(first):
            ahead, aside = x - way[k, 0], y - way[k, 1]
            along, across = way[k, 2] * ahead + way[k, 3] * aside, way[k, 2] * aside - way[k, 3] * ahead
            if distance_to_body(normals, offsets, along, across) < min(margin, now):
                first = k
                break
    return first if first < way.shape[0] else -1


@dataclass(frozen=True, kw_only=True)
class RobotShape:
    """Outline and dynamics of a robot for a protective field."""

    outline: Floats  # convex, counter-clockwise [m], shape (corners, 2)
    wheel_separation: float  # [m]
    deceleration: float  # of a wheel [m/s²]
    sees_behind: bool = False  # whether sensors cover the rear
    max_speed: float = math.inf  # of a wheel [m/s]

    @property
    def reach(self) -> float:
        """Distance from the centre to the outermost corner [m]."""
        return float(np.hypot(*self.outline.T).max())


class SeenPoints(NamedTuple):
    """Obstacle points of one set of readings."""

    time: float  # [s]
    clock: float  # time of the field's clock, which may pause while the robot is stationary [s]
    points: Floats  # in the frame of odometry [m]


class ProtectiveField:
    """Rejects motions from which the robot could not stop in time.

    The body is swept along its stopping path: the distance driven during the reaction time and while braking. All
    points seen during the last seconds count, so that the robot turns and backs up safely past obstacles that are out
    of sight. Without rear sensors it backs up only to where it has been, and keeps all points while it is stationary.
    """

    def __init__(
        self, shape: RobotShape, *, margin: float = 0.05, escape_margin: float = 0.01, reaction: float = 0.3
    ) -> None:
        """
        Args:
            shape: the robot.
            margin: minimum distance between body and obstacles [m].
            escape_margin: the same during an escape from an obstacle [m].
            reaction: time from a measurement to the first effect of braking [s].
        """
        self.shape, self.margins, self.reaction = shape, (margin, escape_margin), reaction
        self.pose = ORIGIN
        self.seen: list[SeenPoints] = []
        self.track: deque[Pose] = deque([self.pose], maxlen=round(TRACK_LENGTH / TRACK_STEP))
        edges = np.roll(shape.outline, -1, axis=0) - shape.outline
        self.normals = np.column_stack((edges[:, 1], -edges[:, 0])) / np.hypot(*edges.T)[:, None]
        self.offsets = (self.normals * shape.outline).sum(axis=1)
        self._find_contact(np.zeros((1, 2)), np.ones((1, 4)), 1.0, margin)  # compile before the robot drives

    def update(self, points: Floats, pose: Pose, time: float) -> None:
        """Add obstacle points [m, in the robot's frame] and set the robot's pose by odometry."""
        last = self.seen[-1] if self.seen else SeenPoints(time, 0.0, NO_POINTS)
        stands = max(abs(new - old) for new, old in zip(pose, self.pose, strict=True)) < STANDING
        clock = last.clock if stands and not self.shape.sees_behind else last.clock + time - last.time
        self.pose = pose
        # While the robot is stationary, new points replace each other; earlier ones are kept until it drives again.
        self.seen = [
            look
            for look in self.seen
            if look.clock >= clock - MEMORY_TIME and (look.clock < clock or look.time >= time - MEMORY_TIME)
        ]
        self.seen.append(SeenPoints(time, clock, transform(points, pose) if len(points) else NO_POINTS))
        self.__dict__.pop("_points", None)
        if math.dist(pose[:2], self.track[-1][:2]) >= TRACK_STEP:
            self.track.append(pose)

    def refuse(self, wheels: WheelSpeeds, *, escaping: bool) -> str:
        """Return the reason why the robot must not drive at these wheel speeds; empty if it may."""
        if max(map(abs, wheels)) < STILL_SPEED:
            return ""
        if not max(map(abs, wheels)) <= self.shape.max_speed * (1 + 1e-6):
            return f"wheel speeds: at most {self.shape.max_speed:g} m/s, got {wheels.left:g} and {wheels.right:g} m/s"
        if (left := self.time_to_contact(wheels, escaping=escaping)) < math.inf:
            return f"contact in {left:.2f} s, but the robot needs {self.stopping_time(wheels):.2f} s to stop"
        if wheels.left + wheels.right < 0 and not self.shape.sees_behind and not self._has_been_behind(wheels):
            return "no sensor covers the rear, and the robot has not been there before"
        return ""

    def stopping_time(self, wheels: WheelSpeeds) -> float:
        """Return the time from a measurement to a standstill [s]."""
        return self.reaction + max(map(abs, wheels)) / self.shape.deceleration

    def time_to_contact(self, wheels: WheelSpeeds, *, escaping: bool = False) -> float:
        """Return the time until a contact on the stopping path [s]; infinity if the robot stops in time."""
        if not self.seen:
            return math.inf
        times, way = self._predict(wheels)
        reach = self.shape.reach + self.margins[0] + max(map(abs, wheels)) * self.stopping_time(wheels)
        step = self._find_contact(self._points, way, reach, self.margins[escaping])
        return float(times[step]) if step >= 0 else math.inf

    def _find_contact(self, points: Floats, path: Floats, reach: float, margin: float) -> int:
        pose = np.array(self.pose)
        return int(find_contact(points, pose, self.normals, self.offsets, path, reach, margin, TOLERANCE))

    @cached_property
    def _points(self) -> Floats:
        """All stored points in the frame of odometry [m]."""
        return np.concatenate([look.points for look in self.seen])

    def _predict(self, wheels: WheelSpeeds) -> tuple[Floats, Floats]:
        """Return times and relative poses of the stopping path: full speed while reacting, then constant braking."""
        linear, angular = (wheels.left + wheels.right) / 2, (wheels.right - wheels.left) / self.shape.wheel_separation
        braking = self.stopping_time(wheels) - self.reaction
        way = self.reaction + braking / 2  # [s] at full speed
        steps = max(2, math.ceil((abs(linear) + abs(angular) * self.shape.reach) * way / SWEEP_STEP))
        driven = way * np.arange(1, steps + 1) / steps
        rest = np.maximum(0.0, driven - self.reaction)
        times = driven - rest + braking * (1 - np.sqrt(np.maximum(0.0, 1 - 2 * rest / max(braking, 1e-9))))
        heading = angular * driven
        chord = linear * driven * np.sinc(heading / 2 / np.pi)
        half = heading / 2
        return times, np.column_stack((chord * np.cos(half), chord * np.sin(half), np.cos(heading), np.sin(heading)))

    def _has_been_behind(self, wheels: WheelSpeeds) -> bool:
        (x, y), *_ = transform(self._predict(wheels)[1][-1:, :2], self.pose)
        return any(math.dist((x, y), pose[:2]) < self.shape.reach / 2 for pose in self.track)


class ClosingRule:
    """The rule of AP2DX: stop if any inner sonar is near an obstacle and nearer than at its last reading."""

    def __init__(self, wall_distance: float = 0.3, inner: Sequence[int] = range(1, 7)) -> None:
        """
        Args:
            wall_distance: distance that counts as near [m].
            inner: indices of the sonars that face forwards.
        """
        self.wall_distance, self.inner = wall_distance, list(inner)
        self.ranges: Floats | None = None
        self.closing = -1  # index of a sonar that comes nearer to an obstacle; -1: none

    def update(self, ranges: Floats) -> None:
        """Add a reading of all sonars [m]."""
        before, self.ranges, self.closing = self.ranges, np.array(ranges, float), -1
        if before is not None:
            near = [k for k in self.inner if ranges[k] <= self.wall_distance and ranges[k] < before[k]]
            self.closing = near[0] if near else -1

    def refuse(self, wheels: WheelSpeeds, *, escaping: bool) -> str:
        """Return the reason why the robot must not drive. Escaping, turning and backing up are not checked."""
        if escaping or self.closing < 0 or self.ranges is None or wheels.left + wheels.right <= 0:
            return ""
        return f"sonar {self.closing + 1} measures {self.ranges[self.closing]:.2f} m, less than before"


@dataclass(frozen=True, kw_only=True, slots=True)
class StopTimes:
    """The stopping time of a robot, divided into the detection of missing commands and braking.

    It starts with the measurement of the last valid command and ends with wheels at rest, in simulated time.
    """

    stop_within: float  # [s] maximum stopping time
    notice: float  # [s] minimum validity of a command; with less, the robot would stop between two commands
    deceleration: float  # of a wheel [m/s²]
    tick: float = 0.02  # [s] step in which wheels change their speed

    @property
    def max_speed(self) -> float:
        """Maximum wheel speed [m/s] from which the robot stops in time."""
        return self.deceleration * self.tick * math.floor((self.stop_within - self.notice) / self.tick + 1e-6)

    def find_hold(self, wheels: Iterable[float]) -> float:
        """Return how long wheel speeds [m/s] stay valid after the measurement that they are based on [s]."""
        braking = self.tick * math.ceil(max(map(abs, wheels)) / (self.deceleration * self.tick) - 1e-6)
        return max(self.notice, self.stop_within - braking)

    def limit(self, wheels: WheelSpeeds) -> WheelSpeeds:
        """Return wheel speeds on the same curve that are slow enough to stop in time."""
        return wheels.limit(self.max_speed)
