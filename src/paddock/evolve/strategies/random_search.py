"""Random search: new individuals every time; what every other strategy has to beat."""

from __future__ import annotations

from typing import ClassVar

from paddock.evolve.strategies.base import Floats, SearchSpace, Strategy


class RandomSearch(Strategy):
    """Draws from the same distribution in every generation."""

    state_fields: ClassVar[tuple[str, ...]] = ("individuals",)

    def __init__(self, space: SearchSpace, *, population: int, seed: int, spread: float = 2.0) -> None:
        """Draw the first individuals; `spread` is relative to the usual one."""
        super().__init__(space, population=population, seed=seed)
        self.spread = spread
        self.individuals = self._draw()

    def ask(self) -> Floats:
        """The present draws."""
        return self.individuals.copy()

    def learn(self, fitness: Floats, behaviour: Floats) -> None:
        """Draw others."""
        self.individuals = self._draw()

    def _draw(self) -> Floats:
        return self.rng.normal(0.0, self.spread * self.space.scale, (self.population, self.space.size))
