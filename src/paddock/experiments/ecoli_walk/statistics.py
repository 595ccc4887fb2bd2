"""Two tests that the walk's claims need: whether one sample is greater, and whether times are exponential."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike


def find_mann_whitney_p(first: ArrayLike, second: ArrayLike) -> float:
    """The probability that two samples of one distribution differ as much, in either direction, in their ranks.

    Normal approximation with correction for ties and continuity, good for more than about 10 values each.
    """
    a, b = np.asarray(first, float).ravel(), np.asarray(second, float).ravel()
    values = np.concatenate([a, b])
    _, places, counts = np.unique(values, return_inverse=True, return_counts=True)
    ranks = (np.cumsum(counts) - (counts - 1) / 2.0)[places]
    n, m = len(a), len(b)
    u = float(ranks[:n].sum() - n * (n + 1) / 2.0)
    ties = float((counts**3 - counts).sum()) / ((n + m) * (n + m - 1))
    spread = math.sqrt(n * m / 12.0 * (n + m + 1 - ties))
    if spread == 0:
        return 1.0
    return math.erfc(max(0.0, abs(u - n * m / 2.0) - 0.5) / spread / math.sqrt(2.0))


def find_exponential_fit_p(times: ArrayLike) -> float:
    """The probability that exponential times stray as far from their distribution (Kolmogorov and Smirnov).

    The mean is taken from the times themselves, so the distance is judged by Stephens' (1974) formula for that case.
    """
    values = np.sort(np.asarray(times, float).ravel())
    n = len(values)
    expected = 1.0 - np.exp(-values / values.mean())
    steps = np.arange(n + 1) / n
    distance = max(float((steps[1:] - expected).max()), float((expected - steps[:-1]).max()))
    adjusted = (distance - 0.2 / n) * (math.sqrt(n) + 0.26 + 0.5 / math.sqrt(n))
    # Stephens' critical values of the adjusted distance, and the probabilities of exceeding them.
    levels, chances = (0.0, 0.926, 0.990, 1.094, 1.190, 1.308), (1.0, 0.15, 0.10, 0.05, 0.025, 0.01)
    return float(np.interp(adjusted, levels, chances))
