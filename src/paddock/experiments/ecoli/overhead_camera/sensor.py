"""The camera's sensor: noise and JPEG. Random numbers are counter-based and depend only on (seed, picture)."""

from __future__ import annotations

import io
from functools import lru_cache
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from paddock.experiments.ecoli.overhead_camera.pixels import Image32

NOISE_STREAM, LINK_STREAM = 0, 1
Bytes = NDArray[np.uint8]


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
