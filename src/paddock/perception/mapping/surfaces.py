"""Surfaces between the points of a scan.

Beams hit a far wall at points metres apart. A likelihood field of these points alone prefers scans whose points
coincide with them, so that a robot that drives along a corridor would appear stationary. Therefore points are added
between neighbours on a line.
"""

from __future__ import annotations

import numpy as np

from paddock.perception.mapping.occupancy import OccupancyGrid
from paddock.perception.mapping.scan import Floats, Scan

STRAIGHT = 0.97  # cosine of the largest bend between neighbouring pieces of a wall
NEAR = 2  # spacings between points that belong together without a third point


def trace_surfaces(scan: Scan, spacing: float) -> Floats:
    """Return the points of a scan (robot frame [m], shape (n, 2)) and points `spacing` [m] apart between them.

    The gap between two neighbouring beams is filled if it is a straight continuation of the previous or next one.
    """
    points = scan.points()
    if len(points) < 3:
        return points
    pieces = np.diff(points, axis=0)
    lengths = np.hypot(*pieces.T)
    beams = np.flatnonzero(scan.hits)
    together = (np.diff(beams) == 1) & (lengths > 0)
    directions = pieces / np.where(lengths > 0, lengths, 1.0)[:, None]
    straight = ((directions[1:] * directions[:-1]).sum(1) > STRAIGHT) & together[1:] & together[:-1]
    on_line = np.append(straight, False) | np.append(False, straight)
    counts = np.where(on_line | (together & (lengths < NEAR * spacing)), np.ceil(lengths / spacing).astype(int) - 1, 0)
    counts = np.maximum(counts, 0)
    piece = np.repeat(np.arange(len(pieces)), counts)
    within = np.arange(len(piece)) - np.repeat(np.cumsum(counts) - counts, counts) + 1
    filled = points[piece] + pieces[piece] * (within / (counts[piece] + 1))[:, None]
    return np.vstack((points, filled))


def join_surfaces(grid: OccupancyGrid) -> Floats:
    """Return the mean beam ends in the occupied cells of a map, x, y [m], and points midway between neighbours.

    Without the midway points the field has a ripple of an eighth along walls, with local maxima for scans.
    """
    points = grid.surface_points()
    rows, columns = grid.frame.shape
    index = np.full((rows + 1, columns + 2), -1)  # with a margin, so that cells at the edge have no neighbours outside
    index[:-1, 1:-1][grid.log_odds >= grid.occupied] = np.arange(len(points))
    here = index[:-1, 1:-1]
    midways = []
    for neighbour in (index[:-1, 2:], index[1:, 1:-1], index[1:, 2:], index[1:, :-2]):
        both = (here >= 0) & (neighbour >= 0)
        midways.append((points[here[both]] + points[neighbour[both]]) / 2)
    return np.concatenate((points, *midways))
