"""Strategies: search algorithms with a common ask-and-tell interface."""

from __future__ import annotations

from paddock.evolve.strategies.base import SearchSpace, Strategy
from paddock.evolve.strategies.registry import STRATEGIES

__all__ = ["STRATEGIES", "SearchSpace", "Strategy"]
