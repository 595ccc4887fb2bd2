"""Decode pictures, and OpenCV, imported at its first use."""

from __future__ import annotations

import importlib
import io
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image
from PIL.JpegImagePlugin import JpegImageFile

from paddock.core.errors import PaddockError
from paddock.core.files import refuse_special_file
from paddock.core.observation import Picture, as_picture
from paddock.core.packages import install_extra

DICTIONARY = "DICT_4X4_50"
MAX_PIXELS = 40_000_000  # 8K cameras have 33 million


@contextmanager
def use_one_thread(cv2: Any) -> Iterator[None]:
    """Let OpenCV compute with one thread in a block."""
    before = cv2.getNumThreads()
    cv2.setNumThreads(1)
    try:
        yield
    finally:
        cv2.setNumThreads(before)


def import_opencv(what: str) -> Any:
    """Return the module cv2. Raise an error with installation instructions if it is missing or too old."""
    try:
        cv2 = importlib.import_module("cv2")
    except ImportError:
        raise PaddockError(
            f"{what} needs OpenCV: {install_extra('vision')}, or pip install 'opencv-python-headless>=5'"
        ) from None
    if not hasattr(cv2, "aruco"):
        raise PaddockError(
            f"{what} needs OpenCV 5 or later, this is {cv2.__version__} without markers: "
            "`pip install --upgrade 'opencv-python-headless>=5'`"
        )
    return cv2


class PictureTooLarge(PaddockError):
    """A picture with too many pixels according to its header."""


class DamagedPicture(PaddockError):
    """Bytes that are not a picture, or only a part of one."""


def decode_jpeg(jpeg: bytes) -> Picture:
    """Decode a picture to uint8 of shape (row, column, 3). Raise DamagedPicture or PictureTooLarge."""
    return _decode(lambda: JpegImageFile(io.BytesIO(jpeg)))


def read_picture(file: Path) -> Picture:
    """Read a picture of any format as uint8 of shape (row, column, 3). Raise DamagedPicture or PictureTooLarge."""
    refuse_special_file(file)
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
