"""Meeting: robots have to find each other and stop there."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from paddock.arena import Arena
from paddock.arena.referees.referee import Referee, Rule
from paddock.core.errors import PaddockError, SpecError, UnknownName
from paddock.core.spec import Metres, NotNegative
from paddock.simulation.engine.state import FORWARD, TURN, X, Y

STANDS = 1e-3  # maximum speed of a stationary robot [m/s], [rad/s]


@dataclass(kw_only=True)
class Meeting(Referee):
    """Measures the time until the robots are stationary near each other; it counts for all of them."""

    tag: ClassVar = ("kind", "meet")
    label: ClassVar[str] = "time to the meeting"
    unit: ClassVar[str] = "s"
    higher_is_better: ClassVar[bool] = False
    rules: tuple[Rule, ...] = ("leaving", "moved", "early")  # contact is allowed

    robots: tuple[str, ...] = ()  # robots that have to meet; empty: all
    distance: Metres = 0.15  # maximum distance between the centres of any two
    seconds: NotNegative = 1.0  # time for which they have to be stationary

    def check(self) -> None:
        twice = next((name for name in self.robots if self.robots.count(name) > 1), None)
        if twice is not None:
            raise SpecError(f"expected different robots, got {twice!r} twice", path="robots")

    def start(self, arena: Arena) -> None:
        self._names = self.robots or tuple(arena.numbers)
        for name in self._names:
            if name not in arena.numbers:
                raise UnknownName("robot", name, arena.numbers)
        if len(self._names) < 2:
            raise PaddockError(f"meet: expected at least 2 robots, {arena.world.name} has {len(self._names)}")
        self._begin = arena.time
        self._since: float | None = None  # time at which they stopped
        self.time = math.inf  # time of the meeting [s]
        self.tick(arena)

    def tick(self, arena: Arena) -> None:
        motion = arena.motion[[arena.numbers[name] for name in self._names if name in arena.numbers]]
        self.apart = float(
            np.hypot(*(motion[:, None, X : Y + 1] - motion[:, X : Y + 1]).transpose(2, 0, 1)).max(initial=0)
        )
        stand = bool((np.abs(motion[:, [FORWARD, TURN]]) <= STANDS).all())
        if not (len(motion) == len(self._names) and stand and self.apart <= self.distance):
            self._since = None
        elif self._since is None:
            self._since = arena.time
        if self._since is not None and arena.time - self._since >= self.seconds - arena.dt / 2:
            self.time = min(self.time, arena.time - self._begin)

    def score(self) -> Mapping[str, float]:
        return dict.fromkeys(self._names, self.time)

    @property
    def finished(self) -> bool:
        return math.isfinite(self.time)
