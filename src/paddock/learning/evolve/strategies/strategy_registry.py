"""Registry of strategies by name; a strategy and its package are imported on first use."""

from __future__ import annotations

from paddock.core.registry import Registry
from paddock.learning.evolve.strategies.strategy import Strategy

STRATEGIES: Registry[type[Strategy]] = Registry(
    "strategy",
    group="paddock.strategies",
    builtin={
        "ga": "paddock.learning.evolve.strategies.genetic_algorithm:GeneticAlgorithm",
        "es": "paddock.learning.evolve.strategies.evolution_strategy:EvolutionStrategy",
        "cma": "paddock.learning.evolve.strategies.cma_es:CmaEs",
        "random": "paddock.learning.evolve.strategies.random_search:RandomSearch",
        "map-elites": "paddock.learning.evolve.strategies.map_elites:MapElites",
        "gp": "paddock.learning.evolve.strategies.genetic_programming:GeneticProgramming",
        "neat": "paddock.learning.evolve.strategies.neat:Neat",
    },
    base=Strategy,
)
