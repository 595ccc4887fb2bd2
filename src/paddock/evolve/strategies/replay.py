"""Replay: strategies of packages are resumed by telling them again all that they were told.

Their random numbers are decided by the seed, so they then do again what they did. That needs no pickle, which could
run code that somebody wrote into a file, and takes milliseconds a generation.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any

import numpy as np

from paddock.core.errors import PaddockError
from paddock.evolve.strategies.base import Floats, Strategy, StrategyState


class ReplayStrategy(Strategy):
    """A strategy whose state is all that it was ever told."""

    fitness_history: list[Floats]  # of every generation

    def begin(self) -> None:
        """Nothing was told yet."""
        self.fitness_history = []
        self.start()

    @abstractmethod
    def start(self) -> None:
        """Start a new search from the seed."""

    @abstractmethod
    def update(self, fitness: Floats) -> None:
        """Take the fitness of a generation."""

    def learn(self, fitness: Floats, behaviour: Floats) -> None:
        """Take the fitness of a generation, and remember it."""
        self.update(fitness)
        self.fitness_history.append(np.array(fitness))

    def state(self) -> StrategyState:
        """The fitness of all generations, one after the other, and how large each was."""
        sizes = np.array([len(fitness) for fitness in self.fitness_history], np.int64)
        return {"told": np.concatenate([np.empty(0), *self.fitness_history]), "sizes": sizes}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Start anew, and take all of it again."""
        if {"told", "sizes"} - set(state):
            raise PaddockError(f"{type(self).__name__}: the state lacks what it was told")
        self.start()
        self.fitness_history = list(np.split(state["told"], np.cumsum(state["sizes"]))[:-1])
        for fitness in self.fitness_history:
            self.update(fitness)
