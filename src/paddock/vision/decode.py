"""Pictures from bytes and files. What would fill the memory is refused before it is decoded."""

from __future__ import annotations

import io
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np
from PIL import Image
from PIL.JpegImagePlugin import JpegImageFile

from paddock.core.errors import PaddockError
from paddock.core.values import Picture, as_picture

MOST_PIXELS = 40_000_000  # 8K cameras have 33 million


class PictureTooLarge(PaddockError):
    """A picture whose head tells of too many pixels."""


class DamagedPicture(PaddockError):
    """Bytes that are no picture, or only a part of one."""


def decode_jpeg(jpeg: bytes) -> Picture:
    """The picture of a camera, uint8 of shape (row, column, 3); a DamagedPicture or PictureTooLarge is raised."""
    return _decode(lambda: JpegImageFile(io.BytesIO(jpeg)))


def read_picture(file: Path) -> Picture:
    """A picture of any format, uint8 of shape (row, column, 3); a DamagedPicture or PictureTooLarge is raised."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", Image.DecompressionBombWarning)  # our own limit is lower
        return _decode(lambda: Image.open(file))


def _decode(open_picture: Callable[[], Image.Image]) -> Picture:
    try:
        with open_picture() as picture:  # only the head is read
            width, height = picture.size
            if width * height <= MOST_PIXELS:
                return as_picture(np.asarray(picture.convert("RGB")))
        size = f"{width} × {height} pixels"
    except Image.DecompressionBombError:
        size = "many times too many pixels"
    except Exception as error:  # what Pillow raises depends on where a file is damaged
        raise DamagedPicture(f"no picture, or damaged, or cut: {error}") from None
    raise PictureTooLarge(
        f"a picture of {size}: expected at most {MOST_PIXELS // 10**6} million; choose a smaller size in the camera"
    )
