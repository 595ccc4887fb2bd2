"""Strategies: search algorithms with a common ask-and-tell interface."""

from __future__ import annotations

from paddock.learning.evolve.strategies.strategy import SearchSpace, Strategy
from paddock.learning.evolve.strategies.strategy_registry import STRATEGIES

__all__ = ["STRATEGIES", "SearchSpace", "Strategy"]
