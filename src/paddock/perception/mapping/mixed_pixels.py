"""Mixed pixels: beams whose spot covers two surfaces report a range between both, where there is no obstacle.

Such a point would mark an obstacle in free space or clear cells inside a wall. Seen from the scanner, it lies nearly in
line with both of its neighbours (ROS calls this a scan shadow). So do points of a wall at a very flat angle. They are
removed as well, but little is lost, because their position is uncertain.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from paddock.perception.mapping.scan import Scan

FLAT = math.tan(math.radians(10))  # an edge is a line to a neighbour's end at a smaller angle to the beam
LEAST_DEPTH = 0.05  # [m] smaller steps are noise


def drop_mixed_pixels(scan: Scan) -> Scan:
    """Remove ranges that have a depth edge on both sides, except ranges nearer than both neighbours.

    A thin obstacle hit by one beam is nearer than both neighbours. Beams next to one without a return are kept as well,
    because they hit only one surface.
    """
    if len(scan.angles) < 3 or scan.origins is not None:
        return scan
    ranges, across = scan.ranges, np.diff(scan.angles)
    near, far = np.minimum(ranges[:-1], ranges[1:]), np.maximum(ranges[:-1], ranges[1:])
    with np.errstate(invalid="ignore"):  # comparisons with NaN and infinity give no edges
        depth = far - near * np.cos(across)
        edge = np.isfinite(far) & (near * np.abs(np.sin(across)) < FLAT * depth) & (depth > LEAST_DEPTH)
        mixed: NDArray[np.bool_] = edge[:-1] & edge[1:] & (ranges[1:-1] > np.minimum(ranges[:-2], ranges[2:]))
    if not mixed.any():
        return scan
    cleaned = np.array(ranges, float)
    cleaned[1:-1][mixed] = np.nan
    return replace(scan, ranges=cleaned)
