"""WallFollower, the base of all wall followers, and the mirroring that lets each be written for one side only."""

from __future__ import annotations

import copy
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Literal

from paddock.control.answers import check_wheel_speeds
from paddock.core.errors import PaddockError
from paddock.core.observation import Readings, WheelSpeeds

if TYPE_CHECKING:
    from paddock.control.wall.ring import WallRing

Side = Literal["left", "right"]
"""Where the wall is, seen in the direction of travel: left goes clockwise around a room, right the other way."""

MAX_SPEED = 1.2  # [m/s] of the wheels of a Pioneer P3-DX, from its data sheet
SONARS = 16  # of the Pioneer: 0 … 7 ahead from left to right, 8 … 15 behind from right to left

Follow = Callable[[Readings, float, tuple[float, float] | None], WheelSpeeds]
"""What drives a robot along a wall: sonar readings [m], seconds since the last call, measured wheel speeds [m/s]."""


class WallFollower(ABC):
    """Follows a wall on its left, driving forward; `follow_wall` mirrors it for the right side and for reversing.

    A subclass is a dataclass. Its fields are parameters with their defaults; a scenario may set those that are numbers.
    A field `clearance`, `max_speed` or `wheel_separation` without a default is taken from the robot.
    """

    ring: WallRing | None = None  # the robot's sensors; None: the sixteen sonars of a Pioneer

    def start(self, *, reverse: bool = False) -> None:
        """Begin at a wall and forget all that was; followers with a memory set it up here."""
        return

    @abstractmethod
    def update(
        self, ranges: Sequence[float], dt: float, wheel_speeds: tuple[float, float] | None = None
    ) -> tuple[float, float]:
        """Wheel speeds left and right [m/s], for a wall on the left.

        Args:
            ranges: of the 16 sonars [m]: 0 … 7 ahead from left to right, 8 … 15 behind from right to left.
            dt: time since the last call [s].
            wheel_speeds: mean wheel speeds since then, from the encoders [m/s]; None where they are not known.
        """


def follow_wall(follower: WallFollower, side: Side, reverse: bool = False, *, ring: WallRing | None = None) -> Follow:
    """Start a copy of a follower along a wall on either side, forward or backwards.

    Args:
        follower: how.
        side: where the wall is.
        reverse: drive backwards; this wants sensors that look there.
        ring: the robot's sensors; None: the sixteen sonars of a Pioneer.
    """
    own, scale = copy.copy(follower), 1.0
    if ring is not None:
        own.ring, scale = ring, ring.scale
        _check_ring(own, ring, reverse)
        if hasattr(own, "clearance"):
            own.clearance = own.clearance / scale
    own.start(reverse=reverse)

    def follow(ranges: Readings, dt: float, wheel_speeds: tuple[float, float] | None = None) -> WheelSpeeds:
        seen = ranges if ring is None else ring.read(ranges)
        measured = None
        if wheel_speeds is not None:
            measured = mirror_wheels(wheel_speeds[0] / scale, wheel_speeds[1] / scale, side, reverse)
        answer = own.update(mirror_ranges(seen, side, reverse), dt, measured)
        left, right = check_wheel_speeds(answer, type(own).update)
        return mirror_wheels(left * scale, right * scale, side, reverse)

    return follow


def _check_ring(follower: WallFollower, ring: WallRing, reverse: bool) -> None:
    """Refuse what a robot's sensors cannot be used for."""
    if reverse:
        raise PaddockError("wall follower: reverse: only the sixteen sonars of a Pioneer look back: leave it out")
    clearance = getattr(follower, "clearance", 0.0)
    if clearance >= ring.range:
        raise PaddockError(
            f"wall follower: clearance: expected less than the {ring.range:g} m that the sensors see, got {clearance:g}"
        )


def mirror_ranges(ranges: Sequence[float] | Readings, side: Side, reverse: bool = False) -> list[float]:
    """The 16 readings as a robot that drives forward along a wall on its left would have them."""
    mirrored = [float(reading) for reading in ranges]
    if reverse:  # the rear half of the ring looks ahead
        mirrored = mirrored[8:] + mirrored[:8]
    if side == "right":
        mirrored = mirrored[7::-1] + mirrored[:7:-1]
    return mirrored


def mirror_wheels(left: float, right: float, side: Side, reverse: bool = False) -> WheelSpeeds:
    """That robot's wheel speeds for the real one; the same call turns the real ones into its own."""
    if side == "right":
        left, right = right, left
    return WheelSpeeds(-right, -left) if reverse else WheelSpeeds(left, right)


def clamp(value: float, limit: float) -> float:
    """The value, at most so far from zero."""
    return min(limit, max(-limit, value))
