"""ScoreFunction: a plain function `score(arena)` as a referee."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import ClassVar

from paddock.arena import Arena
from paddock.arena.referees.referee import Referee

Scoring = Callable[[Arena], Mapping[str, float]]


class ScoreFunction(Referee):
    """Calls the function twice per simulated second; it returns points by robot name."""

    period: ClassVar[float] = 0.5

    def __init__(self, function: Scoring) -> None:
        super().__init__(rules=())
        self._function = function
        self._points: Mapping[str, float] = {}

    def start(self, arena: Arena) -> None:
        self.tick(arena)

    def tick(self, arena: Arena) -> None:
        self._points = dict(self._function(arena))

    def on_moved(self, arena: Arena, robot: str) -> None:
        self.tick(arena)

    def score(self) -> Mapping[str, float]:
        return self._points
