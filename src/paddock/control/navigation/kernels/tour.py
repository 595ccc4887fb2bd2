"""The best open tour through a few positions: exact, by dynamic programming over sets of positions."""

from __future__ import annotations

import math

from paddock.core.jit import kernel


@kernel
def first_of_tour(start, between, worths, always, costs):
    """Return the first position of the best tour through all positions, with any end (after Held and Karp 1962).

    Every second costs the total value of the positions that are not visited yet, plus `always`. With values of 0 this
    is the shortest tour. With `always` 0 it is the tour of the travelling repairman problem.

    Args:
        start: seconds from the start to each position, shape (n,).
        between: seconds between positions, shape (n, n).
        worths: value of each position, shape (n,).
        always: constant cost per second.
        costs: scratch, shape (2**n, n): cost of the best tour through all positions outside a set, from one in it.
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
