"""Places: where the robots were at the last look and where they are now, also when robots come and go."""

from __future__ import annotations

from paddock.arena import Arena
from paddock.engine.model import Floats
from paddock.engine.state import X, Y


class Places:
    """The last two looks at all robots."""

    def __init__(self, arena: Arena) -> None:
        self.names, self.now = tuple(arena.numbers), arena.motion[:, X : Y + 1].copy()
        self.before: Floats = self.now
        self.time = self.time_before = arena.time
        self._layout = arena.layout

    def look(self, arena: Arena) -> bool:
        """Look again: who came since was where it is now. Whether robots came or went."""
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
        """A robot was put elsewhere: it was always there."""
        if robot in self.names and robot in arena.numbers:
            self.now[self.names.index(robot)] = arena.motion[arena.numbers[robot], X : Y + 1]

    def at(self, share: float) -> float:
        """The time [s] at a share of the way between the two looks."""
        return self.time_before + share * (self.time - self.time_before)
