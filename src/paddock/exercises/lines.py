"""Lines on the floor: places along the first line of a world, and how far robots get along it."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from paddock.core.geometry import Pose
from paddock.episodes import Trace
from paddock.episodes.trace import Floats
from paddock.worlds import WorldSpec
from paddock.worlds.floor import curve

STEP = 0.005  # between two points of a line that robots are compared with [m]


class LineProgress(NamedTuple):
    """Where a robot was with respect to a line, one number for each row of its trace."""

    laps: Floats  # rounds along the line since the start; less than 0: against the direction of its points
    away: Floats  # distance from the line [m]
    heading: Floats  # of the robot, relative to the line's direction [rad]


class Line:
    """The world's first line as points, and how far along it they lie [m]."""

    def __init__(self, world: WorldSpec) -> None:
        stroke = world.floor.strokes[0]
        points = np.array(curve(stroke))
        self.points = np.vstack([points, points[:1]]) if stroke.closed else points
        self.along = np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(self.points, axis=0).T))])

    @property
    def length(self) -> float:
        """From one end to the other, or once round [m]."""
        return float(self.along[-1])

    def sample(self, shares: Floats) -> Floats:
        """x, y [m] and heading [rad] at shares of the way, shape (share, 3)."""
        way = np.mod(shares, 1.0) * self.length
        piece = np.clip(np.searchsorted(self.along, way, side="right") - 1, 0, len(self.along) - 2)
        dx, dy = (self.points[piece + 1] - self.points[piece]).T
        x, y = (np.interp(way, self.along, self.points[:, axis]) for axis in (0, 1))
        return np.stack([x, y, np.arctan2(dy, dx)], axis=1)


def find_on_line(world: WorldSpec, share: float, *, backwards: bool = False) -> Pose:
    """The pose at a share of the way along the world's first line, looking along it."""
    x, y, heading = Line(world).sample(np.array([share]))[0].tolist()
    return Pose(x, y, heading + (math.pi if backwards else 0.0))


def follow_line(trace: Trace, world: WorldSpec) -> LineProgress:
    """How far a robot got along the world's first line; what it does elsewhere counts by the line's nearest point."""
    line = Line(world)
    points = max(2, round(line.length / STEP))
    shares = np.arange(points) / points
    poses = line.sample(shares)
    away = np.hypot(*(trace.pose[:, None, :2] - poses[:, :2]).transpose(2, 0, 1))
    nearest = away.argmin(axis=1)
    laps = np.unwrap(shares[nearest], period=1.0)
    turned = np.mod(trace.pose[:, 2] - poses[nearest, 2] + math.pi, 2 * math.pi) - math.pi
    return LineProgress(laps - laps[0], away.min(axis=1), turned)
