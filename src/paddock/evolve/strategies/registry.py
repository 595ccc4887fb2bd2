"""Registry of strategies by name; a strategy and its package are imported on first use."""

from __future__ import annotations

from paddock.core.registry import Registry
from paddock.evolve.strategies.base import Strategy

STRATEGIES: Registry[type[Strategy]] = Registry(
    "strategy",
    group="paddock.strategies",
    builtin={
        "ga": "paddock.evolve.strategies.genetic_algorithm:GeneticAlgorithm",
        "es": "paddock.evolve.strategies.evolution_strategy:EvolutionStrategy",
        "cma": "paddock.evolve.strategies.cma_es:CmaEs",
        "random": "paddock.evolve.strategies.random_search:RandomSearch",
        "map-elites": "paddock.evolve.strategies.map_elites:MapElites",
        "gp": "paddock.evolve.strategies.genetic_programming:GeneticProgramming",
        "neat": "paddock.evolve.strategies.neat:Neat",
    },
    base=Strategy,
)
