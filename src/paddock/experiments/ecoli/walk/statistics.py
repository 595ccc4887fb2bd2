"""The statistical test for the claims about the walk: the Mann-Whitney U test."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike


def find_mann_whitney_p(first: ArrayLike, second: ArrayLike) -> float:
    """Return the two-sided p-value of the Mann-Whitney U test of two samples.

    It uses the normal approximation with correction for ties and continuity, for more than about 10 values each.
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
