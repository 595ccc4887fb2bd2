"""MAP-Elites: the best individual of every behaviour cell (Mouret and Clune, 2015), in an archive of `ribs`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from paddock.core.npz import write_npz
from paddock.learning.evolve.packages import import_package
from paddock.learning.evolve.strategies.strategy import Floats, PopulationStrategy, Strategy, StrategyState

FORMAT = "paddock elites 1"


class MapElites(PopulationStrategy):
    """Children of elites replace worse elites in the same cell of a grid of behaviour measures."""

    package: ClassVar[str | None] = "ribs"
    unsaved: ClassVar[frozenset[str]] = Strategy.unsaved | {"archive", "elites"}  # `state` has the elites as arrays
    cells: int = 16  # grid cells along each behaviour measure
    random_immigrants: float = 0.1  # share of the children that are replaced by new random individuals
    step: float = 0.5  # standard deviation of mutations, relative to the scale of the space
    mutation: float = 0.3  # share of a child's numbers that are mutated

    def begin(self) -> None:
        """Start with random individuals and an empty archive."""
        super().begin()
        self.archive = self._make_archive()

    def _make_archive(self) -> Any:
        count = self.space.behaviours
        return import_package("ribs.archives", "MAP-Elites", install="ribs").GridArchive(
            solution_dim=self.space.size, dims=[self.cells] * count, ranges=[(0.0, 1.0)] * count
        )

    def learn(self, fitness: Floats, behaviour: Floats) -> None:
        """Add the children to the archive, and create new ones."""
        self.archive.add(self.individuals, fitness, np.nan_to_num(behaviour))
        elites = self.elites()["weights"]
        parents = elites[self.rng.integers(0, len(elites), self.population)]
        changed = self.rng.random(parents.shape) < self.mutation
        children = parents + changed * self.rng.normal(0.0, self.step * self.space.scale, parents.shape)
        immigrants = self.rng.random((self.population, 1)) < self.random_immigrants
        self.individuals = np.where(immigrants, self.draw_random(), children)

    def elites(self) -> dict[str, NDArray[Any]]:
        """Return weights, fitness, behaviour and cell of all elites, in the order of the cells.

        Cells are numbered along the first measure first.
        """
        data = self.archive.data(["solution", "objective", "measures", "index"], return_type="tuple")
        cells = self.archive.int_to_grid_index(data[3]) @ self.cells ** np.arange(self.space.behaviours)
        order = np.argsort(cells)
        names = ("weights", "fitness", "behaviour", "cell")
        return {name: column[order] for name, column in zip(names, (*data[:3], cells), strict=True)}

    def fitness_grid(self) -> Floats:
        """Return the fitness in every cell, shape (second measure, first measure); NaN for cells without an elite."""
        elites = self.elites()
        grid = np.full(self.cells**2, np.nan)
        grid[elites["cell"]] = elites["fitness"]
        return grid.reshape(self.cells, self.cells)

    def save_elites(self, path: Path) -> None:
        """Save weights (elites, size), fitness (elites) and behaviour (elites, 2) as `.npz` without pickle."""
        elites = self.elites()
        del elites["cell"]
        write_npz(path, {"format": FORMAT}, elites)

    def state(self) -> StrategyState:
        """Return the children and the archive."""
        elites = self.elites()
        del elites["cell"]
        return {**super().state(), "elites": elites}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Restore the children and the archive."""
        super().restore(state)
        self.archive = self._make_archive()
        elites = state["elites"]
        if len(elites["fitness"]):
            self.archive.add(elites["weights"], elites["fitness"], elites["behaviour"])
