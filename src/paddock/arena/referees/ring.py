"""Games with a ring on the floor: stay in it (sumo), or be alone in it (king of the hill)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar

import numpy as np

from paddock.arena import Arena
from paddock.arena.referees.places import Places, check_inside
from paddock.arena.referees.referee import Referee, Rule
from paddock.core.spec import Metres, NotNegative, Point
from paddock.simulation.engine.model import Floats


def entry(before: Floats, now: Floats, centre: Floats, radius: float) -> float | None:
    """Return the fraction 0 … 1 of a segment at which it enters a circle; 0 if it begins inside, None if outside."""
    offset, way = before - centre, now - before
    c = float(offset @ offset) - radius * radius
    if c <= 0:
        return 0.0
    a, b = float(way @ way), float(offset @ way)
    root = b * b - a * c
    if a == 0 or b >= 0 or root < 0 or (share := (-b - math.sqrt(root)) / a) > 1:
        return None
    return share


def inside_share(before: Floats, now: Floats, centre: Floats, radius: float) -> tuple[float, float]:
    """Return the fractions 0 … 1 between which a segment is inside a circle; equal if it is outside."""
    first = entry(before, now, centre, radius)
    last = entry(now, before, centre, radius)
    return (first, 1.0 - last) if first is not None and last is not None else (0.0, 0.0)


@dataclass(kw_only=True)
class RingReferee(Referee):
    """Base of games with a ring; its default radius is `share_of_world` of the largest circle in the world."""

    unit: ClassVar[str] = "s"

    centre: Point | None = None  # None: the centre of the world
    radius: Metres | None = None
    share_of_world: ClassVar[float] = 0.9

    def start(self, arena: Arena) -> None:
        x0, y0, x1, y1 = arena.world.bounds
        centre = ((x0 + x1) / 2, (y0 + y1) / 2) if self.centre is None else self.centre
        self._centre = np.array(centre)
        self._radius = self.radius or self.share_of_world * min(x1 - x0, y1 - y0) / 2
        check_inside("ring: centre", arena.world, centre, self._radius)
        self._places, self._begin = Places(arena), arena.time

    def on_moved(self, arena: Arena, robot: str) -> None:
        self._places.forget(arena, robot)


@dataclass(kw_only=True)
class Sumo(RingReferee):
    """Counts seconds in the ring. A robot whose centre leaves it is out. The game ends when one robot is left."""

    tag: ClassVar = ("kind", "sumo")
    label: ClassVar[str] = "time in the ring"
    rules: tuple[Rule, ...] = ("moved", "early")  # contact is allowed

    def start(self, arena: Arena) -> None:
        super().start(arena)
        self.out: dict[str, float] = {}  # times at which robots left the ring [s], by robot
        self._robots = dict.fromkeys(self._places.names)
        self._check_ring()

    def tick(self, arena: Arena) -> None:
        if self._places.update(arena):
            self._robots |= dict.fromkeys(self._places.names)
            for name in self._robots.keys() - set(self._places.names):
                self.out.setdefault(name, self._places.time - self._begin)
        self._check_ring()

    def _check_ring(self) -> None:
        places = self._places
        apart = np.hypot(*(places.now - self._centre).T)
        for row in np.flatnonzero(apart > self._radius).tolist():
            if places.names[row] not in self.out:
                share = entry(places.now[row], places.before[row], self._centre, self._radius)  # from outside
                self.out[places.names[row]] = places.at(0.0 if share is None else 1.0 - share) - self._begin

    def on_moved(self, arena: Arena, robot: str) -> None:
        super().on_moved(arena, robot)
        self._check_ring()

    def score(self) -> Mapping[str, float]:
        return {name: self.out.get(name, self._places.time - self._begin) for name in self._robots}

    @property
    def finished(self) -> bool:
        return len(self._robots) > 1 and len(self._robots) - len(self.out) <= 1


@dataclass(kw_only=True)
class KingOfTheHill(RingReferee):
    """Counts seconds alone in the ring; time with two or more robots in it does not count."""

    tag: ClassVar = ("kind", "king-of-the-hill")
    label: ClassVar[str] = "time on the hill"
    share_of_world: ClassVar[float] = 0.3
    rules: tuple[Rule, ...] = ("leaving", "moved", "early")

    seconds: NotNegative = 0.0  # time that wins the game; 0: no end

    def start(self, arena: Arena) -> None:
        super().start(arena)
        self.held = dict.fromkeys(self._places.names, 0.0)  # [s] by robot

    def tick(self, arena: Arena) -> None:
        places = self._places
        if places.update(arena):
            self.held = dict.fromkeys(places.names, 0.0) | self.held
        driven = np.hypot(*(places.now - places.before).T)
        near = np.flatnonzero(np.hypot(*(places.now - self._centre).T) <= self._radius + driven).tolist()
        spans = [
            (*inside_share(places.before[row], places.now[row], self._centre, self._radius), places.names[row])
            for row in near
        ]
        spans = [span for span in spans if span[1] > span[0]]
        edges = sorted({edge for first, last, _ in spans for edge in (first, last)})
        for first, last in pairwise(edges):
            holders = [name for begin, end, name in spans if begin <= first and last <= end]
            if len(holders) == 1:
                self.held[holders[0]] += (last - first) * (places.time - places.time_before)

    def score(self) -> Mapping[str, float]:
        return self.held

    @property
    def finished(self) -> bool:
        return 0 < self.seconds <= max(self.held.values(), default=0.0)
