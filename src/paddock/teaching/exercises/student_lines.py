"""The progress of robots along a line on the floor."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from paddock.arena.episodes import Trace
from paddock.arena.episodes.trace import Floats
from paddock.simulation.worlds import WorldSpec
from paddock.simulation.worlds.starts import FloorLine

STEP = 0.005  # distance between two sample points of a line [m]


class LineProgress(NamedTuple):
    """Progress of a robot along a line, one number for each row of its trace."""

    laps: Floats  # laps along the line since the start; negative: against the direction of its points
    away: Floats  # distance from the line [m]
    heading: Floats  # heading of the robot relative to the line's direction [rad]


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
