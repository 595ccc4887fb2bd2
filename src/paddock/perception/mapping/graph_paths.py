"""Shortest paths through a pose graph: a shorter path means a better known relative pose."""

from __future__ import annotations

import math

import numpy as np

from paddock.perception.mapping.pose_graph import PoseEdge, PoseGraph
from paddock.perception.mapping.scan import Floats

LOOP_LENGTH = 0.5  # length that a loop adds to a path [m]


def uncertainty(edge: PoseEdge) -> float:
    """Return the largest position deviation of an edge as a path length [m]; an unconstrained edge is no short cut."""
    xx, xy, yy = edge.covariance[0, 0], edge.covariance[0, 1], edge.covariance[1, 1]
    return 20 * math.sqrt((xx + yy + math.hypot(xx - yy, 2 * xy)) / 2)


def find_shortest_paths(graph: PoseGraph, start: int) -> Floats:
    """Return the lengths of the shortest paths through the edges of a graph from a pose to all poses [m].

    Paths follow the chain of poses and loops. Lengths along the chain are computed at once. Each iteration allows one
    more loop, until no path becomes shorter.
    """
    along = np.array(graph.travelled)
    distances: Floats = np.abs(along - along[start])
    firsts, seconds = (np.array([loop[end] for loop in graph.loops], int) for end in (0, 1))
    lengths = np.array([LOOP_LENGTH + uncertainty(loop) for loop in graph.loops])
    while True:
        shorter = distances.copy()
        np.minimum.at(shorter, seconds, distances[firsts] + lengths)
        np.minimum.at(shorter, firsts, distances[seconds] + lengths)
        forwards = np.minimum.accumulate(shorter - along) + along
        backwards = np.minimum.accumulate((shorter + along)[::-1])[::-1] - along
        shorter = np.minimum(shorter, np.minimum(forwards, backwards))
        if not (shorter < distances - 1e-9).any():
            return distances
        distances = shorter
