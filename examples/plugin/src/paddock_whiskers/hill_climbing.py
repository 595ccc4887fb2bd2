"""Hill climbing: variations of the best individual so far."""

from __future__ import annotations

import numpy as np

from paddock.learning.evolve import SearchSpace, Strategy
from paddock.testing.plugins import Floats


class HillClimbing(Strategy):
    """Every generation consists of the best individual and variations of it."""

    def __init__(self, space: SearchSpace, *, population: int, seed: int, spread: float = 0.5) -> None:
        """Start around zero; `spread` is relative to the scale of the search space."""
        super().__init__(space, population=population, seed=seed)
        self.spread, self.best, self.fitness = spread, np.zeros(space.size), -np.inf
        self.individuals = self._vary()

    def ask(self) -> Floats:
        """Return the current generation."""
        return self.individuals.copy()

    def learn(self, fitness: Floats, behaviour: Floats) -> None:
        """Update the best individual, and create the next generation."""
        if fitness.max() > self.fitness:
            self.best, self.fitness = self.individuals[fitness.argmax()].copy(), float(fitness.max())
        self.individuals = self._vary()

    def _vary(self) -> Floats:
        changes = self.rng.normal(0.0, self.spread * self.space.scale, (self.population, self.space.size))
        changes[0] = 0.0
        return self.best + changes
