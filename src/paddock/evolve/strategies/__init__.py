"""Strategies: ways to search, all behind one interface of ask and tell."""

from __future__ import annotations

from paddock.evolve.strategies.base import Space, Strategy
from paddock.evolve.strategies.registry import STRATEGIES, strategy_called

__all__ = ["STRATEGIES", "Space", "Strategy", "strategy_called"]
