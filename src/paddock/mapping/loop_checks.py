"""Which loops are believed: those that several scans support, that drift allows, and that the graph can agree with."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from paddock.core.geometry import relative, wrap
from paddock.mapping.graph_ways import shortest_ways
from paddock.mapping.pose_graph import PoseEdge, PoseGraph

SURPRISE = 9.0  # squared error of a new loop, in its own deviations, at which the graph is solved at once
PATIENCE = 15  # groups of loops that change little before it is solved anyway
BELIEVED = 16.0  # mean squared error of a group of loops after solving, above which it is taken out again


@dataclass(frozen=True, kw_only=True)
class DriftModel:
    """How far the estimate may be off after a way through the graph."""

    share: float = 0.035  # of the way
    least: float = 0.3  # [m]
    turn: float = math.radians(1.2)  # after a metre [rad]; grows with the root of the way
    most_distance: float = 25.0  # however long the way is [m]
    most_angle: float = math.radians(35)

    def distance(self, way: float) -> float:
        """Of a place, after a way [m]."""
        return min(self.most_distance, self.least + self.share * way)

    def angle(self, way: float) -> float:
        """Of a heading [rad], after a way [m]."""
        return min(self.most_angle, self.turn * math.sqrt(max(way, 1.0)))


class LoopChecks:
    """Takes groups of loops into a graph, or refuses them. A group is what one look back has found."""

    def __init__(self, graph: PoseGraph, drift: DriftModel, supporters: int, solver: str | None) -> None:
        self.graph, self.drift, self.supporters, self.solver = graph, drift, supporters, solver
        self.refused: list[PoseEdge] = []
        self.solved = 0  # how often
        self._pending = 0

    def offer(self, loops: Sequence[PoseEdge]) -> bool:
        """Put a group of loops in, if it is believed."""
        accepted = len(loops) >= self.supporters and self.within_drift(loops) and self.fits(loops)
        if not accepted:
            self.refused += loops
        return accepted

    def within_drift(self, loops: Sequence[PoseEdge]) -> bool:
        """Whether most of a group moves poses no further than they may have drifted."""
        ways = shortest_ways(self.graph, loops[0].second)
        allowed = 0
        for loop in loops:
            found = relative(self.graph.poses[loop.first], self.graph.poses[loop.second])
            moved = math.hypot(found.x - loop.step.x, found.y - loop.step.y)
            turned = abs(wrap(found.heading - loop.step.heading))
            way = ways[loop.first]
            # Where the search began at the edge of what drift allows, a match may lie a little beyond it.
            allowed += moved <= 1.2 * self.drift.distance(way) + 0.5 and turned <= 1.2 * self.drift.angle(way)
        return 2 * allowed > len(loops)

    def fits(self, loops: Sequence[PoseEdge]) -> bool:
        """Whether the graph agrees with a group once it is solved with it; if not, all is as before."""
        before, believed = list(self.graph.poses), len(self.graph.loops)
        self.graph.loops += loops
        self._pending += 1
        if max(map(self.graph.squared_error, loops)) < SURPRISE and self._pending < PATIENCE:
            return True
        self.solve()
        if np.mean([self.graph.squared_error(loop) for loop in loops]) <= BELIEVED:
            return True
        self.graph.poses = before
        del self.graph.loops[believed:]
        return False

    def solve(self) -> None:
        """Solve the graph with all that is believed."""
        self.graph.solve(self.solver)
        self.solved += 1
        self._pending = 0
