"""All strategies by name; each is imported when it is asked for, and so is the package that it may need."""

from __future__ import annotations

from paddock.core.registry import Registry
from paddock.evolve.strategies.base import Strategy

STRATEGIES: Registry[type[Strategy]] = Registry(
    "strategy",
    group="paddock.strategies",
    builtin={
        "ga": "paddock.evolve.strategies.genetic:GeneticAlgorithm",
        "es": "paddock.evolve.strategies.evolution:EvolutionStrategy",
        "cma": "paddock.evolve.strategies.cma_es:CmaEs",
        "random": "paddock.evolve.strategies.chance:RandomSearch",
        "map-elites": "paddock.evolve.strategies.elites:MapElites",
        "gp": "paddock.evolve.strategies.programs:GeneticProgramming",
        "neat": "paddock.evolve.strategies.neat:Neat",
    },
    base=Strategy,
)


def strategy_called(name: str) -> type[Strategy]:
    """The strategy of that name, or `module:Name` of a user's own."""
    return STRATEGIES.get(name)
