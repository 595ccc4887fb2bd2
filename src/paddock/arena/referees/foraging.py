"""Foraging: robots collect items by driving near them. (Robots cannot push or carry objects yet.)"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np

from paddock.arena import Arena
from paddock.arena.referees.places import Places, check_inside
from paddock.arena.referees.referee import Referee
from paddock.arena.referees.ring import entry
from paddock.core.errors import PaddockError
from paddock.core.geometry import Disc, bounding_radius
from paddock.core.geometry import Point as Place
from paddock.core.seeds import draw_uniform
from paddock.core.spec import Metres, Number, Point

TRIES = 1000  # attempts to place each item


@dataclass(kw_only=True)
class Foraging(Referee):
    """Counts collected items. A robot collects an item when its centre comes near; robots cannot sense items."""

    tag: ClassVar = ("kind", "foraging")
    label: ClassVar[str] = "collected"

    things: tuple[Point, ...] = ()  # positions of the items; empty: drawn from the arena's seed in free space
    count: Annotated[int, Number("things", low=1, high=1000)] = 10  # number of items to draw
    radius: Metres = 0.05  # distance at which a robot collects an item

    def start(self, arena: Arena) -> None:
        for thing in self.things:
            check_inside("foraging: things", arena.world, thing, self.radius)
        self._places = Places(arena)
        self.left: list[Place] = list(self.things) or draw_places(arena, self.count)
        self.collected: dict[str, list[tuple[float, Place]]] = {name: [] for name in self._places.names}

    def tick(self, arena: Arena) -> None:
        places = self._places
        if places.update(arena):
            self.collected = {name: [] for name in places.names} | self.collected
        if not self.left or not places.names:
            return
        reach = self.radius + np.hypot(*(places.now - places.before).T)
        apart = np.hypot(*(np.array(self.left)[:, None] - places.now).transpose(2, 0, 1))
        for number in np.flatnonzero((apart <= reach).any(axis=1)).tolist()[::-1]:
            thing = np.array(self.left[number])
            arrivals = [
                (share, row)
                for row in range(len(places.names))
                if (share := entry(places.before[row], places.now[row], thing, self.radius)) is not None
            ]
            if arrivals:
                share, row = min(arrivals)
                self.collected[places.names[row]].append((places.at(share), self.left.pop(number)))

    def on_moved(self, arena: Arena, robot: str) -> None:
        self._places.forget(arena, robot)

    def score(self) -> Mapping[str, float]:
        return {name: float(len(things)) for name, things in self.collected.items()}

    def tie_break(self) -> Mapping[str, float]:
        return {name: max((time for time, _ in things), default=0.0) for name, things in self.collected.items()}

    @property
    def finished(self) -> bool:
        return not self.left


def draw_places(arena: Arena, count: int) -> list[Place]:
    """Draw positions from the arena's seed that are free and large enough for every robot."""
    room, (x0, y0, x1, y1) = arena.room(), arena.world.bounds
    clear = max((bounding_radius(spec.body.shape) for spec in arena.built.robots), default=0.0)
    found: list[Place] = []
    for i in range(count * TRIES):
        x, y = (draw_uniform(arena.seed, "thing", axis, i) for axis in "xy")
        place = x0 + (x1 - x0) * x, y0 + (y1 - y0) * y
        if room.is_free(Disc(*place, clear)):
            found.append(place)
            if len(found) == count:
                return found
    raise PaddockError(f"foraging: {arena.world.name} has room for {len(found)} things, not for {count}")
