"""Mixed pixels: beams whose spot lies on two surfaces report a range between both, where nothing is.

Such a point would be an obstacle in the open, or clear cells inside a wall. It lies nearly in line with both of its
neighbours, seen from the scanner (what ROS calls a scan shadow). So do points of a wall that is seen
at a very flat angle; little is lost with them, since what they tell is not sure either.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from paddock.mapping.scan import Scan

FLAT = math.tan(math.radians(10))  # a line to a neighbour's end that is flatter than this to the beam is an edge
LEAST_DEPTH = 0.05  # [m] smaller steps are noise


def drop_mixed_pixels(scan: Scan) -> Scan:
    """The scan without ranges that have an edge on both sides; what is nearer than both neighbours stays.

    A thin thing that one beam meets is nearer than both. Beams beside one that met nothing stay, too: there is only one
    surface.
    """
    if len(scan.angles) < 3 or scan.origins is not None:
        return scan
    ranges, across = scan.ranges, np.diff(scan.angles)
    near, far = np.minimum(ranges[:-1], ranges[1:]), np.maximum(ranges[:-1], ranges[1:])
    with np.errstate(invalid="ignore"):  # NaN and infinity are no edges
        depth = far - near * np.cos(across)
        edge = np.isfinite(far) & (near * np.abs(np.sin(across)) < FLAT * depth) & (depth > LEAST_DEPTH)
        mixed: NDArray[np.bool_] = edge[:-1] & edge[1:] & (ranges[1:-1] > np.minimum(ranges[:-2], ranges[2:]))
    if not mixed.any():
        return scan
    cleaned = np.array(ranges, float)
    cleaned[1:-1][mixed] = np.nan
    return replace(scan, ranges=cleaned)
