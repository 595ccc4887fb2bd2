"""CMA-ES, the evolution strategy that learns which directions are worth going: glue around the package `cma`."""

from __future__ import annotations

import warnings
from typing import Any, ClassVar

import numpy as np

from paddock.evolve.packages import one_thread, package
from paddock.evolve.strategies.base import Floats, Space
from paddock.evolve.strategies.replay import Replayed


class CmaEs(Replayed):
    """Draws from a normal distribution whose mean, size and shape follow what was good."""

    kept: ClassVar[tuple[str, ...]] = ()
    package: ClassVar[str | None] = "cma"

    def __init__(self, space: Space, *, population: int, seed: int, step: float = 1.0) -> None:
        """Begin around zero.

        Args:
            space: what is searched.
            population: draws in a generation.
            seed: decides all chance.
            step: spread of the first draws, relative to the usual one.
        """
        super().__init__(space, population=population, seed=seed)
        self.seed, self.step = seed, step
        self.start()

    @classmethod
    def least(cls) -> int:
        """Half of the draws are parents, and there must be two of them."""
        return 4

    def start(self) -> None:
        """A new search from the seed."""
        cma = package("cma", "CMA-ES")
        self.rng = np.random.default_rng(self.seed)
        options: dict[str, Any] = {
            "popsize": self.population,
            "seed": np.nan,  # the package is to leave numpy's own generator alone
            "randn": lambda *size: self.rng.standard_normal(size),
            "verbose": -9,
            "verb_log": 0,
            "signals_filename": None,
            "CMA_stds": self.space.scale,
            # It goes on for as long as it is asked.
            **dict.fromkeys(("tolfun", "tolfunhist", "tolx", "tolflatfitness", "tolstagnation"), 0),
            "maxiter": np.inf,
            "tolupsigma": np.inf,
        }
        with warnings.catch_warnings(), one_thread("CMA-ES"):
            warnings.simplefilter("ignore")  # about names of files that it is not to write
            self._search: Any = cma.CMAEvolutionStrategy(np.zeros(self.space.size), self.step, options)
        self._drawn: list[Floats] | None = None

    def ask(self) -> Floats:
        """Draws of this generation."""
        if self._drawn is None:
            with one_thread("CMA-ES"):
                self._drawn = self._search.ask()
        return np.array(self._drawn)

    def take_in(self, fitness: Floats) -> None:
        """Move the distribution; the package minimises."""
        self.ask()
        with one_thread("CMA-ES"):
            self._search.tell(self._drawn, (-fitness).tolist())
        self._drawn = None
