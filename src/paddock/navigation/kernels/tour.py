"""The shortest open tour through a few places: exact, by dynamic programming over sets of places."""

from __future__ import annotations

import math

from paddock.core.jit import kernel


@kernel
def first_of_tour(start, between, lengths):
    """Which place comes first on the shortest way through all places (Held and Karp 1962); it ends at any of them.

    Args:
        start: from where it begins to each place, shape (n,).
        between: from each place to each other, shape (n, n).
        lengths: scratch, shape (2**n, n): the shortest way through all places that are not in a set, from one in it.
    """
    count = start.shape[0]
    full = (1 << count) - 1
    for last in range(count):
        lengths[full, last] = 0.0
    for visited in range(full - 1, 0, -1):
        for at in range(count):
            best = math.inf
            if visited >> at & 1:
                for other in range(count):
                    if not visited >> other & 1:
                        best = min(best, between[at, other] + lengths[visited | (1 << other), other])
            lengths[visited, at] = best
    best, first = math.inf, 0
    for at in range(count):
        if start[at] + lengths[1 << at, at] < best:
            best, first = start[at] + lengths[1 << at, at], at
    return first
