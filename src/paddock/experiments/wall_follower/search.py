"""A search for good numbers: draw some around the best so far, keep the best few, narrow down (cross-entropy)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, slots=True)
class SearchResult:
    """The best numbers up to some round, by name, and their cost."""

    round: int
    cost: float
    numbers: dict[str, float]


def search(
    cost: Callable[[dict[str, float]], float],
    limits: Mapping[str, tuple[float, float]],
    start: Mapping[str, float],
    *,
    rounds: int = 10,
    draws: int = 12,
    elite: int = 3,
    seed: int = 0,
) -> Iterator[SearchResult]:
    """Yield the best numbers after every round.

    Args:
        cost: what to make small; called once for every draw.
        limits: lowest and highest value of each number.
        start: where to begin.
        rounds: how often to draw.
        draws: how many in a round.
        elite: how many of them decide where the next round draws.
        seed: of the draws; the same seed finds the same numbers.
    """
    rng = np.random.default_rng(seed)
    names = list(limits)
    low, high = np.array([limits[name] for name in names]).T
    mean = np.array([start[name] for name in names])
    width = (high - low) / 6
    best, best_cost = mean, cost(dict(zip(names, mean.tolist(), strict=True)))
    for number in range(rounds):
        drawn = np.clip(mean + width * rng.standard_normal((draws, len(names))), low, high)
        costs = np.array([cost(dict(zip(names, draw.tolist(), strict=True))) for draw in drawn])
        order = np.argsort(costs, kind="stable")
        if costs[order[0]] < best_cost:
            best, best_cost = drawn[order[0]], float(costs[order[0]])
        chosen = np.vstack([best, drawn[order[:elite]]])
        mean = chosen.mean(axis=0)
        width = 0.5 * width + 0.5 * chosen.std(axis=0)
        yield SearchResult(number, best_cost, dict(zip(names, best.tolist(), strict=True)))
