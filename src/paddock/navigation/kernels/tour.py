"""The best open tour through a few places: exact, by dynamic programming over sets of places."""

from __future__ import annotations

import math

from paddock.core.jit import kernel


@kernel
def first_of_tour(start, between, worths, always, costs):
    """Which place comes first on the best way through all places (after Held and Karp 1962); it ends at any of them.

    Every second costs what the places that are still ahead are worth, and `always`. With worths of 0 that is the
    shortest way; with `always` 0 the way on which worths wait least (the travelling repairman's).

    Args:
        start: seconds from where it begins to each place, shape (n,).
        between: seconds from each place to each other, shape (n, n).
        worths: of being at each place, shape (n,).
        always: see above.
        costs: scratch, shape (2**n, n): the best way through all places that are not in a set, from one in it.
    """
    count = start.shape[0]
    full = (1 << count) - 1
    for last in range(count):
        costs[full, last] = 0.0
    for visited in range(full - 1, -1, -1):
        ahead = always
        for other in range(count):
            if not visited >> other & 1:
                ahead += worths[other]
        if visited == 0:
            break
        for at in range(count):
            best = math.inf
            if visited >> at & 1:
                for other in range(count):
                    if not visited >> other & 1:
                        best = min(best, ahead * between[at, other] + costs[visited | (1 << other), other])
            costs[visited, at] = best
    best, first = math.inf, 0
    for at in range(count):
        cost = ahead * start[at] + costs[1 << at, at]
        if cost < best:
            best, first = cost, at
    return first
