"""Laps: counts laps on a track, from line to line, past all checkpoints."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

import numpy as np

from paddock.arena import Arena
from paddock.arena.episodes import Foul
from paddock.arena.referees.gates import Gates, Passage
from paddock.arena.referees.places import Places
from paddock.arena.referees.referee import Referee
from paddock.arena.referees.track import Track, find_tracks
from paddock.core.errors import SpecError
from paddock.core.spec import Count, Metres, Number, Point

Segment = Annotated[tuple[Point, ...], Count(2, "points", exactly=True)]


@dataclass(kw_only=True)
class Laps(Referee):
    """Counts laps from line to line, past all checkpoints in order. Driving back subtracts checkpoints again."""

    tag: ClassVar = ("kind", "laps")
    label: ClassVar[str] = "laps"

    line: Segment | None = None  # first point on the right when driving forwards; None: from the world's track
    checkpoints: tuple[Segment, ...] = ()  # in driving order
    gates: Annotated[int, Number("gates", low=3, high=100)] = 8  # number on the world's track, including the line
    width: Metres = 0.3  # width of gates across a line on the floor
    direction: Literal["forwards", "either"] = "forwards"
    laps: Annotated[int, Number("laps", low=0)] = 0  # number that ends the game; 0: no end

    def check(self) -> None:
        if self.checkpoints and self.line is None:
            raise SpecError("missing: checkpoints need a line to start from", path="line")
        gates = {"line": self.line, **{f"checkpoints[{i}]": gate for i, gate in enumerate(self.checkpoints)}}
        for path, gate in gates.items():
            if gate is not None and gate[0] == gate[1]:
                raise SpecError(f"expected two different points, got {gate[0]} twice", path=path)

    def start(self, arena: Arena) -> None:
        if self.line is None:
            self.tracks = find_tracks(arena.world, self.gates, self.width)
        else:
            self.tracks = [Track(Gates(np.array([np.ravel(gate) for gate in (self.line, *self.checkpoints)])))]
        self._places = Places(arena)
        self._passages: dict[str, Passage] = {}
        self._lanes: dict[str, int] = {}
        self._fouls: list[Foul] = []
        self.times: dict[str, list[float]] = {}  # [s] at which each robot crossed the line at the end of a lap
        self._add_new_robots()

    def tick(self, arena: Arena) -> None:
        places = self._places
        if places.update(arena):
            self._add_new_robots()
        for lane, track in enumerate(self.tracks):
            for share, row, gate, direction in track.gates.crossings(places.before, places.now):
                if self._lanes[places.names[row]] == lane:
                    self._cross(places.names[row], gate, direction, places.at(share))

    def _cross(self, name: str, gate: int, direction: int, time: float) -> None:
        passage = self._passages[name]
        missed = passage.find_missed(gate, direction)
        if missed is not None:
            self._fouls.append(Foul(robot=name, time=time, text=f"missed checkpoint {missed}"))
        passage.cross(gate, direction)
        laps = passage.laps_forwards
        if self.direction == "either":
            laps = max(laps, passage.laps_backwards)
        if laps > len(self.times[name]):
            self.times[name].append(time)

    def _add_new_robots(self) -> None:
        """Add new robots, each on the nearest track; removed robots keep their laps."""
        for name, place in zip(self._places.names, self._places.now, strict=True):
            if name not in self.times:
                lane = min(range(len(self.tracks)), key=lambda k: self.tracks[k].distance(place))
                self._lanes[name], self._passages[name] = lane, Passage(len(self.tracks[lane].gates))
                self.times[name] = []

    def on_moved(self, arena: Arena, robot: str) -> None:
        self._places.forget(arena, robot)

    def score(self) -> Mapping[str, float]:
        return {name: float(len(times)) for name, times in self.times.items()}

    def tie_break(self) -> Mapping[str, float]:
        return {name: times[-1] if times else 0.0 for name, times in self.times.items()}

    @property
    def finished(self) -> bool:
        return bool(self.laps) and any(len(times) >= self.laps for times in self.times.values())

    def fouls(self) -> Sequence[Foul]:
        return self._fouls
