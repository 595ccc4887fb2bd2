"""ObstacleMemory: where proximity sensors have seen things, on a grid around the robot, and which cells are closed."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from paddock.control.avoidance.ring import ProximityRing
from paddock.core.geometry import Point, Pose

Cell = tuple[int, int]
Bounds = tuple[float, float, float, float]
"""The rectangle that the robot is in: left, bottom, right, top [m]."""


FAR = 1_000_000  # cells


@dataclass(slots=True)
class Sighting:
    """A spot where something was seen."""

    x: float
    y: float
    time: float  # when it was seen last [s]
    accuracy: float  # distance from which it was seen best [m]


@dataclass(kw_only=True)
class ObstacleMemory:
    """Sightings on a fine grid; on a coarser one, how many of them close each cell to the robot's centre.

    A beam that reaches past a sighting removes it. So things that have moved away are forgotten when looked at.
    """

    ring: ProximityRing
    bounds: Bounds | None = None  # what is known of the room; None: nothing
    cell: float = 0.01  # of the coarse grid [m]
    spot: float = 0.005  # of the fine grid [m]
    margin: float = 0.001  # kept free between body and things [m]
    comfort: float = 0.02  # nearer than this costs a detour [m]
    trusted: float = 0.05  # sightings from farther away are too uncertain [m]
    closed: dict[Cell, int] = field(default_factory=dict)  # cells that the robot's centre cannot be in
    tight: dict[Cell, int] = field(default_factory=dict)  # … and those near them
    sightings: dict[Cell, Sighting] = field(default_factory=dict)
    changes: int = 0  # how many sightings came or went
    dropped: int = 0  # … and went, because a beam passed them

    def __post_init__(self) -> None:
        self._beams = [(x, y, math.cos(angle), math.sin(angle)) for x, y, angle in self.ring.mounts]

    def clear(self) -> None:
        """Forget everything."""
        self.closed.clear()
        self.tight.clear()
        self.sightings.clear()

    def cell_of(self, x: float, y: float) -> Cell:
        """The coarse cell of a place [m]."""
        return round(x / self.cell), round(y / self.cell)

    def centre_of(self, cell: Cell) -> Point:
        """The middle of a coarse cell [m]."""
        return cell[0] * self.cell, cell[1] * self.cell

    @property
    def limits(self) -> tuple[int, int, int, int]:
        """The outermost cells that the robot's centre can be in."""
        if self.bounds is None:
            return -FAR, -FAR, FAR, FAR
        left, bottom, right, top = self.bounds
        inside = self.ring.radius + self.margin
        i0, j0 = math.ceil((left + inside) / self.cell), math.ceil((bottom + inside) / self.cell)
        return i0, j0, math.floor((right - inside) / self.cell), math.floor((top - inside) / self.cell)

    def look(self, distances: list[float], pose: Pose, now: float) -> int:
        """Take one look of all sensors; how many new spots it brought."""
        x, y, heading = pose
        c, s = math.cos(heading), math.sin(heading)
        news = 0
        for distance, (mx, my, bx, by) in zip(distances, self._beams, strict=True):
            ox, oy = x + c * mx - s * my, y + s * mx + c * my
            dx, dy = c * bx - s * by, s * bx + c * by
            if self.sightings:
                self._erase_along(ox, oy, dx, dy, min(distance, self.trusted) - 2 * self.spot)
            if distance < self.trusted:
                news += self.add_sighting(ox + distance * dx, oy + distance * dy, distance, now)
        return news

    def forget_before(self, time: float) -> None:
        """Drop what was last seen earlier than this [s]."""
        for key in [key for key, seen in self.sightings.items() if seen.time < time]:
            self._drop(key)

    def add_sighting(self, x: float, y: float, distance: float, now: float) -> int:
        """Something was seen at a place [m] from a distance [m]; 1 if it is new, else 0."""
        key = round(x / self.spot), round(y / self.spot)
        seen = self.sightings.get(key)
        if seen is None:
            self.sightings[key] = Sighting(x, y, now, distance)
            self.changes += 1
            self._count(x, y, 1)
            return 1
        seen.time = now
        if distance < 0.7 * seen.accuracy:  # nearer is more accurate
            self._count(seen.x, seen.y, -1)
            seen.x, seen.y, seen.accuracy = x, y, distance
            self._count(x, y, 1)
        return 0

    def _drop(self, key: Cell) -> None:
        seen = self.sightings.pop(key)
        self._count(seen.x, seen.y, -1)
        self.changes += 1

    def _erase_along(self, x: float, y: float, dx: float, dy: float, way: float) -> None:
        """Remove what a beam has passed."""
        step = self.spot * 0.7
        for k in range(int(way / step) + 1):
            key = round((x + k * step * dx) / self.spot), round((y + k * step * dy) / self.spot)
            if key in self.sightings:
                self._drop(key)
                self.dropped += 1

    def _count(self, x: float, y: float, change: int) -> None:
        """Close the cells around a spot (1), or open them again (-1)."""
        shut, near = self.ring.radius + self.margin, self.ring.radius + self.comfort
        i0, j0 = self.cell_of(x, y)
        reach = math.ceil(near / self.cell)
        for i in range(i0 - reach, i0 + reach + 1):
            for j in range(j0 - reach, j0 + reach + 1):
                away = math.hypot(i * self.cell - x, j * self.cell - y)
                if away < near:
                    table = self.closed if away < shut else self.tight
                    count = table.get((i, j), 0) + change
                    if count:
                        table[i, j] = count
                    else:
                        table.pop((i, j), None)
