"""The share of pictures in which each robot was found."""

from __future__ import annotations

from collections.abc import Iterable


class Coverages:
    """Counts all pictures, and the pictures in which each robot was found."""

    def __init__(self, robots: Iterable[str]) -> None:
        self.pictures = 0
        self.found = dict.fromkeys(robots, 0)

    def count(self, robots: Iterable[str]) -> None:
        """Count a picture in which these robots were found."""
        self.pictures += 1
        for robot in robots:
            self.found[robot] = self.found.get(robot, 0) + 1

    @property
    def shares(self) -> dict[str, float]:
        """Share of pictures by robot; 0 before the first picture."""
        return {robot: found / max(1, self.pictures) for robot, found in self.found.items()}
