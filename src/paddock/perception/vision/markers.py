"""Find ArUco markers in a picture, with subpixel corners."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from paddock.core.errors import PaddockError
from paddock.perception.vision.camera_model import Floats
from paddock.perception.vision.opencv import DICTIONARY, import_opencv

ROUNDS = 2  # the second starts from the result of the first
REACH = 0.55  # search distance from the edge, in cells; farther away are other cells
LEAST_REACH, MAX_REACH = 1.5, 4.0  # limits of the search distance [pixels]
ENDS = 0.15  # share of an edge that is left out at each end
STEP = 0.25  # [pixels] between two samples across an edge
LEAST_STEP_HEIGHT = 20.0  # minimum contrast of an edge [grey levels]
CELLS = 6  # cells per side of a marker
Pixels8 = NDArray[np.uint8]
THRESHOLDS = (30, 7, 50)  # grey levels by which ink is darker than its surroundings
SOFT = 0.5  # blur against noise [pixels], before edges are measured
SMALL = 900  # width [pixels] below which pictures are enlarged first, so that markers of 14 pixels are found


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


def find_markers(picture: Pixels8, numbers: Iterable[int] = ()) -> dict[int, Floats]:
    """Return the corners [pixels] of markers by number, clockwise from the upper left, shape (4, 2) each.

    Args:
        picture: uint8 (row, column, rgb) or grey (row, column).
        numbers: the numbers to find; if some are not found, other thresholds are tried. Empty: all markers.
    """
    cv2 = import_opencv("finding markers")
    grey = to_grey(picture)
    enlarged = 2 if grey.shape[1] < SMALL else 1
    if enlarged > 1:
        grey = cv2.resize(grey, None, fx=enlarged, fy=enlarged, interpolation=cv2.INTER_CUBIC)
    soft = cv2.GaussianBlur(grey, (0, 0), SOFT * enlarged).astype(np.float32)
    chosen, found = set(numbers), dict[int, Floats]()
    for threshold in THRESHOLDS:
        for number, rough in _detect(grey, threshold).items():
            is_new = number not in found and (not chosen or number in chosen)
            corners = refine_corners(soft, rough) if is_new else None
            if corners is not None:
                # OpenCV's coordinate 0 is the middle of pixel 0, which is at 0.5 of its width in both pictures.
                found[number] = (corners + 0.5) / enlarged - 0.5
        if chosen <= found.keys():
            break
    return found


def _detect(grey: Pixels8, threshold: int) -> dict[int, Floats]:
    """Return the corners of markers, without markers that are found twice, because either may be wrong."""
    corners, numbers, _ = _detector(threshold).detectMarkers(grey)
    seen = [] if numbers is None else np.ravel(numbers).tolist()
    return {
        number: quad.reshape(4, 2).astype(float)
        for quad, number in zip(corners, seen, strict=True)
        if seen.count(number) == 1
    }


def to_grey(picture: Pixels8) -> Pixels8:
    """Convert a picture to grey."""
    pixels = np.ascontiguousarray(picture).view(np.ndarray)
    if pixels.ndim == 2 and pixels.dtype == np.uint8 and pixels.size:
        return pixels
    check_colours(pixels, "(row, column) or (row, column, 3)")
    cv2 = import_opencv("looking at pictures")
    grey: Pixels8 = cv2.cvtColor(pixels, cv2.COLOR_RGB2GRAY)
    return grey


def check_colours(pixels: Pixels8, shapes: str = "(row, column, 3)") -> None:
    """Raise an error unless an array is a picture in colour; `shapes` describes what is expected."""
    if pixels.dtype != np.uint8 or pixels.ndim != 3 or pixels.shape[2] != 3 or not pixels.size:
        raise PaddockError(
            f"a picture: expected uint8 of shape {shapes} with pixels, got {pixels.dtype} {pixels.shape}"
        )


@lru_cache(maxsize=len(THRESHOLDS))
def _detector(threshold: int) -> Any:
    aruco = import_opencv("finding markers").aruco
    settings = aruco.DetectorParameters()
    settings.adaptiveThreshConstant = threshold
    settings.minMarkerPerimeterRate = 0.02
    return aruco.ArucoDetector(aruco.getPredefinedDictionary(getattr(aruco, DICTIONARY)), settings)
