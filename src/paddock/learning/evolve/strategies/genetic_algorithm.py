"""Genetic algorithm with tournament selection, uniform crossover, Gaussian mutation and elitism."""

from __future__ import annotations

import numpy as np

from paddock.learning.evolve.strategies.strategy import Floats, PopulationStrategy, count_elites, rank


class GeneticAlgorithm(PopulationStrategy):
    """Genetic algorithm on rows of numbers."""

    elites: int | None = None  # individuals that survive unchanged; None: a tenth of the population
    tournament: int = 3  # individuals per tournament; the best becomes a parent
    crossover: float = 0.5  # share of the children that have two parents, with each number from either
    mutation: float = 0.3  # share of a child's numbers that are mutated
    step: float = 0.5  # standard deviation of mutations, relative to the scale of the space

    def learn(self, fitness: Floats, behaviour: Floats) -> None:
        """Create the next generation."""
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
        """Return the winners of `count` tournaments."""
        drawn = self.rng.integers(0, self.population, (count, self.tournament))
        winners = drawn[np.arange(count), fitness[drawn].argmax(axis=1)]
        parents: Floats = self.individuals[winners]
        return parents
