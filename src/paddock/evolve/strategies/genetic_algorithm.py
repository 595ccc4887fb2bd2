"""A genetic algorithm: tournaments choose parents, whose numbers are mixed and changed; the best live on."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from paddock.evolve.strategies.base import Floats, SearchSpace, Strategy, rank


class GeneticAlgorithm(Strategy):
    """Individuals are rows of numbers; see the arguments for what chance does to them."""

    state_fields: ClassVar[tuple[str, ...]] = ("individuals",)

    def __init__(
        self,
        space: SearchSpace,
        *,
        population: int,
        seed: int,
        elites: int | None = None,
        tournament: int = 3,
        crossover: float = 0.5,
        mutation: float = 0.3,
        step: float = 0.5,
        spread: float = 2.0,
    ) -> None:
        """Start with individuals at random.

        Args:
            space: what is searched.
            population: individuals in a generation.
            seed: decides all random numbers.
            elites: how many of the best go on unchanged; None: a tenth of the population.
            tournament: how many are drawn for the best of them to become a parent.
            crossover: share of the children that have two parents, each number from either.
            mutation: share of a child's numbers that are changed.
            step: how much they are changed, relative to the usual spread.
            spread: of the first individuals, relative to the usual one.
        """
        super().__init__(space, population=population, seed=seed)
        self.elites = max(1, population // 10) if elites is None else min(elites, population)
        self.tournament, self.crossover, self.mutation, self.step = tournament, crossover, mutation, step
        self.individuals: Floats = self.rng.normal(0.0, spread * space.scale, (population, space.size))

    def ask(self) -> Floats:
        """The present generation."""
        return self.individuals.copy()

    def learn(self, fitness: Floats, behaviour: Floats) -> None:
        """Breed the next generation."""
        best = self.individuals[rank(fitness)[: self.elites]]
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
