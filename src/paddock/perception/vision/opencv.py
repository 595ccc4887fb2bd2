"""OpenCV, imported at its first use."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from paddock.core.errors import PaddockError

DICTIONARY = "DICT_4X4_50"


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
            f"{what} needs OpenCV: pip install 'paddock[vision]', or pip install 'opencv-python-headless>=5'"
        ) from None
    if not hasattr(cv2, "aruco"):
        raise PaddockError(
            f"{what} needs OpenCV 5 or later, this is {cv2.__version__} without markers: "
            "`pip install --upgrade 'opencv-python-headless>=5'`"
        )
    return cv2
