"""Operations on pictures: blur and bilinear interpolation."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

Image32 = NDArray[np.float32]


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
