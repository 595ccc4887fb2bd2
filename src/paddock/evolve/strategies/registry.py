"""All strategies by name; each is imported when it is asked for, and so is the package that it may need."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from types import MappingProxyType
from typing import cast

from paddock.core.errors import UnknownName
from paddock.evolve.strategies.base import Strategy

STRATEGIES: Mapping[str, str] = MappingProxyType(
    {
        "ga": "paddock.evolve.strategies.genetic:GeneticAlgorithm",
        "es": "paddock.evolve.strategies.evolution:EvolutionStrategy",
        "cma": "paddock.evolve.strategies.cma_es:CmaEs",
        "random": "paddock.evolve.strategies.chance:RandomSearch",
        "map-elites": "paddock.evolve.strategies.elites:MapElites",
        "gp": "paddock.evolve.strategies.programs:GeneticProgramming",
        "neat": "paddock.evolve.strategies.neat:Neat",
    }
)


def strategy_called(name: str) -> type[Strategy]:
    """The strategy of that name."""
    if name not in STRATEGIES:
        raise UnknownName("strategy", name, STRATEGIES)
    module, _, kind = STRATEGIES[name].partition(":")
    return cast(type[Strategy], getattr(importlib.import_module(module), kind))
