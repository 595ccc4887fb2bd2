"""Odometry: a robot's estimated pose, from how far its wheels have turned."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from paddock.core.geometry import Pose, wrap

ORIGIN = Pose(0.0, 0.0, 0.0)


@dataclass(slots=True)
class AngleUnwrapper:
    """A joint's angle that does not jump from π to -π, but counts on. Update it at least twice a turn."""

    angle: float = 0.0  # turned so far [rad]
    _last: float | None = None

    def update(self, joint: float) -> float:
        """Take the joint's angle [rad, any turn]; the first one is where counting begins."""
        if self._last is not None:
            self.angle += wrap(joint - self._last)
        self._last = joint
        return self.angle

    def reset(self) -> None:
        """Begin anew at 0."""
        self.angle, self._last = 0.0, None


@dataclass(slots=True)
class Odometry:
    """Estimated pose from the travel of both wheels [m]; the assumed wheels may differ from the true ones."""

    wheel_separation: float  # assumed [m]
    wheel_ratio: float = 1.0  # assumed wheel diameter over the one that the encoders are scaled with
    pose: Pose = ORIGIN  # estimated: x, y [m], heading [rad]
    distance: float = 0.0  # length of the estimated path [m]
    last_travel: tuple[float, float] = (0.0, 0.0)  # of the left and right wheel in the last update [m]
    _last: tuple[float, float] | None = field(default=None, repr=False)

    def update(self, left: float, right: float) -> Pose:
        """Take the wheels' travel since they were built [m], as encoders read it; the first is where it begins."""
        before, self._last = self._last, (left, right)
        if before is None:
            return self.pose
        self.last_travel = (left - before[0]) * self.wheel_ratio, (right - before[1]) * self.wheel_ratio
        along, turn = sum(self.last_travel) / 2, (self.last_travel[1] - self.last_travel[0]) / self.wheel_separation
        chord = along if abs(turn) < 1e-9 else along * math.sin(turn / 2) / (turn / 2)  # of an exact arc
        x, y, heading = self.pose
        middle = heading + turn / 2
        self.pose = Pose(x + chord * math.cos(middle), y + chord * math.sin(middle), wrap(heading + turn))
        self.distance += abs(along)
        return self.pose

    def reset(self, pose: Pose = ORIGIN) -> None:
        """Begin anew at a pose."""
        self.pose, self.distance, self.last_travel, self._last = pose, 0.0, (0.0, 0.0), None

    def update_angles(self, left: float, right: float, diameter: float) -> Pose:
        """The same from unwrapped wheel angles [rad] and the assumed wheel diameter [m]."""
        return self.update(left * diameter / 2, right * diameter / 2)


def compass_bearing(heading: float) -> float:
    """A heading [rad] as a compass shows it: 0 … 360 degrees, clockwise from north. North is y, east is x."""
    degrees = (90.0 - math.degrees(heading)) % 360.0
    return 0.0 if degrees == 360.0 else degrees
