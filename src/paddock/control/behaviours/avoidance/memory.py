"""ObstacleMemory: a grid of obstacles detected by the proximity sensors, and of the cells that they close."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from paddock.control.behaviours.avoidance.ring import ProximityRing
from paddock.core.geometry import Point, Pose

Cell = tuple[int, int]
Bounds = tuple[float, float, float, float]
"""The rectangle of the room: left, bottom, right, top [m]."""


FAR = 1_000_000  # cells


@dataclass(slots=True)
class Sighting:
    """A position at which an obstacle was detected."""

    x: float
    y: float
    time: float  # of the last detection [s]
    accuracy: float  # distance of the most accurate detection [m]


@dataclass(kw_only=True)
class ObstacleMemory:
    """Sightings on a fine grid; on a coarser grid, how many sightings close each cell to the robot's centre.

    A beam that reaches past a sighting removes it. Objects that have moved away are thus removed when a sensor points
    at them.
    """

    ring: ProximityRing
    bounds: Bounds | None = None  # bounds of the room; None: unknown
    cell: float = 0.01  # size of a coarse cell [m]
    spot: float = 0.005  # size of a fine cell [m]
    margin: float = 0.001  # kept free between body and obstacles [m]
    comfort: float = 0.02  # clearances below this cost extra [m]
    trusted: float = 0.05  # sightings from farther away are too uncertain [m]
    closed: dict[Cell, int] = field(default_factory=dict)  # cells that the robot's centre cannot be in
    tight: dict[Cell, int] = field(default_factory=dict)  # cells near closed ones
    sightings: dict[Cell, Sighting] = field(default_factory=dict)
    changes: int = 0  # number of sightings added or removed
    dropped: int = 0  # number of sightings removed because a beam passed them

    def __post_init__(self) -> None:
        self._beams = [(x, y, math.cos(angle), math.sin(angle)) for x, y, angle in self.ring.mounts]

    def clear(self) -> None:
        """Forget everything."""
        self.closed.clear()
        self.tight.clear()
        self.sightings.clear()

    def cell_of(self, x: float, y: float) -> Cell:
        """Return the coarse cell of a position [m]."""
        return round(x / self.cell), round(y / self.cell)

    def centre_of(self, cell: Cell) -> Point:
        """Return the centre of a coarse cell [m]."""
        return cell[0] * self.cell, cell[1] * self.cell

    @property
    def limits(self) -> tuple[int, int, int, int]:
        """Outermost cells that the robot's centre can be in: least i, least j, greatest i, greatest j."""
        if self.bounds is None:
            return -FAR, -FAR, FAR, FAR
        left, bottom, right, top = self.bounds
        inside = self.ring.radius + self.margin
        i0, j0 = math.ceil((left + inside) / self.cell), math.ceil((bottom + inside) / self.cell)
        return i0, j0, math.floor((right - inside) / self.cell), math.floor((top - inside) / self.cell)

    def add_readings(self, distances: list[float], pose: Pose, now: float) -> int:
        """Add one reading of all sensors; return the number of new sightings."""
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
        """Remove sightings that were last detected before a time [s]."""
        for key in [key for key, seen in self.sightings.items() if seen.time < time]:
            self._drop(key)

    def add_sighting(self, x: float, y: float, distance: float, now: float) -> int:
        """Add an obstacle detected at a position [m] from a distance [m]; return 1 if it is new, else 0."""
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
        """Remove sightings that a beam has passed."""
        step = self.spot * 0.7
        for k in range(int(way / step) + 1):
            key = round((x + k * step * dx) / self.spot), round((y + k * step * dy) / self.spot)
            if key in self.sightings:
                self._drop(key)
                self.dropped += 1

    def _count(self, x: float, y: float, change: int) -> None:
        """Close the cells around a position (1), or open them again (-1)."""
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
