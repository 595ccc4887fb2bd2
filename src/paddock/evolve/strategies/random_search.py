"""Random search: new individuals every time; what every other strategy has to beat."""

from __future__ import annotations

from paddock.evolve.strategies.base import Floats, PopulationStrategy


class RandomSearch(PopulationStrategy):
    """Draws from the same distribution in every generation."""

    def learn(self, fitness: Floats, behaviour: Floats) -> None:
        """Draw others."""
        self.individuals = self.draw_random()
