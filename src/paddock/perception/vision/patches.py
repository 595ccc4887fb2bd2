"""Find robots without a marker as coloured patches in the plane of their lids."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from paddock.core.errors import PaddockError, SpecError
from paddock.core.rules import is_color, rgb
from paddock.perception.vision.camera_model import CameraModel
from paddock.perception.vision.markers import Pixels8, check_colours
from paddock.perception.vision.opencv import import_opencv

HUE_BAND = 12  # tolerance of the hue, of 180
LEAST_SATURATION, LEAST_VALUE = 70, 40  # of 255: paler or darker pixels have no hue


class ColourPatch(NamedTuple):
    """A coloured patch."""

    x: float  # centre [m]
    y: float
    area: float  # [m²]
    roundness: float  # 1: a disc


def find_patches(
    picture: Pixels8, color: str, camera: CameraModel, height: float, *, radius: float, tolerance: float = 0.45
) -> list[ColourPatch]:
    """Find patches of a colour with about the area of a disc, the largest first.

    Args:
        picture: uint8 (row, column, rgb).
        color: such as `#4c9f70`; it must have a hue.
        camera: the calibrated camera.
        height: height of the plane of the patches [m].
        radius: radius of the disc [m].
        tolerance: allowed deviation of the area, as a share.
    """
    cv2 = import_opencv("finding coloured patches")
    if not is_color(color):
        raise PaddockError(f"color {color!r}: expected a colour such as '#3366cc' or 'orange'")
    hue, saturation, _ = cv2.cvtColor(np.array([[rgb(color)]], np.uint8), cv2.COLOR_RGB2HSV)[0, 0].tolist()
    if saturation < LEAST_SATURATION:
        raise PaddockError(f"color {color!r}: expected a colour with a hue, not a grey")
    if not radius > 0:
        raise PaddockError(f"radius: expected metres > 0, got {radius!r}")
    pixels = np.ascontiguousarray(picture).view(np.ndarray)
    check_colours(pixels)
    soft = cv2.GaussianBlur(pixels, (0, 0), 1.0)
    hsv = cv2.cvtColor(soft, cv2.COLOR_RGB2HSV).astype(np.int16)
    off = np.abs((hsv[..., 0] - hue + 90) % 180 - 90)
    mask = (off <= HUE_BAND) & (hsv[..., 1] >= LEAST_SATURATION) & (hsv[..., 2] >= LEAST_VALUE)
    contours, _ = cv2.findContours(mask.astype(np.uint8), cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    wanted = math.pi * radius**2
    patches = []
    for contour in contours:
        if len(contour) < 8:
            continue
        try:
            points = camera.locate(contour.reshape(-1, 2).astype(float), height).astype(np.float32)
        except SpecError:  # it lies above the horizon
            continue
        area, around = cv2.contourArea(points), cv2.arcLength(points, True)
        if abs(area / wanted - 1) > tolerance:
            continue
        moments = cv2.moments(points)
        x, y = moments["m10"] / moments["m00"], moments["m01"] / moments["m00"]
        patches.append(ColourPatch(float(x), float(y), float(area), float(4 * math.pi * area / around**2)))
    return sorted(patches, key=lambda patch: -patch.area)
