"""Places: previous and current positions of all robots, also when robots are added or removed."""

from __future__ import annotations

import math

from paddock.arena import Arena
from paddock.core.errors import PaddockError
from paddock.core.geometry import Point
from paddock.simulation.engine.model import Floats
from paddock.simulation.engine.state import X, Y
from paddock.simulation.worlds.world_spec import WorldSpec


def check_inside(what: str, world: WorldSpec, place: Point, radius: float = 0.0) -> None:
    """Refuse a place that no robot can reach, because all points within its radius are outside of a world's walls."""
    x0, y0, x1, y1 = world.bounds
    outside = math.hypot(max(x0 - place[0], place[0] - x1, 0.0), max(y0 - place[1], place[1] - y1, 0.0))
    if outside > radius and not world.open:
        raise PaddockError(
            f"{what}: ({place[0]:g}, {place[1]:g}) is outside of {world.name}: "
            f"expected x from {x0:g} to {x1:g} and y from {y0:g} to {y1:g}"
        )


class Places:
    """The last two sets of positions of all robots."""

    def __init__(self, arena: Arena) -> None:
        self.names, self.now = tuple(arena.numbers), arena.motion[:, X : Y + 1].copy()
        self.before: Floats = self.now
        self.time = self.time_before = arena.time
        self._layout = arena.layout

    def update(self, arena: Arena) -> bool:
        """Update the positions; new robots get their current position as the previous one.

        Return whether robots were added or removed.
        """
        names, self.before, self.time_before = self.names, self.now, self.time
        self.now, self.time = arena.motion[:, X : Y + 1].copy(), arena.time
        changed = arena.layout != self._layout
        if changed:
            self.names, self._layout = tuple(arena.numbers), arena.layout
            rows = {name: row for row, name in enumerate(names)}
            before = self.now.copy()
            for row, name in enumerate(self.names):
                if name in rows:
                    before[row] = self.before[rows[name]]
            self.before = before
        return changed

    def forget(self, arena: Arena, robot: str) -> None:
        """Discard the previous position of a robot that was moved by hand."""
        if robot in self.names and robot in arena.numbers:
            self.now[self.names.index(robot)] = arena.motion[arena.numbers[robot], X : Y + 1]

    def at(self, share: float) -> float:
        """Return the time [s] at a fraction of the interval between the two updates."""
        return self.time_before + share * (self.time - self.time_before)
