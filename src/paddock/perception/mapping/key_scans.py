"""Key scans: scans of graph SLAM, thinned for matching."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from paddock.perception.mapping.scan import Floats, Scan
from paddock.perception.mapping.surfaces import trace_surfaces

FINE, COARSE = 0.05, 0.2  # sides of cells [m]
REACH = 20.0  # maximum distance of beam ends; further away they are too sparse to locate a wall [m]


class KeyScan(NamedTuple):
    """A scan at a pose of the graph, in the robot's frame."""

    points: Floats  # beam ends [m], shape (n, 2)
    surface: Floats  # beam ends and the surfaces between them, at most one point per fine cell
    outline: Floats  # the same, at most one point per coarse cell

    @classmethod
    def of(cls, scan: Scan) -> KeyScan:
        """Create a key scan from a scan."""
        points, surface = (within(each, REACH) for each in (scan.points(), trace_surfaces(scan, FINE)))
        return cls(points, thin_points(surface, FINE), thin_points(surface, COARSE))


def within(points: Floats, reach: float) -> Floats:
    """Return the points no further away than `reach` [m]."""
    near: Floats = points[(points**2).sum(1) <= reach**2]
    return near


def thin_points(points: Floats, cell: float) -> Floats:
    """Return the first point in each cell of a grid [m]."""
    cells = np.floor(points / cell).astype(np.int64)
    _, first = np.unique(cells[:, 0] * 1_000_003 + cells[:, 1], return_index=True)
    thinned: Floats = points[np.sort(first)]
    return thinned
