"""A small evolution, shared by the tests."""

from __future__ import annotations

from paddock.learning.evolve.options import EvolutionConfig

SMALL = EvolutionConfig(task="maze", population=6, generations=4, seconds=5.0, seed=5)
