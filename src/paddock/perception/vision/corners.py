"""Subpixel corners of markers: intersections of straight lines fitted to the edges of the black frame.

A line uses all pixels of an edge, while the neighbourhood of a corner contains only a few of them.
"""

from __future__ import annotations

import numpy as np

from paddock.perception.vision.lens import Floats
from paddock.perception.vision.opencv import import_opencv

ROUNDS = 2  # the second starts from the result of the first
REACH = 0.55  # search distance from the edge, in cells; farther away are other cells
LEAST_REACH, MAX_REACH = 1.5, 4.0  # limits of the search distance [pixels]
ENDS = 0.15  # share of an edge that is left out at each end
STEP = 0.25  # [pixels] between two samples across an edge
LEAST_STEP_HEIGHT = 20.0  # minimum contrast of an edge [grey levels]
CELLS = 6  # cells per side of a marker


def refine_corners(grey: Floats, corners: Floats) -> Floats | None:
    """Return refined corners of a marker, shape (4, 2); None if its edges cannot be detected.

    Args:
        grey: the picture, float32, slightly blurred.
        corners: clockwise from the upper left, correct within one or two pixels.
    """
    for _ in range(ROUNDS):
        lines = [_fit_edge(grey, a, b) for a, b in zip(corners, np.roll(corners, -1, axis=0), strict=True)]
        found = [line for line in lines if line is not None]
        if len(found) < 4:
            return None
        corners = np.array([_intersect(found[k - 1], found[k]) for k in range(4)])
    return corners


def _fit_edge(grey: Floats, a: Floats, b: Floats) -> tuple[Floats, float] | None:
    """Fit a line to the edge from a to b. Return its unit normal n and n·p of its points p."""
    cv2 = import_opencv("finding markers")
    length = float(np.hypot(*(b - a)))
    if length < 6:
        return None
    along = (b - a) / length
    out = np.array([along[1], -along[0]])  # clockwise, with y down: out of the marker
    reach = min(MAX_REACH, max(LEAST_REACH, REACH * length / CELLS))
    places = np.linspace(ENDS, 1 - ENDS, max(6, round(length)))
    offsets = np.arange(-reach, reach + STEP / 2, STEP)
    feet = a + places[:, None] * (b - a)
    looks = (feet[:, None] + offsets[None, :, None] * out).astype(np.float32)
    levels = cv2.remap(grey, looks[..., 0], looks[..., 1], cv2.INTER_LINEAR)
    rises = np.clip(np.diff(levels, axis=1), 0, None)  # ink inside, white outside
    total = rises.sum(axis=1)
    clear = total > LEAST_STEP_HEIGHT
    if np.count_nonzero(clear) < 4:
        return None
    middle = (rises * (offsets[1:] + offsets[:-1]) / 2).sum(axis=1)[clear] / total[clear]
    points = feet[clear] + middle[:, None] * out
    normal, level = _fit_line(points)
    miss = np.abs(points @ normal - level)
    return _fit_line(points[miss <= 2 * np.median(miss) + 0.05])


def _fit_line(points: Floats) -> tuple[Floats, float]:
    """Return the normal and level of the least-squares line."""
    centre = points.mean(axis=0)
    normal: Floats = np.linalg.svd(points - centre, full_matrices=False)[2][1]
    return normal, float(normal @ centre)


def _intersect(first: tuple[Floats, float], second: tuple[Floats, float]) -> Floats:
    return np.linalg.solve(np.array([first[0], second[0]]), np.array([first[1], second[1]]))
