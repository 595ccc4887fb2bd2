"""Artificial false loops, to test whether they are rejected; for tests and `paddock map slam --false-loops`."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from paddock.core.errors import PaddockError
from paddock.core.geometry import Pose
from paddock.perception.mapping.pose_graph import PoseEdge


class FalseLoops:
    """Generates groups of false loops until they are a given share of all loops."""

    def __init__(self, share: float, seed: int) -> None:
        if not 0 <= share < 1:
            raise PaddockError(f"false loops: expected a share of 0 … 1, got {share:g}")
        self.share, self._random = share, np.random.default_rng(seed)
        self.true, self.made = 0, 0

    def make_groups(self, loops: Sequence[PoseEdge]) -> list[list[PoseEdge]]:
        """Return false groups to add after a true one: single loops, and groups of loops that agree with each other.

        A group relates the same scans to another, random earlier part of the path.
        """
        self.true += len(loops)
        groups: list[list[PoseEdge]] = []
        while self.made < self.share * (self.true + self.made):
            size = 1 if self._random.random() < 0.5 else len(loops)
            groups.append(self._move(loops[:size]))
            self.made += size
        return groups

    def _move(self, loops: Sequence[PoseEdge]) -> list[PoseEdge]:
        lowest, highest = min(loop.first for loop in loops), max(loop.first for loop in loops)
        shift = int(self._random.integers(-lowest, max(1, loops[0].second - 40 - highest)))
        x, y, turn = self._random.uniform(-1, 1, 3) * (1.0, 1.0, 0.3)
        moved = []
        for loop in loops:
            step = Pose(loop.step.x + x, loop.step.y + y, loop.step.heading + turn)
            moved.append(loop._replace(first=min(max(0, loop.first + shift), loop.second - 1), step=step))
        return moved
