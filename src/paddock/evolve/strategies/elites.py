"""MAP-Elites: the best individual of every kind of behaviour, in a grid of kinds (Mouret and Clune, 2015)."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from paddock.evolve.strategies.base import Floats, Space, Strategy


class MapElites(Strategy):
    """Children of elites take the place of whoever was worse at behaving like them."""

    kept: ClassVar[tuple[str, ...]] = ("individuals", "elites", "worth", "manners")

    def __init__(
        self,
        space: Space,
        *,
        population: int,
        seed: int,
        cells: int = 16,
        strangers: float = 0.1,
        step: float = 0.5,
        mutation: float = 0.3,
        spread: float = 2.0,
    ) -> None:
        """Begin with individuals at random.

        Args:
            space: what is searched.
            population: children in a generation.
            seed: decides all chance.
            cells: of the grid along each number that tells the behaviour.
            strangers: share of the children that are no children, but new individuals at random.
            step: how much children differ from an elite, relative to the usual spread.
            mutation: share of a child's numbers that are changed.
            spread: of random individuals, relative to the usual one.
        """
        super().__init__(space, population=population, seed=seed)
        self.cells, self.strangers, self.step, self.mutation, self.spread = cells, strangers, step, mutation, spread
        self.individuals = self._drawn(population)
        self.elites: Floats = np.zeros((cells**space.behaviours, space.size))
        self.worth: Floats = np.full(cells**space.behaviours, -np.inf)  # of the elites; -inf where there is none
        self.manners: Floats = np.zeros((cells**space.behaviours, space.behaviours))  # how the elites behaved

    def ask(self) -> Floats:
        """The present children."""
        return self.individuals.copy()

    def learn(self, fitness: Floats, behaviour: Floats) -> None:
        """Put the children into the grid, and have others."""
        places = np.clip((behaviour * self.cells).astype(np.int64), 0, self.cells - 1)
        cells = places @ self.cells ** np.arange(places.shape[1])
        for i, (cell, worth) in enumerate(zip(cells.tolist(), fitness.tolist(), strict=True)):
            if worth > self.worth[cell]:
                self.worth[cell], self.elites[cell], self.manners[cell] = worth, self.individuals[i], behaviour[i]
        known = self.known
        parents = self.elites[known[self.rng.integers(0, len(known), self.population)]]
        changed = self.rng.random(parents.shape) < self.mutation
        children = parents + changed * self.rng.normal(0.0, self.step * self.space.scale, parents.shape)
        strangers = self.rng.random((self.population, 1)) < self.strangers
        self.individuals = np.where(strangers, self._drawn(self.population), children)

    @property
    def known(self) -> NDArray[np.int64]:
        """The cells of the grid that have an elite; the first number of the behaviour changes fastest."""
        return np.flatnonzero(np.isfinite(self.worth))

    def _drawn(self, count: int) -> Floats:
        return self.rng.normal(0.0, self.spread * self.space.scale, (count, self.space.size))
