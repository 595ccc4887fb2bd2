"""Decode pictures from bytes and files. Pictures that are too large are rejected before they are decoded."""

from __future__ import annotations

import io
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np
from PIL import Image
from PIL.JpegImagePlugin import JpegImageFile

from paddock.core.errors import PaddockError
from paddock.core.named_arrays import Picture, as_picture

MAX_PIXELS = 40_000_000  # 8K cameras have 33 million


class PictureTooLarge(PaddockError):
    """A picture with too many pixels according to its header."""


class DamagedPicture(PaddockError):
    """Bytes that are not a picture, or only a part of one."""


def decode_jpeg(jpeg: bytes) -> Picture:
    """Decode a picture to uint8 of shape (row, column, 3). Raise DamagedPicture or PictureTooLarge."""
    return _decode(lambda: JpegImageFile(io.BytesIO(jpeg)))


def read_picture(file: Path) -> Picture:
    """Read a picture of any format as uint8 of shape (row, column, 3). Raise DamagedPicture or PictureTooLarge."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", Image.DecompressionBombWarning)  # MAX_PIXELS is lower
        return _decode(lambda: Image.open(file))


def _decode(open_picture: Callable[[], Image.Image]) -> Picture:
    try:
        with open_picture() as picture:  # reads only the header
            width, height = picture.size
            if width * height <= MAX_PIXELS:
                return as_picture(np.asarray(picture.convert("RGB")))
        size = f"{width} × {height} pixels"
    except Image.DecompressionBombError:
        size = "many times too many pixels"
    except Exception as error:  # Pillow raises different exceptions, depending on the damage
        raise DamagedPicture(f"not a picture, or damaged or incomplete: {error}") from None
    raise PictureTooLarge(
        f"a picture of {size}: expected at most {MAX_PIXELS // 10**6} million; choose a smaller size in the camera"
    )
