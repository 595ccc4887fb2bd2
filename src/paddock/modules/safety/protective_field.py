"""What is too near: a body's sweep over its stopping distance, and AP2DX's rule for single sonars."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from paddock.core.geometry import Pose
from paddock.core.observation import WheelSpeeds
from paddock.mapping.scan import transform
from paddock.modules.safety.sweep_kernels import find_contact

Floats = NDArray[np.float64]
NO_POINTS: Floats = np.empty((0, 2))
STILL_SPEED = 1e-6  # [m/s]
SWEEP_STEP = 0.02  # [m] of the outermost corner between two looks
STANDING = 1e-6  # [m, rad] between two looks
MEMORY_TIME = 5.0  # [s] for which points outside the sensors' view are kept
TOLERANCE = 0.002  # [m] by which a point may come nearer: noise
TRACK_STEP = 0.02  # [m] between remembered poses
TRACK_LENGTH = 1.0  # [m]


@dataclass(frozen=True, kw_only=True)
class RobotShape:
    """What a protective field must know of a robot."""

    outline: Floats  # convex, counter-clockwise [m], shape (corners, 2)
    wheel_separation: float  # [m]
    deceleration: float  # of a wheel [m/s²]
    sees_behind: bool = False  # whether its sensors look backwards
    max_speed: float = math.inf  # of a wheel [m/s]

    @property
    def reach(self) -> float:
        """From the centre to the outermost corner [m]."""
        return float(np.hypot(*self.outline.T).max())


class SeenPoints(NamedTuple):
    """What was met in one look."""

    time: float  # [s]
    clock: float  # the field's, which may stand while the robot stands [s]
    points: Floats  # in the frame of odometry [m]


class ProtectiveField:
    """Refuses motions after which the robot could not stop in time.

    The body is swept over the way that it needs to stop: what it drives while it reacts, and while it brakes. Whatever
    it has seen during the last seconds counts, so it turns and backs safely past what no sensor sees any more. Without
    sensors behind, it backs only to where it has been, and forgets nothing of its way while it stands.
    """

    def __init__(
        self, shape: RobotShape, *, margin: float = 0.05, escape_margin: float = 0.01, reaction: float = 0.3
    ) -> None:
        """
        Args:
            shape: the robot.
            margin: that must stay free around the body [m].
            escape_margin: the same while the robot gets away from an obstacle.
            reaction: from a measurement to the first effect of braking [s].
        """
        self.shape, self.margins, self.reaction = shape, (margin, escape_margin), reaction
        self.pose = Pose(0.0, 0.0, 0.0)
        self.seen: list[SeenPoints] = []
        self.track: deque[Pose] = deque([self.pose], maxlen=round(TRACK_LENGTH / TRACK_STEP))
        edges = np.roll(shape.outline, -1, axis=0) - shape.outline
        self.normals = np.column_stack((edges[:, 1], -edges[:, 0])) / np.hypot(*edges.T)[:, None]
        self.offsets = (self.normals * shape.outline).sum(axis=1)
        self._find_contact(np.zeros((1, 2)), np.ones((1, 4)), 1.0, margin)  # compiled before anything drives

    def update(self, points: Floats, pose: Pose, time: float) -> None:
        """Take what sensors met [m, in the robot's frame], and the robot's pose by odometry."""
        last = self.seen[-1] if self.seen else SeenPoints(time, 0.0, NO_POINTS)
        stands = max(abs(new - old) for new, old in zip(pose, self.pose, strict=True)) < STANDING
        clock = last.clock if stands and not self.shape.sees_behind else last.clock + time - last.time
        self.pose = pose
        # Looks from the place where it stands replace each other; those of before must last until it drives again.
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
        """Why the robot must not go on at these wheel speeds; empty: it may."""
        if max(map(abs, wheels)) < STILL_SPEED:
            return ""
        if not max(map(abs, wheels)) <= self.shape.max_speed * (1 + 1e-6):
            return f"its wheels do at most {self.shape.max_speed:g} m/s, not {wheels.left:g} and {wheels.right:g} m/s"
        if (left := self.time_to_contact(wheels, escaping=escaping)) < math.inf:
            return f"contact in {left:.2f} s, and it needs {self.stopping_time(wheels):.2f} s to stop"
        if wheels.left + wheels.right < 0 and not self.shape.sees_behind and not self._has_been_behind(wheels):
            return "it does not see behind itself, and has not been there"
        return ""

    def stopping_time(self, wheels: WheelSpeeds) -> float:
        """From a measurement to standing [s]."""
        return self.reaction + max(map(abs, wheels)) / self.shape.deceleration

    def time_to_contact(self, wheels: WheelSpeeds, *, escaping: bool = False) -> float:
        """When the body would touch something on its way to a stop [s]; infinity: it stops in time."""
        if not self.seen:
            return math.inf
        times, way = self._predict(wheels)
        reach = self.shape.reach + self.margins[0] + max(map(abs, wheels)) * self.stopping_time(wheels)
        step = self._find_contact(self._points, way, reach, self.margins[escaping])
        return float(times[step]) if step >= 0 else math.inf

    def _find_contact(self, points: Floats, way: Floats, reach: float, margin: float) -> int:
        pose = np.array(self.pose)
        return int(find_contact(points, pose, self.normals, self.offsets, way, reach, margin, TOLERANCE))

    @cached_property
    def _points(self) -> Floats:
        """All that was seen, in the frame of odometry [m]."""
        return np.concatenate([look.points for look in self.seen])

    def _predict(self, wheels: WheelSpeeds) -> tuple[Floats, Floats]:
        """Times and poses, from here, on the way to a stop: at full speed while it reacts, then braking evenly."""
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
    """The rule of AP2DX: a single sonar of the inner ones is near, and nearer than at its last reading."""

    def __init__(self, wall_distance: float = 0.3, inner: Sequence[int] = range(1, 7)) -> None:
        """
        Args:
            wall_distance: what counts as near [m].
            inner: numbers of the sonars that look ahead.
        """
        self.wall_distance, self.inner = wall_distance, list(inner)
        self.ranges: Floats | None = None
        self.closing = -1  # number of a sonar

    def update(self, ranges: Floats) -> None:
        """Take a reading of all sonars [m]."""
        before, self.ranges, self.closing = self.ranges, np.array(ranges, float), -1
        if before is not None:
            near = [k for k in self.inner if ranges[k] <= self.wall_distance and ranges[k] < before[k]]
            self.closing = near[0] if near else -1

    def refuse(self, wheels: WheelSpeeds, *, escaping: bool) -> str:
        """Why the robot must not go on. Getting away is not watched, nor is turning and backing."""
        if escaping or self.closing < 0 or self.ranges is None or wheels.left + wheels.right <= 0:
            return ""
        return f"sonar {self.closing + 1} measures {self.ranges[self.closing]:.2f} m, less than before"
