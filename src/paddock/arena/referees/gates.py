"""Gates: line segments around a track, and the number of gates that a robot has passed in order."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from paddock.simulation.engine.model import Floats


class Gates:
    """n gates, each from one end (x0, y0) to the other (x1, y1) [m], shape (n, 4).

    For a robot that drives forwards, the first end is on the right, and the second end is on the left.
    """

    def __init__(self, ends: Floats) -> None:
        self.ends = np.asarray(ends, float).reshape(-1, 4)

    def __len__(self) -> int:
        return len(self.ends)

    def crossings(self, before: Floats, now: Floats) -> list[tuple[float, int, int, int]]:
        """Return the gates crossed on straight segments between two sets of positions, both of shape (N, 2).

        Each crossing is (fraction of the segment 0 … 1, robot, gate, 1 forwards or -1 backwards), the earliest first. A
        robot exactly on the line has passed it, so that no crossing is counted twice or missed.
        """
        first, along = self.ends[:, :2], self.ends[:, 2:] - self.ends[:, :2]
        was, is_ = (_cross(along, places[:, None] - first) for places in (before, now))  # (N, n): < 0 once passed
        changed = (was <= 0) != (is_ <= 0)
        if not changed.any():
            return []
        found = []
        for robot, gate in zip(*np.nonzero(changed), strict=True):
            share = was[robot, gate] / (was[robot, gate] - is_[robot, gate])
            at = before[robot] + share * (now[robot] - before[robot]) - first[gate]
            if 0 <= at @ along[gate] <= along[gate] @ along[gate]:
                forwards = 1 if is_[robot, gate] <= 0 else -1
                found.append((float(share), int(robot), int(gate), forwards))
        return sorted(found)


def _cross(a: Floats, b: Floats) -> Floats:
    product: Floats = a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]
    return product


@dataclass(slots=True)
class Passage:
    """Number of gates that a robot has passed in order since it first crossed gate 0; driving back reduces it."""

    gates: int
    passed: int | None = None  # None: it has not crossed the line yet
    most: int = 0
    least: int = -1
    reported: int | None = None  # value of `passed` at the last reported missed gate

    def find_missed(self, gate: int, direction: int) -> int | None:
        """Return the gate that was missed before this one, only once; None if none was."""
        if direction < 0 or self.passed in (None, self.reported) or gate != (self.passed + 2) % self.gates:
            return None
        self.reported = self.passed
        return (gate - 1) % self.gates if self.gates > 2 else None

    def cross(self, gate: int, direction: int) -> bool:
        """Count a crossed gate; return whether it was the next one, in either direction."""
        if self.passed is None:
            if gate != 0:
                return False
            self.passed = 0 if direction > 0 else -1
            return True
        expected = (self.passed + 1 if direction > 0 else self.passed) % self.gates
        if gate != expected:
            return False
        self.passed += direction
        self.most, self.least = max(self.most, self.passed), min(self.least, self.passed)
        return True

    @property
    def laps_forwards(self) -> int:
        """Number of complete laps forwards."""
        return self.most // self.gates

    @property
    def laps_backwards(self) -> int:
        """Number of complete laps backwards."""
        return (-1 - self.least) // self.gates
