"""Operations on pixels: blur, interpolation, the camera's noise, and the rays that pixels see."""

from __future__ import annotations

import io
import math
from collections.abc import Sequence
from functools import lru_cache
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from paddock.perception.vision.camera_model import CameraModel

Image32 = NDArray[np.float32]
NOISE_STREAM, LINK_STREAM = 0, 1
Bytes = NDArray[np.uint8]
Window = tuple[slice, slice]
"""Rows and columns of a picture."""
BESIDE = 4  # margin around an object for its blurred edge [pixels]


def blur(picture: Image32, sigma: float) -> Image32:
    """Blur a picture (row, column[, channel]) with a Gaussian of a standard deviation [pixels]."""
    if sigma < 0.05:
        return picture
    reach = max(1, math.ceil(3.5 * sigma))
    weights = np.exp(-0.5 * (np.arange(-reach, reach + 1) / sigma) ** 2)
    weights /= weights.sum()
    for _ in range(2):  # columns, then rows
        length = len(picture)
        padded = np.concatenate([*[picture[:1]] * reach, picture, *[picture[-1:]] * reach])
        total = padded[:length] * np.float32(weights[0])
        for i, weight in enumerate(weights[1:], 1):
            total += padded[i : i + length] * np.float32(weight)
        picture = np.ascontiguousarray(total.swapaxes(0, 1))
    return picture


def sample(picture: Image32, rows: Image32, columns: Image32) -> Image32:
    """Sample a picture with bilinear interpolation. Beyond its edge, the values of the edge are used."""
    height, width = picture.shape[:2]
    rows, columns = np.clip(rows, 0, height - 1.001), np.clip(columns, 0, width - 1.001)
    top, left = rows.astype(np.int32), columns.astype(np.int32)
    down, right = (rows - top).astype(np.float32), (columns - left).astype(np.float32)
    flat = picture.reshape(height * width, -1)
    start = top * width + left
    extra = picture.shape[2:]
    down, right = (part.reshape(*part.shape, *(1 for _ in extra)) for part in (down, right))

    def take(offset: int) -> Image32:
        values: Image32 = flat.take(start + offset, axis=0).reshape(*start.shape, *extra)
        return values

    above = take(0) * (1 - right) + take(1) * right
    below = take(width) * (1 - right) + take(width + 1) * right
    return np.asarray(above * (1 - down) + below * down, np.float32)


def add_noise(picture: Image32 | Bytes, noise: float, seed: int, number: int) -> Bytes:
    """Add normal noise [grey levels] to a picture 0 … 255, and round and clip it."""
    levels = (picture + np.float32(0.5)).astype(np.int16)
    if noise:
        words = np.random.Philox(key=_key(seed, number, NOISE_STREAM)).random_raw(-(-picture.size // 8))
        chance = words.view(np.uint8)[: picture.size].reshape(picture.shape)
        levels += _noise_table(noise).take(chance)
    return np.clip(levels, 0, 255, out=levels).astype(np.uint8)


def draw_chances(seed: int, number: int, count: int) -> tuple[float, ...]:
    """Return random numbers in [0, 1) for a picture, for its loss and latency."""
    generator = np.random.Generator(np.random.Philox(key=_key(seed, number, LINK_STREAM)))
    return tuple(generator.random(count).tolist())


def encode_jpeg(picture: Bytes, quality: int) -> bytes:
    """Encode a picture as JPEG."""
    file = io.BytesIO()
    Image.fromarray(picture).save(file, "JPEG", quality=quality)
    return file.getvalue()


def _key(seed: int, number: int, stream: int) -> NDArray[np.uint64]:
    return np.array([seed & 0xFFFF_FFFF_FFFF_FFFF, (number << 1 | stream) & 0xFFFF_FFFF_FFFF_FFFF], np.uint64)


@lru_cache(maxsize=8)
def _noise_table(noise: float) -> NDArray[np.int16]:
    """Return the 256 equally likely values of the noise [grey levels]."""
    normal = NormalDist(0, noise)
    return np.array([round(normal.inv_cdf((k + 0.5) / 256)) for k in range(256)], np.int16)


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
