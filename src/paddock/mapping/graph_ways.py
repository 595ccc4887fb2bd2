"""Ways through a pose graph: the shorter, the better two poses are known relative to each other."""

from __future__ import annotations

import heapq
import math

from paddock.mapping.pose_graph import PoseEdge, PoseGraph

LOOP_WAY = 0.5  # what a loop adds to the length of a way [m]


def uncertainty(edge: PoseEdge) -> float:
    """The largest deviation of an edge's place [m], as a way: what leaves a direction open is no short cut."""
    xx, xy, yy = edge.covariance[0, 0], edge.covariance[0, 1], edge.covariance[1, 1]
    return 20 * math.sqrt((xx + yy + math.hypot(xx - yy, 2 * xy)) / 2)


def shortest_ways(graph: PoseGraph, start: int) -> list[float]:
    """Lengths of the shortest ways through the edges of a graph from a pose to all [m] (Dijkstra)."""
    neighbours: list[list[tuple[int, float]]] = [[] for _ in graph.poses]
    for edge in graph.edges:
        length = LOOP_WAY + uncertainty(edge) if edge.is_loop else math.hypot(edge.step.x, edge.step.y)
        neighbours[edge.first].append((edge.second, length))
        neighbours[edge.second].append((edge.first, length))
    ways = [math.inf] * len(graph.poses)
    ways[start] = 0.0
    queue = [(0.0, start)]
    while queue:
        way, at = heapq.heappop(queue)
        if way > ways[at]:
            continue
        for other, length in neighbours[at]:
            if way + length < ways[other]:
                ways[other] = way + length
                heapq.heappush(queue, (way + length, other))
    return ways
