"""Subsumption: behaviours in levels, where a level with a command suppresses all levels below it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from paddock.core.errors import PaddockError
from paddock.core.observation import Command, Observation, acting

LevelOutput = Command | tuple[float, float] | None
"""Output of a level: a command, wheel speeds (left, right) [m/s], or None."""


class Subsumption:
    """A controller of named levels, the lowest first. Each level is a controller that may return None.

    All levels receive every observation, so levels with memory stay up to date while they are suppressed. The output of
    the highest level that does not return None is the command. `active` is the name of that level, `outputs` are the
    outputs of all levels.
    """

    def __init__(self, **levels: Any) -> None:
        if not levels:
            raise PaddockError("Subsumption: expected at least one level")
        self._acts: dict[str, Callable[[Observation], LevelOutput]] = {
            name: acting(level) for name, level in levels.items()
        }
        self._levels = levels
        self._clear()

    def reset(self) -> None:
        """Reset the controller and all levels that have a method `reset`."""
        for level in self._levels.values():
            if callable(getattr(level, "reset", None)):
                level.reset()
        self._clear()

    def _clear(self) -> None:
        self._outputs: dict[str, LevelOutput] = dict.fromkeys(self._levels)
        self.active: str | None = None  # None: no level has an output

    @property
    def levels(self) -> tuple[str, ...]:
        """Names of the levels, the lowest first."""
        return tuple(self._acts)

    @property
    def outputs(self) -> Mapping[str, LevelOutput]:
        """The last output of every level."""
        return MappingProxyType(self._outputs)

    @property
    def suppressed(self) -> tuple[str, ...]:
        """Names of the levels whose last output was suppressed, the lowest first."""
        return tuple(name for name, output in self._outputs.items() if output is not None and name != self.active)

    def act(self, observation: Observation) -> LevelOutput:
        """Return the output of the active level for one observation; None if no level has an output."""
        self.active = None
        for name, act in self._acts.items():
            output = self._outputs[name] = act(observation)
            if output is not None:
                self.active = name
        return None if self.active is None else self._outputs[self.active]
