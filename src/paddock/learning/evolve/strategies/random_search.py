"""Random search: new random individuals in every generation; the baseline for other strategies."""

from __future__ import annotations

from paddock.learning.evolve.strategies.strategy import Floats, PopulationStrategy


class RandomSearch(PopulationStrategy):
    """Draws from the same distribution in every generation."""

    def learn(self, fitness: Floats, behaviour: Floats) -> None:
        """Draw new individuals."""
        self.individuals = self.draw_random()
