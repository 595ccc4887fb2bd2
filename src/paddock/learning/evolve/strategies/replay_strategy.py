"""Replay: strategies of other packages are resumed by repeating all calls of `tell`.

The seed determines their random numbers, so they reach the same state again. This needs no pickle, which could run
code from a file, and takes milliseconds per generation.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any

import numpy as np

from paddock.core.errors import PaddockError
from paddock.learning.evolve.strategies.strategy import Floats, Strategy, StrategyState


class ReplayStrategy(Strategy):
    """A strategy whose state is the history of all fitness values."""

    fitness_history: list[Floats]  # fitness of every generation

    def begin(self) -> None:
        """Start the search with an empty history."""
        self.fitness_history = []
        self.start()

    @abstractmethod
    def start(self) -> None:
        """Start a new search from the seed."""

    @abstractmethod
    def update(self, fitness: Floats) -> None:
        """Update the search with the fitness of a generation."""

    def learn(self, fitness: Floats, behaviour: Floats) -> None:
        """Update the search with the fitness of a generation, and store it."""
        self.update(fitness)
        self.fitness_history.append(np.array(fitness))

    def state(self) -> StrategyState:
        """Return the concatenated fitness of all generations, and the size of each generation."""
        sizes = np.array([len(fitness) for fitness in self.fitness_history], np.int64)
        return {"told": np.concatenate([np.empty(0), *self.fitness_history]), "sizes": sizes}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Start a new search, and replay the history."""
        if {"told", "sizes"} - set(state):
            raise PaddockError(f"{type(self).__name__}: the state lacks the fitness history, told and sizes")
        self.start()
        self.fitness_history = list(np.split(state["told"], np.cumsum(state["sizes"]))[:-1])
        for fitness in self.fitness_history:
            self.update(fitness)
