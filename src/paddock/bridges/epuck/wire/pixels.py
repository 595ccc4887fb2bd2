"""Picture formats of e-puck cameras: grey, RGB565 with the high byte first, or YUV."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from paddock.core.errors import BadMessage

Pixels = NDArray[np.uint8]  # [row, column, rgb], upright
GREY, RGB565, YUV = 0, 1, 2  # the firmware's camera modes
BYTES_PER_PIXEL = {GREY: 1, RGB565: 2, YUV: 2}


def encode_pixels(picture: Pixels, mode: int = RGB565) -> bytes:
    """Return the bytes of a picture in the format of the camera."""
    if mode == RGB565:
        red, green, blue = (picture[..., part].astype(np.uint16) for part in range(3))
        return ((red >> 3) << 11 | (green >> 2) << 5 | blue >> 3).astype(">u2").tobytes()
    brightness = _brightness(picture)
    if mode == GREY:
        return brightness.astype(np.uint8).tobytes()
    # Two pixels share their colour, in the order U Y V Y.
    wide = picture.astype(np.float64).reshape(-1, 3)
    blueness, redness = wide[:, 2] - brightness.ravel(), wide[:, 0] - brightness.ravel()
    colours = np.where(np.arange(len(wide)) % 2 == 0, 0.492 * blueness, 0.877 * redness) + 128.0
    both = np.stack([colours, brightness.ravel()], axis=1)
    return np.clip(both, 0, 255).astype(np.uint8).tobytes()


def decode_pixels(pixels: bytes, width: int, height: int) -> Pixels:
    """Decode a colour picture of a camera (RGB565). Raise BadMessage if its size is wrong."""
    wanted = width * height * BYTES_PER_PIXEL[RGB565]
    if len(pixels) != wanted:
        raise BadMessage(f"image: expected {wanted} bytes for {width} × {height} pixels, got {len(pixels)}")
    words = np.frombuffer(pixels, ">u2").reshape(height, width).astype(np.uint16)
    red, green, blue = words >> 11, words >> 5 & 0x3F, words & 0x1F
    # The high bits fill the low ones, so that white stays white.
    parts = [red << 3 | red >> 2, green << 2 | green >> 4, blue << 3 | blue >> 2]
    return np.stack(parts, axis=2).astype(np.uint8)


def _brightness(picture: Pixels) -> NDArray[np.float64]:
    weighed: NDArray[np.float64] = picture.astype(np.float64) @ np.array([0.299, 0.587, 0.114])
    return weighed
