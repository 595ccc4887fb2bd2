"""Verification of loops: several scans must support them, and they must fit the drift and the graph."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from paddock.core.geometry import relative, wrap
from paddock.perception.mapping.graph_paths import find_shortest_paths
from paddock.perception.mapping.pose_graph import PoseEdge, PoseGraph

SURPRISE = 9.0  # squared normalised error of a new loop above which the graph is solved immediately
MAX_PENDING = 15  # number of groups of loops with small errors after which it is solved in any case
BELIEVED = 16.0  # mean squared error of a group of loops after solving above which it is removed again


@dataclass(frozen=True, kw_only=True)
class DriftModel:
    """Maximum error of the estimate after a path through the graph."""

    share: float = 0.035  # of the path length
    least: float = 0.3  # [m]
    turn: float = math.radians(1.2)  # after a metre [rad]; grows with the square root of the path length
    most_distance: float = 25.0  # maximum for any path length [m]
    most_angle: float = math.radians(35)

    def distance(self, path: float) -> float:
        """Return the maximum position error after a path length [m]."""
        return min(self.most_distance, self.least + self.share * path)

    def angle(self, path: float) -> float:
        """Return the maximum heading error [rad] after a path length [m]."""
        return min(self.most_angle, self.turn * math.sqrt(max(path, 1.0)))


class LoopChecks:
    """Accepts or rejects groups of loops for a graph. A group is the result of one loop search."""

    def __init__(self, graph: PoseGraph, drift: DriftModel, supporters: int, solver: str | None) -> None:
        self.graph, self.drift, self.supporters, self.solver = graph, drift, supporters, solver
        self.refused: list[PoseEdge] = []
        self.solved = 0  # number of times the graph was solved
        self._pending = 0

    def offer(self, loops: Sequence[PoseEdge]) -> bool:
        """Add a group of loops if it passes all checks; return whether it does."""
        accepted = len(loops) >= self.supporters and self.within_drift(loops) and self.fits(loops)
        if not accepted:
            self.refused += loops
        return accepted

    def within_drift(self, loops: Sequence[PoseEdge]) -> bool:
        """Return whether most loops of a group move poses by no more than the possible drift."""
        paths = find_shortest_paths(self.graph, loops[0].second)
        allowed = 0
        for loop in loops:
            found = relative(self.graph.poses[loop.first], self.graph.poses[loop.second])
            moved = math.hypot(found.x - loop.step.x, found.y - loop.step.y)
            turned = abs(wrap(found.heading - loop.step.heading))
            path = paths[loop.first]
            # If the search started at the limit of the drift, a match may lie slightly beyond it.
            allowed += moved <= 1.2 * self.drift.distance(path) + 0.5 and turned <= 1.2 * self.drift.angle(path)
        return 2 * allowed > len(loops)

    def fits(self, loops: Sequence[PoseEdge]) -> bool:
        """Return whether the graph agrees with a group after solving; if not, restore the previous graph."""
        before, believed = list(self.graph.poses), len(self.graph.loops)
        self.graph.loops += loops
        self._pending += 1
        if max(map(self.graph.squared_error, loops)) < SURPRISE and self._pending < MAX_PENDING:
            return True
        self.solve()
        if np.mean([self.graph.squared_error(loop) for loop in loops]) <= BELIEVED:
            return True
        self.graph.poses = before
        del self.graph.loops[believed:]
        return False

    def solve(self) -> None:
        """Solve the graph with all accepted loops."""
        self.graph.solve(self.solver)
        self.solved += 1
        self._pending = 0
