"""Ways through a pose graph: the shorter, the better two poses are known relative to each other."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from paddock.mapping.pose_graph import PoseEdge, PoseGraph

Floats = NDArray[np.float64]
LOOP_WAY = 0.5  # what a loop adds to the length of a way [m]


def uncertainty(edge: PoseEdge) -> float:
    """The largest deviation of an edge's place [m], as a way: what leaves a direction open is no short cut."""
    xx, xy, yy = edge.covariance[0, 0], edge.covariance[0, 1], edge.covariance[1, 1]
    return 20 * math.sqrt((xx + yy + math.hypot(xx - yy, 2 * xy)) / 2)


def shortest_ways(graph: PoseGraph, start: int) -> Floats:
    """Lengths of the shortest ways through the edges of a graph from a pose to all [m].

    Ways go along the chain of poses and over loops. Along the chain all are found at once; each further round allows
    one more loop, until nothing gets shorter.
    """
    along = np.array(graph.travelled)
    ways: Floats = np.abs(along - along[start])
    firsts, seconds = (np.array([loop[end] for loop in graph.loops], int) for end in (0, 1))
    lengths = np.array([LOOP_WAY + uncertainty(loop) for loop in graph.loops])
    while True:
        shorter = ways.copy()
        np.minimum.at(shorter, seconds, ways[firsts] + lengths)
        np.minimum.at(shorter, firsts, ways[seconds] + lengths)
        forwards = np.minimum.accumulate(shorter - along) + along
        backwards = np.minimum.accumulate((shorter + along)[::-1])[::-1] - along
        shorter = np.minimum(shorter, np.minimum(forwards, backwards))
        if not (shorter < ways - 1e-9).any():
            return ways
        ways = shorter
