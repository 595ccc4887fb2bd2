"""USARSim's image server: frames of type (1 byte), length (4 bytes) and image, and the client requests `OK` and `U`."""

from __future__ import annotations

import io
import struct
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from paddock.core.errors import BadMessage

RAW, JPEG = 0, 1  # types: raw; JPEG from 1 to 5, with decreasing quality
HEAD, SIZE, WINDOW = struct.Struct(">BI"), struct.Struct(">HH"), struct.Struct(">IIII")
QUALITY = 90  # JPEG quality
LARGEST = 1 << 26  # maximum size of an image [bytes]
NEXT, PART = b"OK", b"U"  # requests of clients: the next image; a part of an image, followed by its window
Picture = NDArray[np.uint8]


def format_frame(picture: Picture, type: int = JPEG) -> bytes:
    """Return an image [row, column, rgb] as a frame of the server."""
    if type == RAW:
        height, width, _ = picture.shape
        data = SIZE.pack(width, height) + picture.tobytes()
    else:
        from PIL import Image

        file = io.BytesIO()
        Image.fromarray(picture).save(file, "JPEG", quality=QUALITY)
        data = file.getvalue()
    return HEAD.pack(type, len(data)) + data


@dataclass(frozen=True, slots=True)
class ImageRequest:
    """A request for an image: all of it, or a window x, y, width, height [pixels from the upper left]."""

    window: tuple[int, int, int, int] | None = None

    def cut(self, picture: Picture) -> Picture:
        """Return the requested part of an image; a window outside of the image is moved to its edge."""
        if self.window is None:
            return picture
        x, y, width, height = self.window
        rows, columns = picture.shape[:2]
        top, left = min(y, rows - 1), min(x, columns - 1)
        return np.ascontiguousarray(picture[top : max(y + height, top + 1), left : max(x + width, left + 1)])


class RequestSplitter:
    """Splits a stream of bytes into requests; other bytes are skipped."""

    def __init__(self) -> None:
        self._rest = b""

    def feed(self, data: bytes) -> list[ImageRequest]:
        """Add bytes and return the complete requests."""
        self._rest += data
        requests = []
        while self._rest:
            is_part = self._rest[:1] == PART
            length = 1 + WINDOW.size if is_part else len(NEXT)
            if (is_part or self._rest[:1] == NEXT[:1]) and len(self._rest) < length:
                break
            if is_part:
                requests.append(ImageRequest(WINDOW.unpack_from(self._rest, 1)))
            elif self._rest[:length] == NEXT:
                requests.append(ImageRequest())
            else:
                length = 1
            self._rest = self._rest[length:]
        return requests


class FrameSplitter:
    """Splits a stream of bytes into images."""

    def __init__(self) -> None:
        self._rest = b""

    def feed(self, data: bytes) -> list[Picture]:
        """Add bytes and return the complete images. Raise BadMessage for invalid data."""
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
    """Decode the image of a frame."""
    if type == RAW:
        width, height = SIZE.unpack_from(data) if len(data) >= SIZE.size else (0, 0)
        if not width * height or len(data) != SIZE.size + 3 * width * height:
            raise BadMessage(f"image server: expected a raw image of {width} × {height} pixels, got {len(data)} bytes")
        return np.frombuffer(data, np.uint8, offset=SIZE.size).reshape(height, width, 3)
    from PIL import Image

    try:
        return np.asarray(Image.open(io.BytesIO(data)).convert("RGB"))
    except OSError as error:
        raise BadMessage(f"image server: expected a JPEG image: {error}") from None
