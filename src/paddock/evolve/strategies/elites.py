"""MAP-Elites: the best individual of every kind of behaviour, in a grid of kinds (Mouret and Clune, 2015)."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from paddock.evolve.strategies.base import Floats, Space, Strategy


class MapElites(Strategy):
    """Children of elites take the place of whoever was worse at behaving like them."""

    kept: ClassVar[tuple[str, ...]] = ("individuals", "elites", "worth")

    def __init__(
        self,
        space: Space,
        *,
        population: int,
        seed: int,
        cells: int = 16,
        first: int = 3,
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
            first: a share of one in so many children goes on being random.
            step: how much children differ from an elite, relative to the usual spread.
            mutation: share of a child's numbers that are changed.
            spread: of random individuals, relative to the usual one.
        """
        super().__init__(space, population=population, seed=seed)
        self.cells, self.first, self.step, self.mutation, self.spread = cells, first, step, mutation, spread
        self.individuals = self._drawn(population)
        self.elites: Floats = np.zeros((cells**space.behaviours, space.size))
        self.worth: Floats = np.full(cells**space.behaviours, -np.inf)  # of the elites; -inf where there is none

    def ask(self) -> Floats:
        """The present children."""
        return self.individuals.copy()

    def tell(self, fitness: Floats, behaviour: Floats) -> None:
        """Put the children into the grid, and have others."""
        places = np.clip((behaviour * self.cells).astype(np.int64), 0, self.cells - 1)
        cells = places @ self.cells ** np.arange(places.shape[1])
        for cell, worth, individual in zip(cells.tolist(), fitness.tolist(), self.individuals, strict=True):
            if worth > self.worth[cell]:
                self.worth[cell], self.elites[cell] = worth, individual
        known = np.flatnonzero(np.isfinite(self.worth))
        parents = self.elites[known[self.rng.integers(0, len(known), self.population)]]
        changed = self.rng.random(parents.shape) < self.mutation
        children = parents + changed * self.rng.normal(0.0, self.step * self.space.scale, parents.shape)
        strangers = self.rng.random((self.population, 1)) * self.first < 1.0 / len(known)
        self.individuals = np.where(strangers, self._drawn(self.population), children)

    @property
    def coverage(self) -> float:
        """The share of the grid that has an elite."""
        return float(np.isfinite(self.worth).mean())

    def _drawn(self, count: int) -> Floats:
        return self.rng.normal(0.0, self.spread * self.space.scale, (count, self.space.size))
