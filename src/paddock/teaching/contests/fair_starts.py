"""Fair starts: every robot uses each start of a world equally often."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Hashable, Sequence

Node = Hashable
Colouring = dict[Node, dict[int, Node]]


def assign_starts(heats: Sequence[Sequence[str]], starts: int) -> list[tuple[int, ...]]:
    """Return the start number of each robot of each heat.

    A robot uses any start at most once more often than any other start. This is always possible: heats and robots form
    the two sides of a bipartite graph, and starts are the colours of its edges. A robot has one node for every `starts`
    heats, so that no node has more edges than there are colours (König 1916).

    Args:
        heats: the robots of each heat, in the order in which the heats are run.
        starts: number of starts, at least the number of robots in any heat.
    """
    seats: Colouring = {}
    driven: Counter[str] = Counter()
    nodes: list[list[Node]] = []
    for number, heat in enumerate(heats):
        nodes.append([(name, driven[name] // starts) for name in heat])
        driven.update(heat)
        for node in nodes[-1]:
            _colour(seats, number, node, starts)
    return [
        tuple(next(start for start, other in seats[number].items() if other == node) for node in own)
        for number, own in enumerate(nodes)
    ]


def _colour(seats: Colouring, heat: Node, robot: Node, starts: int) -> None:
    """Add an edge. If its ends have no free colour in common, swap two colours along a path."""
    at_heat, at_robot = seats.setdefault(heat, {}), seats.setdefault(robot, {})
    free_heat = [start for start in range(starts) if start not in at_heat]
    free_robot = [start for start in range(starts) if start not in at_robot]
    common = next((start for start in free_heat if start in free_robot), None)
    if common is None:
        common = free_heat[0]
        _swap(seats, robot, common, free_robot[0])
    at_heat[common], at_robot[common] = robot, heat


def _swap(seats: Colouring, node: Node, first: int, second: int) -> None:
    """Swap two colours along the path that leaves a node by the first one; the path never reaches the current heat."""
    path = [node]
    colour = first
    while (following := seats[path[-1]].get(colour)) is not None:
        path.append(following)
        colour = second if colour == first else first
    edges = list(itertools.pairwise(path))
    for number, (a, b) in enumerate(edges):
        old = second if number % 2 else first
        del seats[a][old], seats[b][old]
    for number, (a, b) in enumerate(edges):
        new = first if number % 2 else second
        seats[a][new], seats[b][new] = b, a
