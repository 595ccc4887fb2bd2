"""WallFollower, the base class of wall followers, and mirroring, so that each is written for one side only."""

from __future__ import annotations

import copy
import dataclasses
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

from paddock.control.behaviours.answers import check_wheel_speeds
from paddock.core.errors import PaddockError, SpecError, UnknownName, format_value, suggestion
from paddock.core.observation import Readings, WheelSpeeds
from paddock.core.registry import Registry
from paddock.core.spec import NotNegative, convert
from paddock.core.user_code import refuse_abstract

if TYPE_CHECKING:
    from paddock.control.behaviours.wall.wall_ring import WallRing


Side = Literal["left", "right"]
"""Side of the wall in the direction of travel: left is clockwise around a room, right counter-clockwise."""

SONARS = 16  # of the ring that followers were written for
MAX_SPEED = 1.2  # [m/s] of the wheels of a Pioneer P3-DX, from its data sheet

Follow = Callable[[Readings, float, tuple[float, float] | None], WheelSpeeds]
"""Wall-following function of sonar readings [m], seconds since the last call, and measured wheel speeds [m/s]."""


class WallFollower(ABC):
    """Follows a wall on the left, driving forward; `follow_wall` mirrors it for the right side and for reversing.

    A subclass is a dataclass. Its fields are parameters with defaults. A scenario may set those that are numbers. A
    field `clearance`, `max_speed` or `wheel_separation` without a default is taken from the robot.
    """

    ring: WallRing | None = None  # the robot's sensors; None: the sixteen sonars of a Pioneer

    def start(self, *, reverse: bool = False) -> None:
        """Start at a wall without any previous state; followers with memory initialise it here."""
        return

    @abstractmethod
    def update(
        self, ranges: Sequence[float], dt: float, wheel_speeds: tuple[float, float] | None = None
    ) -> tuple[float, float]:
        """Return wheel speeds left and right [m/s], for a wall on the left.

        Args:
            ranges: of the 16 sonars [m]: 0 … 7 at the front from left to right, 8 … 15 at the rear from right to left.
            dt: time since the last call [s].
            wheel_speeds: mean wheel speeds since the last call, from the encoders [m/s]; None if unknown.
        """


def follow_wall(follower: WallFollower, side: Side, reverse: bool = False, *, ring: WallRing | None = None) -> Follow:
    """Start a copy of a follower along a wall on either side, forward or backwards.

    Args:
        follower: the wall follower.
        side: the side of the wall.
        reverse: drive backwards; this needs sensors at the rear.
        ring: the robot's sensors; None: the sixteen sonars of a Pioneer.
    """
    if not isinstance(follower, WallFollower):
        raise PaddockError(f"expected a wall follower such as PidFollower(clearance=0.2), got {format_value(follower)}")
    if side not in get_args(Side):
        raise UnknownName("side", side, get_args(Side))
    own, scale = copy.copy(follower), 1.0
    if ring is not None:
        own.ring, scale = ring, ring.scale
        _check_ring(own, ring, reverse)
        if hasattr(own, "clearance"):
            own.clearance = own.clearance / scale
    own.start(reverse=reverse)

    def follow(ranges: Readings, dt: float, wheel_speeds: tuple[float, float] | None = None) -> WheelSpeeds:
        seen = ranges if ring is None else ring.read(ranges)
        if len(seen) != SONARS:
            raise PaddockError(f"wall follower: expected {SONARS} distances, got {len(seen)}: give the robot's ring")
        measured = None
        if wheel_speeds is not None:
            measured = mirror_wheels(wheel_speeds[0] / scale, wheel_speeds[1] / scale, side, reverse)
        answer = own.update(mirror_ranges(seen, side, reverse), dt, measured)
        left, right = check_wheel_speeds(answer, type(own).update)
        return mirror_wheels(left * scale, right * scale, side, reverse)

    return follow


def check_positive(follower: WallFollower, *names: str) -> None:
    """Raise a SpecError if one of the parameters, by which the follower divides, is not above 0."""
    for name in names:
        if not getattr(follower, name) > 0:
            raise SpecError(f"expected a number > 0, got {format_value(getattr(follower, name))}", path=name)


def _check_ring(follower: WallFollower, ring: WallRing, reverse: bool) -> None:
    """Raise an error if the robot's sensors are not sufficient."""
    if reverse:
        raise PaddockError("wall follower: reverse: needs the sixteen sonars of a Pioneer: leave it out")
    clearance = getattr(follower, "clearance", 0.0)
    if clearance >= ring.range:
        raise PaddockError(
            f"wall follower: clearance: expected less than the sensor range of {ring.range:g} m, got {clearance:g}"
        )


def mirror_ranges(ranges: Sequence[float] | Readings, side: Side, reverse: bool = False) -> list[float]:
    """Return the 16 readings of an equivalent robot that drives forward along a wall on its left."""
    mirrored = [float(reading) for reading in ranges]
    if reverse:  # the rear half of the ring points in the direction of travel
        mirrored = mirrored[8:] + mirrored[:8]
    if side == "right":
        mirrored = mirrored[7::-1] + mirrored[:7:-1]
    return mirrored


def mirror_wheels(left: float, right: float, side: Side, reverse: bool = False) -> WheelSpeeds:
    """Convert wheel speeds of the equivalent robot to those of the real one; the same call converts them back."""
    if side == "right":
        left, right = right, left
    return WheelSpeeds(-right, -left) if reverse else WheelSpeeds(left, right)


def clamp(value: float, limit: float) -> float:
    """Return the value limited to -limit … limit."""
    return min(limit, max(-limit, value))


FollowerEntry = type[WallFollower] | WallFollower
HERE, STUDY = "paddock.control.behaviours.wall", "paddock.experiments.reproductions.wall_follower.followers"
WALL_FOLLOWERS: Registry[FollowerEntry] = Registry(
    "wall follower",
    group="paddock.wall_followers",
    builtin={
        "min": f"{STUDY}:MIN",
        "multi": f"{STUDY}:MULTI",
        "min-fast": f"{STUDY}:MIN_FAST",
        "multi-fast": f"{STUDY}:MULTI_FAST",
        "pid": f"{HERE}.pid:PidFollower",
        "fuzzy": f"{HERE}.fuzzy:FuzzyFollower",
        "geometry": f"{HERE}.geometry:GeometryFollower",
        "geometry-slow": f"{HERE}.geometry:SlowGeometryFollower",
        "tuned": f"{STUDY}:TUNED",
        "tuned-slow": f"{STUDY}:TUNED_SLOW",
    },
    base=WallFollower,
)


def make_wall_follower(
    name: str,
    numbers: Mapping[str, float] | None = None,
    *,
    robot: Mapping[str, float] | None = None,
    folder: str | Path | None = None,
) -> WallFollower:
    """Create a wall follower; a SpecError names an invalid parameter.

    Args:
        name: a registered name, or `module:Name` or `file.py:Name` of a class derived from WallFollower.
        numbers: parameters that differ from their defaults.
        robot: the robot's clearance [m], max_speed [m/s] and wheel_separation [m], for parameters without a default.
        folder: the first folder to search for users' files; None: only the working directory.
    """
    entry, numbers, robot = _find(name, folder), dict(numbers or {}), robot or {}
    known = _names_of_numbers(entry)
    for key, value in numbers.items():
        if key not in known:
            raise SpecError(f"unknown key{suggestion(key, known)}", path=key)
        numbers[key] = convert(value, NotNegative, key)
    if isinstance(entry, WallFollower):
        return dataclasses.replace(entry, **numbers) if numbers else copy.copy(entry)  # type: ignore[type-var]
    for field in _fields(entry):
        required = field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING
        if required and field.init and field.name not in numbers:
            if field.name not in robot:
                raise SpecError(f"missing: {name} has no default for it", path=field.name)
            numbers[field.name] = robot[field.name]
    return entry(**numbers)


def list_numbers(name: str, folder: str | Path | None = None) -> list[str]:
    """Return the names of the numeric parameters of a wall follower."""
    return _names_of_numbers(_find(name, folder))


def _find(name: str, folder: str | Path | None) -> FollowerEntry:
    entry = WALL_FOLLOWERS.get(name, folder=folder)
    method = "update(self, ranges, dt, wheel_speeds), which returns wheel speeds (left, right) [m/s]"
    refuse_abstract(entry if isinstance(entry, type) else type(entry), method)
    return entry


def _names_of_numbers(entry: FollowerEntry) -> list[str]:
    return [field.name for field in _fields(entry) if field.init and field.type in (float, int, "float", "int")]


def _fields(entry: FollowerEntry) -> tuple[dataclasses.Field[Any], ...]:
    return dataclasses.fields(entry) if dataclasses.is_dataclass(entry) else ()
