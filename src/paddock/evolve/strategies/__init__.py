"""Strategies: ways to search, all behind one interface of ask and tell."""

from __future__ import annotations

from paddock.evolve.strategies.base import SearchSpace, Strategy
from paddock.evolve.strategies.registry import STRATEGIES

__all__ = ["STRATEGIES", "SearchSpace", "Strategy"]
