"""Laps: rounds on a track, from line to line, past all checkpoints."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

import numpy as np

from paddock.arena import Arena
from paddock.core.rules import Count, Number, Point
from paddock.referees.base import Referee
from paddock.referees.gates import Gates, Passage

Segment = Annotated[tuple[Point, ...], Count(2, "points", exactly=True)]


@dataclass(kw_only=True)
class Laps(Referee):
    """Counts the laps of every robot. A lap ends where the line is crossed after all checkpoints, in order."""

    tag: ClassVar = ("kind", "laps")
    label: ClassVar[str] = "laps"

    line: Segment  # start and finish: who goes forwards has its first point at the right hand
    checkpoints: tuple[Segment, ...] = ()  # in the order in which they are passed
    laps: Annotated[int, Number("laps", low=0)] = 0  # after which the first robot ends the game; 0: none
    direction: Literal["forwards", "backwards", "either"] = "forwards"

    def start(self, arena: Arena) -> None:
        self._gates = Gates(np.array([np.ravel(gate) for gate in (self.line, *self.checkpoints)]))
        self._passages: dict[str, Passage] = {}
        self.crossings: dict[str, list[float]] = {}  # times [s] at which the robots completed a lap
        self._look(arena)

    def tick(self, arena: Arena) -> None:
        before, names = self._places, self._names
        self._look(arena)
        if self._names != names:  # robots came or went: those that stayed are found again
            kept = {name: i for i, name in enumerate(names)}
            before = np.array(
                [before[kept[name]] if name in kept else self._places[i] for i, name in enumerate(self._names)]
            ).reshape(-1, 2)
        for share, robot, gate, direction in self._gates.crossings(before, self._places):
            name = self._names[robot]
            self._passages[name].cross(gate, direction)
            if self._laps(name) > len(self.crossings[name]):
                self.crossings[name].append(arena.time - (1 - share) * arena.dt)

    def _look(self, arena: Arena) -> None:
        self._names, self._places = tuple(arena.numbers), arena.motion[:, :2].copy()
        for name in self._names:
            self._passages.setdefault(name, Passage(len(self._gates)))
            self.crossings.setdefault(name, [])

    def _laps(self, name: str) -> int:
        passage = self._passages[name]
        laps = {"forwards": passage.laps_forwards, "backwards": passage.laps_backwards}
        return laps.get(self.direction, max(laps.values()))

    def score(self) -> Mapping[str, float]:
        return {name: float(len(times)) for name, times in self.crossings.items()}

    @property
    def finished(self) -> bool:
        return bool(self.laps) and any(len(times) >= self.laps for times in self.crossings.values())
