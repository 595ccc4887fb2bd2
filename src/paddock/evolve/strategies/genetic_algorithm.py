"""A genetic algorithm: tournaments choose parents, whose numbers are mixed and changed; the best live on."""

from __future__ import annotations

import numpy as np

from paddock.evolve.strategies.base import Floats, PopulationStrategy, count_elites, rank


class GeneticAlgorithm(PopulationStrategy):
    """Individuals are rows of numbers; see the settings for what chance does to them."""

    elites: int | None = None  # how many of the best go on unchanged; None: a tenth of the population
    tournament: int = 3  # how many are drawn for the best of them to become a parent
    crossover: float = 0.5  # share of the children that have two parents, each number from either
    mutation: float = 0.3  # share of a child's numbers that are changed
    step: float = 0.5  # how much they are changed, relative to the usual spread

    def learn(self, fitness: Floats, behaviour: Floats) -> None:
        """Breed the next generation."""
        best = self.individuals[rank(fitness)[: count_elites(self.elites, self.population)]]
        count = self.population - len(best)
        mothers, fathers = self._parents(fitness, count), self._parents(fitness, count)
        mixed = self.rng.random(mothers.shape) < 0.5
        paired = self.rng.random((count, 1)) < self.crossover
        children = np.where(mixed & paired, fathers, mothers)
        changed = self.rng.random(children.shape) < self.mutation
        children += changed * self.rng.normal(0.0, self.step * self.space.scale, children.shape)
        self.individuals = np.vstack([best, children])

    def _parents(self, fitness: Floats, count: int) -> Floats:
        """Winners of so many tournaments."""
        drawn = self.rng.integers(0, self.population, (count, self.tournament))
        winners = drawn[np.arange(count), fitness[drawn].argmax(axis=1)]
        parents: Floats = self.individuals[winners]
        return parents
