"""Graph layout on a grid by simulated annealing: short links, few crossings, no link across another node."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from paddock.core.jit import kernel
from paddock.core.rng import chain_key, uniform

ASPECT = 1.15  # columns per row
ROOM = 1.9  # cells per node
TRIALS, MAX_TRIALS = 2000, 60_000  # per node, and in total
STARTS = 5  # number of restarts; the best result is used
HOTTEST, COLDEST = 6.0, 0.05  # temperatures, in units of the costs below
CROSSING, ACROSS, PULL = (
    4.0,
    20.0,
    2.0,
)  # costs of a crossing, a link over a node, a column away from the preferred side
NEAR = 0.5  # a link within this distance of a node's centre is over it [cells]

Places = NDArray[np.float64]


def lay_out(count: int, links: list[tuple[int, int]], *, left: int = -1, right: int = -1) -> Places:
    """Return columns and rows of nodes, shape (count, 2). Deterministic. `left` and `right` prefer their side."""
    rows = max(1, math.ceil(math.sqrt(ROOM * count / ASPECT)))
    columns = max(1, math.ceil(ROOM * count / rows))
    pairs = np.array(sorted(set(links)), np.int64).reshape(-1, 2)
    best, places = math.inf, np.zeros((count, 2))
    for start in range(STARTS):
        found = np.array([(i % columns, i // columns) for i in range(count)], np.float64).reshape(-1, 2)
        cells = np.full(columns * rows, -1, np.int64)
        cells[:count] = np.arange(count)
        cost = anneal(found, pairs, cells, columns, left, right, min(TRIALS * count, MAX_TRIALS), start)
        if cost < best:
            best, places = cost, found
    places -= places.min(axis=0)
    if left >= 0 and right >= 0 and places[left, 0] > places[right, 0]:
        places[:, 0] = places[:, 0].max() - places[:, 0]
    return places


@kernel
def anneal(places, links, cells, columns, left, right, trials, start):
    """Move nodes to other cells, or swap two, by simulated annealing. Returns the cost."""
    for k in range(trials):
        key = chain_key(np.uint64(start), k)
        node = int(uniform(key, 0) * places.shape[0])
        cell = int(uniform(key, 1) * cells.shape[0])
        other = cells[cell]
        old = int(places[node, 0]) + columns * int(places[node, 1])
        if other == node:
            continue
        before = find_cost(places, links, node, columns, left, right)
        before += find_cost(places, links, other, columns, left, right)
        put(places, cells, node, cell, columns)
        put(places, cells, other, old, columns)
        after = find_cost(places, links, node, columns, left, right)
        after += find_cost(places, links, other, columns, left, right)
        heat = HOTTEST * (COLDEST / HOTTEST) ** (k / trials)
        if after > before and uniform(key, 2) >= math.exp((before - after) / heat):
            put(places, cells, other, cell, columns)
            put(places, cells, node, old, columns)
    cost = 0.0
    for node in range(places.shape[0]):
        cost += find_cost(places, links, node, columns, left, right)
    return cost


@kernel
def put(places, cells, node, cell, columns):
    """Set the node of a cell, -1 for none."""
    cells[cell] = node
    if node >= 0:
        places[node, 0], places[node, 1] = cell % columns, cell // columns


@kernel
def find_cost(places, links, node, columns, left, right):
    """Return the cost of a node's position: its links, their crossings, and links over it."""
    if node < 0:
        return 0.0
    cost = PULL * places[node, 0] if node == left else 0.0
    cost += PULL * (columns - 1 - places[node, 0]) if node == right else 0.0
    for e in range(links.shape[0]):
        a, b = links[e]
        if node not in (a, b):
            cost += ACROSS * find_nearness(places, node, a, b)
            continue
        cost += (places[a, 0] - places[b, 0]) ** 2 + (places[a, 1] - places[b, 1]) ** 2
        for other in range(places.shape[0]):
            if other not in (a, b):
                cost += ACROSS * find_nearness(places, other, a, b)
        for f in range(links.shape[0]):
            c, d = links[f]
            if a not in (c, d) and b not in (c, d) and do_cross(places, a, b, c, d):
                cost += CROSSING
    return cost


@kernel
def find_nearness(places, node, a, b):
    """Return how close a link is to a node's centre, 0 … 1."""
    dx, dy = places[b, 0] - places[a, 0], places[b, 1] - places[a, 1]
    x, y = places[node, 0] - places[a, 0], places[node, 1] - places[a, 1]
    along, across, length = x * dx + y * dy, x * dy - y * dx, dx * dx + dy * dy
    if along <= 0.0 or along >= length or across * across >= NEAR * NEAR * length:
        return 0.0
    return 1.0 - math.sqrt(across * across / length) / NEAR


@kernel
def do_cross(places, a, b, c, d):
    """Whether two links cross."""
    apart = find_side(places, a, b, c) * find_side(places, a, b, d) < 0.0
    return apart and find_side(places, c, d, a) * find_side(places, c, d, b) < 0.0


@kernel
def find_side(places, a, b, c):
    """Return on which side of the line from a to b a node is: > 0 left, < 0 right."""
    along = (places[b, 0] - places[a, 0]) * (places[c, 1] - places[a, 1])
    return along - (places[b, 1] - places[a, 1]) * (places[c, 0] - places[a, 0])
