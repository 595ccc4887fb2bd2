"""CMA-ES, the evolution strategy with covariance matrix adaptation: a wrapper of the package `cma`."""

from __future__ import annotations

import warnings
from typing import Any, ClassVar

import numpy as np

from paddock.learning.evolve.packages import import_package, use_one_thread
from paddock.learning.evolve.strategies.replay_strategy import ReplayStrategy
from paddock.learning.evolve.strategies.strategy import Floats


class CmaEs(ReplayStrategy):
    """Draws from a normal distribution whose mean, step size and covariance adapt to the best individuals."""

    package: ClassVar[str | None] = "cma"

    step: float = 1.0  # standard deviation of the first draws around zero, relative to the scale of the space

    @classmethod
    def min_population(cls) -> int:
        """Return 4: half of the individuals are parents, and there must be two of them."""
        return 4

    def start(self) -> None:
        """Start a new search from the seed."""
        cma = import_package("cma", "CMA-ES")
        self.rng = np.random.default_rng(self.seed)
        options: dict[str, Any] = {
            "popsize": self.population,
            "seed": np.nan,  # keeps the package from seeding numpy's global generator
            "randn": lambda *size: self.rng.standard_normal(size),
            "verbose": -9,
            "verb_log": 0,
            "signals_filename": None,
            "CMA_stds": self.space.scale,
            # Disable all termination criteria of the package.
            **dict.fromkeys(("tolfun", "tolfunhist", "tolx", "tolflatfitness", "tolstagnation"), 0),
            "maxiter": np.inf,
            "tolupsigma": np.inf,
        }
        with warnings.catch_warnings(), use_one_thread("CMA-ES"):
            warnings.simplefilter("ignore")  # warnings about names of files that are not written
            self._search: Any = cma.CMAEvolutionStrategy(np.zeros(self.space.size), self.step, options)
        self._asked: list[Floats] | None = None

    def ask(self) -> Floats:
        """Return the individuals of this generation."""
        if self._asked is None:
            with use_one_thread("CMA-ES"):
                self._asked = self._search.ask()
        return np.array(self._asked)

    def update(self, fitness: Floats) -> None:
        """Adapt the distribution; the sign changes because the package minimises."""
        self.ask()
        with use_one_thread("CMA-ES"):
            self._search.tell(self._asked, (-fitness).tolist())
        self._asked = None
