"""Evolution strategy (μ, λ) with self-adaptation: children inherit their mutation step size."""

from __future__ import annotations

import numpy as np

from paddock.learning.evolve.strategies.strategy import Floats, PopulationStrategy, rank


class EvolutionStrategy(PopulationStrategy):
    """λ = population children of μ parents; the best μ children are the next parents, and no parent survives."""

    parents: int | None = None  # μ; None: a quarter of the population
    step: float = 0.7  # first step size, relative to the scale of the space

    def begin(self) -> None:
        """Start with random individuals."""
        super().begin()
        self.rate = 1.0 / np.sqrt(2.0 * self.space.size)  # Schwefel's learning rate of the step
        self.steps: Floats = np.full(self.population, self.step)

    @classmethod
    def min_population(cls) -> int:
        """Return 2, because selection needs at least two individuals."""
        return 2

    def learn(self, fitness: Floats, behaviour: Floats) -> None:
        """Select the parents, and create each child from two of them."""
        best = rank(fitness)[: max(1, self.population // 4) if self.parents is None else self.parents]
        pairs = best[self.rng.integers(0, len(best), (self.population, 2))]
        steps = np.sqrt(self.steps[pairs[:, 0]] * self.steps[pairs[:, 1]])
        self.steps = np.clip(steps * np.exp(self.rate * self.rng.standard_normal(self.population)), 1e-4, 5.0)
        mixed = self.rng.random((self.population, self.space.size)) < 0.5
        children = np.where(mixed, self.individuals[pairs[:, 0]], self.individuals[pairs[:, 1]])
        noise = self.rng.standard_normal(children.shape)
        self.individuals = children + self.steps[:, None] * self.space.scale * noise
