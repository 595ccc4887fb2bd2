"""Subsumption: behaviours in levels, where a higher level that wants something suppresses all below it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from paddock.core.errors import PaddockError
from paddock.core.observation import Command, Observation, acting

Wish = Command | tuple[float, float] | None
"""What a level wants: a command, wheel speeds (left, right) [m/s], or nothing."""


class Subsumption:
    """Named levels, the lowest first; each is a controller that may answer None: then it has no wish.

    All levels see every observation, so that those with memory keep up while they are suppressed. The wish of the
    highest level that has one is the answer. `active` is the name of that level, `wishes` is what all of them wanted.
    """

    def __init__(self, **levels: Any) -> None:
        if not levels:
            raise PaddockError("Subsumption: expected at least one level")
        self._acts: dict[str, Callable[[Observation], Wish]] = {name: acting(level) for name, level in levels.items()}
        self._levels = levels
        self._clear()

    def reset(self) -> None:
        """Begin anew; levels that can are reset, too."""
        for level in self._levels.values():
            if callable(getattr(level, "reset", None)):
                level.reset()
        self._clear()

    def _clear(self) -> None:
        self._wishes: dict[str, Wish] = dict.fromkeys(self._levels)
        self.active: str | None = None  # None: no level wants anything

    @property
    def levels(self) -> tuple[str, ...]:
        """Their names, the lowest first."""
        return tuple(self._acts)

    @property
    def wishes(self) -> Mapping[str, Wish]:
        """What every level wanted last."""
        return MappingProxyType(self._wishes)

    @property
    def suppressed(self) -> tuple[str, ...]:
        """The levels whose wish did not count last, the lowest first."""
        return tuple(name for name, wish in self._wishes.items() if wish is not None and name != self.active)

    def act(self, observation: Observation) -> Wish:
        """One decision; None if no level has a wish."""
        self.active = None
        for name, act in self._acts.items():
            wish = self._wishes[name] = act(observation)
            if wish is not None:
                self.active = name
        return None if self.active is None else self._wishes[self.active]
