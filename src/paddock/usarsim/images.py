"""Frames of USARSim's image server: a byte for the type, four for the length, the picture. Clients answer `OK`."""

from __future__ import annotations

import io
import struct

import numpy as np
from numpy.typing import NDArray

from paddock.core.errors import BadMessage

PORT = 5003
RAW, JPEG = 0, 1  # types: raw, then JPEG of falling quality up to 5
HEAD, SIZE = struct.Struct(">BI"), struct.Struct(">HH")
QUALITY = 90  # of JPEG
LARGEST = 1 << 26  # bytes of a picture
NEXT = b"OK"  # what a client says when it wants another
Picture = NDArray[np.uint8]


def format_frame(picture: Picture, type: int = JPEG) -> bytes:
    """A picture [row, column, rgb] as the server sends it."""
    if type == RAW:
        height, width, _ = picture.shape
        data = SIZE.pack(width, height) + picture.tobytes()
    else:
        from PIL import Image

        file = io.BytesIO()
        Image.fromarray(picture).save(file, "JPEG", quality=QUALITY)
        data = file.getvalue()
    return HEAD.pack(type, len(data)) + data


class FrameSplitter:
    """Puts pieces of bytes together to pictures."""

    def __init__(self) -> None:
        self._rest = b""

    def feed(self, data: bytes) -> list[Picture]:
        """The pictures that are complete; a BadMessage if these are none."""
        self._rest += data
        pictures = []
        while len(self._rest) >= HEAD.size:
            type, length = HEAD.unpack_from(self._rest)
            if length > LARGEST or type > 5:
                raise BadMessage(f"image server: expected a type from 0 to 5 and a length, got {self._rest[:5]!r}")
            if len(self._rest) < HEAD.size + length:
                break
            pictures.append(read_picture(type, self._rest[HEAD.size : HEAD.size + length]))
            self._rest = self._rest[HEAD.size + length :]
        return pictures


def read_picture(type: int, data: bytes) -> Picture:
    """The picture of a frame."""
    if type == RAW:
        width, height = SIZE.unpack_from(data) if len(data) >= SIZE.size else (0, 0)
        if not width * height or len(data) != SIZE.size + 3 * width * height:
            raise BadMessage(f"image server: {len(data)} bytes are no raw picture of {width} × {height}")
        return np.frombuffer(data, np.uint8, offset=SIZE.size).reshape(height, width, 3)
    from PIL import Image

    try:
        return np.asarray(Image.open(io.BytesIO(data)).convert("RGB"))
    except OSError as error:
        raise BadMessage(f"image server: no JPEG picture: {error}") from None
