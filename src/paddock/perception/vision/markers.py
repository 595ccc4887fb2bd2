"""Find ArUco markers in a picture, with subpixel corners."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from paddock.core.errors import PaddockError
from paddock.perception.vision.corners import refine_corners
from paddock.perception.vision.lens import Floats
from paddock.perception.vision.opencv import DICTIONARY, import_opencv

Pixels8 = NDArray[np.uint8]
THRESHOLDS = (30, 7, 50)  # grey levels by which ink is darker than its surroundings
SOFT = 0.5  # blur against noise [pixels], before edges are measured
SMALL = 900  # width [pixels] below which pictures are enlarged first, so that markers of 14 pixels are found


def find_markers(picture: Pixels8, wanted: Iterable[int] = ()) -> dict[int, Floats]:
    """Return the corners [pixels] of markers by number, clockwise from the upper left, shape (4, 2) each.

    Args:
        picture: uint8 (row, column, rgb) or grey (row, column).
        wanted: the numbers to find; if some are not found, other thresholds are tried. Empty: all markers.
    """
    cv2 = import_opencv("finding markers")
    grey = to_grey(picture)
    enlarged = 2 if grey.shape[1] < SMALL else 1
    if enlarged > 1:
        grey = cv2.resize(grey, None, fx=enlarged, fy=enlarged, interpolation=cv2.INTER_CUBIC)
    soft = cv2.GaussianBlur(grey, (0, 0), SOFT * enlarged).astype(np.float32)
    chosen, found = set(wanted), dict[int, Floats]()
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
