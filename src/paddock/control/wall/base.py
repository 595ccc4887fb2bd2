"""What all wall-following laws share: the sonar ring, the side that the wall is on, and what a law answers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, Protocol

from paddock.core.observation import Readings, WheelSpeeds

Side = Literal["left", "right"]
"""Where the wall is, seen in the direction of travel: left goes clockwise around a room, right the other way."""

CLEARANCE = 0.23  # [m] what the study of De Montfort University keeps between the nearest sonar and the wall
MAX_SPEED = 1.2  # [m/s] of the Pioneer's wheels: the data sheet's
SONARS = 16  # of the Pioneer: 0 … 7 ahead from left to right, 8 … 15 behind from right to left


class Follow(Protocol):
    """A walk along a wall, cycle by cycle."""

    def __call__(self, readings: Readings, dt: float, rims: tuple[float, float] | None = None) -> WheelSpeeds:
        """Rim speeds [m/s] wanted now.

        Args:
            readings: of the 16 sonars [m].
            dt: time since the last cycle [s].
            rims: mean rim speeds since then, from the encoders [m/s]; None: as they were wanted.
        """


class Law(Protocol):
    """A wall-following law: fixed numbers, and a way to begin a walk."""

    def begin(self, side: Side, reverse: bool = False) -> Follow:
        """A walk with a memory of its own, so that one law may lead many robots; backwards if told so."""


class Thinking(Protocol):
    """The part of a law that differs from law to law: the wall is on the left, and travel is forward."""

    def __call__(self, seen: Sequence[float], dt: float, rims: tuple[float, float] | None) -> tuple[float, float]: ...


def follow_with(think: Thinking, side: Side, reverse: bool) -> Follow:
    """A law that knows only walls on its left, for walls on either side and for driving backwards."""

    def follow(readings: Readings, dt: float, rims: tuple[float, float] | None = None) -> WheelSpeeds:
        seen = as_if_left(readings, side, reverse)
        left, right = think(seen, dt, None if rims is None else as_driven(*rims, side, reverse))
        return as_driven(left, right, side, reverse)

    return follow


def as_if_left(readings: Sequence[float] | Readings, side: Side, reverse: bool = False) -> list[float]:
    """The 16 readings as a robot that drives forward along a wall on its left would have them."""
    seen = [float(reading) for reading in readings]
    if reverse:  # the rear half of the ring looks ahead
        seen = seen[8:] + seen[:8]
    if side == "right":
        seen = seen[7::-1] + seen[:7:-1]
    return seen


def as_driven(left: float, right: float, side: Side, reverse: bool = False) -> WheelSpeeds:
    """That robot's wheel speeds for the real one; the same call turns the real ones into its own."""
    if side == "right":
        left, right = right, left
    return WheelSpeeds(-right, -left) if reverse else WheelSpeeds(left, right)


def capped(value: float, most: float) -> float:
    """The value, at most so far from zero."""
    return min(most, max(-most, value))
