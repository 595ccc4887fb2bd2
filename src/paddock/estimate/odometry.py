"""Odometry: where a robot believes to be, from how far its wheels have turned."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from paddock.core.geometry import Pose, wrap

ORIGIN = Pose(0.0, 0.0, 0.0)


@dataclass(slots=True)
class Unwrapped:
    """A joint's angle that does not jump from π to -π, but counts on. Look at it at least twice a turn."""

    angle: float = 0.0  # turned so far [rad]
    _last: float | None = None

    def update(self, joint: float) -> float:
        """Take the joint's angle [rad, any turn]; the first one is where counting begins."""
        if self._last is not None:
            self.angle += wrap(joint - self._last)
        self._last = joint
        return self.angle


@dataclass(slots=True)
class Odometry:
    """Believed pose from the travel of both rims; the believed wheels may differ from the true ones."""

    wheel_separation: float  # believed [m]
    wheel_ratio: float = 1.0  # believed wheel diameter over the one that the encoders are scaled with
    pose: Pose = ORIGIN  # believed: x, y [m], heading [rad]
    travelled: float = 0.0  # length of the believed way [m]
    moved: tuple[float, float] = (0.0, 0.0)  # of the left and right rim in the last update [m]
    _last: tuple[float, float] | None = field(default=None, repr=False)

    def restart(self, pose: Pose) -> None:
        """Begin again at a pose that is known."""
        self.pose, self.travelled, self.moved, self._last = pose, 0.0, (0.0, 0.0), None

    def update(self, left: float, right: float) -> Pose:
        """Take the rims' travel since they were built [m], as encoders tell it; the first is where it begins."""
        before, self._last = self._last, (left, right)
        if before is None:
            return self.pose
        self.moved = (left - before[0]) * self.wheel_ratio, (right - before[1]) * self.wheel_ratio
        along, turn = sum(self.moved) / 2, (self.moved[1] - self.moved[0]) / self.wheel_separation
        chord = along if abs(turn) < 1e-9 else along * math.sin(turn / 2) / (turn / 2)  # of an exact arc
        x, y, heading = self.pose
        middle = heading + turn / 2
        self.pose = Pose(x + chord * math.cos(middle), y + chord * math.sin(middle), wrap(heading + turn))
        self.travelled += abs(along)
        return self.pose

    def turned_wheels(self, left: float, right: float, diameter: float) -> Pose:
        """The same from unwrapped wheel angles [rad] and the believed wheel diameter [m]."""
        return self.update(left * diameter / 2, right * diameter / 2)


def compass_bearing(heading: float) -> float:
    """A heading [rad] as a compass shows it: 0 … 360 degrees, clockwise from north. North is y, east is x."""
    degrees = (90.0 - math.degrees(heading)) % 360.0
    return 0.0 if degrees == 360.0 else degrees
