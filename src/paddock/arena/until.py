"""End conditions: functions for the argument `until` of `arena.run`."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from paddock.core.argument_checks import all_finite
from paddock.core.errors import PaddockError, format_value

if TYPE_CHECKING:
    from paddock.arena.base_arena import BaseArena


def reached(goal: Sequence[float], radius: float = 0.1, robot: str | None = None) -> Callable[[BaseArena], str]:
    """End a run when a robot is within `radius` [m] of a point x, y [m]. `robot` is its name; None: any robot."""
    point = list(goal) if isinstance(goal, Sequence) and not isinstance(goal, str) else []
    if len(point) != 2 or not all_finite(*point, radius) or radius <= 0:
        raise PaddockError(f"reached: expected [x, y] in metres and a radius > 0, got {format_value(goal)}, {radius!r}")
    x, y = point

    def ending(arena: BaseArena) -> str:
        robots = arena.robots.values() if robot is None else [arena[robot]]
        near = any(math.dist(other.pose[:2], (x, y)) <= radius for other in robots)
        return f"reached ({x:g}, {y:g})" if near else ""

    return ending


def touched(robot: str | None = None) -> Callable[[BaseArena], str]:
    """End a run when a robot touches something. `robot` is its name; None: any robot."""

    def ending(arena: BaseArena) -> str:
        robots = arena.robots.values() if robot is None else [arena[robot]]
        return next((f"{other.name} touched something" for other in robots if other.contacts), "")

    return ending
