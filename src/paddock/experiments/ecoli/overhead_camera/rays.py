"""Intersect the rays of pixels with a horizontal plane, in the frame of an object in that plane."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from paddock.experiments.ecoli.overhead_camera.pixels import Image32
from paddock.perception.vision.camera_model import CameraModel

Window = tuple[slice, slice]
"""Rows and columns of a picture."""

BESIDE = 4  # margin around an object for its blurred edge [pixels]


def find_window(model: CameraModel, x: float, y: float, radius: float, height: float) -> Window | None:
    """Return the part of the picture that shows an object [m] from the floor up to its height; None if outside."""
    box = [(x + dx, y + dy, z) for dx in (-radius, radius) for dy in (-radius, radius) for z in (0.0, height)]
    pixels = model.project(box)
    if np.isnan(pixels).any():
        return None
    width, rows = model.lens.size
    left, top = (math.floor(value) - BESIDE for value in pixels.min(axis=0))
    right, bottom = (math.ceil(value) + BESIDE for value in pixels.max(axis=0))
    left, top, right, bottom = max(0, left), max(0, top), min(width, right), min(rows, bottom)
    return (slice(top, bottom), slice(left, right)) if left < right and top < bottom else None


def frame_of_pixels(
    slopes: Image32, window: Window, model: CameraModel, height: float, pose: Sequence[float] | NDArray[np.float64]
) -> tuple[Image32, Image32]:
    """Return the points of a window's pixels in the plane at a height, in the frame of a pose x, y [m], heading [rad].

    `slopes` are those of all pixels, computed once: see `CameraModel.find_slopes`.
    """
    fall = np.float32(model.pose.height - height)
    x = slopes[(*window, 0)] * fall + np.float32(model.pose.at[0] - pose[0])
    y = slopes[(*window, 1)] * fall + np.float32(model.pose.at[1] - pose[1])
    c, s = np.float32(math.cos(pose[2])), np.float32(math.sin(pose[2]))
    return c * x + s * y, c * y - s * x
