"""Lines on the floor: poses along the first line of a world, and the progress of robots along it."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from paddock.arena.episodes import Trace
from paddock.arena.episodes.trace import Floats
from paddock.core.geometry import Pose
from paddock.simulation.worlds import WorldSpec
from paddock.simulation.worlds.floor import curve

STEP = 0.005  # distance between two sample points of a line [m]


class LineProgress(NamedTuple):
    """Progress of a robot along a line, one number for each row of its trace."""

    laps: Floats  # laps along the line since the start; negative: against the direction of its points
    away: Floats  # distance from the line [m]
    heading: Floats  # heading of the robot relative to the line's direction [rad]


class FloorLine:
    """The world's first line as points, with their distances along it [m]."""

    def __init__(self, world: WorldSpec) -> None:
        stroke = world.floor.strokes[0]
        points = np.array(curve(stroke))
        self.points = np.vstack([points, points[:1]]) if stroke.closed else points
        self.along = np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(self.points, axis=0).T))])

    @property
    def length(self) -> float:
        """Length of the line [m], including the closing segment of a closed line."""
        return float(self.along[-1])

    def sample(self, shares: Floats) -> Floats:
        """Return x, y [m] and heading [rad] at fractions of the length, shape (fraction, 3)."""
        way = np.mod(shares, 1.0) * self.length
        piece = np.clip(np.searchsorted(self.along, way, side="right") - 1, 0, len(self.along) - 2)
        dx, dy = (self.points[piece + 1] - self.points[piece]).T
        x, y = (np.interp(way, self.along, self.points[:, axis]) for axis in (0, 1))
        return np.stack([x, y, np.arctan2(dy, dx)], axis=1)


def find_on_line(world: WorldSpec, share: float, *, backwards: bool = False) -> Pose:
    """Return the pose at a fraction of the length of the world's first line, heading along it."""
    x, y, heading = FloorLine(world).sample(np.array([share]))[0].tolist()
    return Pose(x, y, heading + (math.pi if backwards else 0.0))


def follow_line(trace: Trace, world: WorldSpec) -> LineProgress:
    """Return the progress of a robot along the world's first line, measured at the nearest point of the line."""
    line = FloorLine(world)
    points = max(2, round(line.length / STEP))
    shares = np.arange(points) / points
    poses = line.sample(shares)
    away = np.hypot(*(trace.pose[:, None, :2] - poses[:, :2]).transpose(2, 0, 1))
    nearest = away.argmin(axis=1)
    laps = np.unwrap(shares[nearest], period=1.0)
    turned = np.mod(trace.pose[:, 2] - poses[nearest, 2] + math.pi, 2 * math.pi) - math.pi
    return LineProgress(laps - laps[0], away.min(axis=1), turned)
