"""USARSim's image server: a byte for the type, four for the length, the picture. Clients ask by `OK`, or by `U`."""

from __future__ import annotations

import io
import struct
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from paddock.core.errors import BadMessage

PORT = 5003
RAW, JPEG = 0, 1  # types: raw, then JPEG of falling quality up to 5
HEAD, SIZE, WINDOW = struct.Struct(">BI"), struct.Struct(">HH"), struct.Struct(">IIII")
QUALITY = 90  # of JPEG
LARGEST = 1 << 26  # bytes of a picture
NEXT, PART = b"OK", b"U"  # what clients ask for: a picture; or a part of one, and where
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


@dataclass(frozen=True, slots=True)
class ImageRequest:
    """What a client wants to see: all, or a window x, y, width, height [pixels from the upper left]."""

    window: tuple[int, int, int, int] | None = None

    def cut(self, picture: Picture) -> Picture:
        """That part of a picture; a window that lies outside is moved to its edge."""
        if self.window is None:
            return picture
        x, y, width, height = self.window
        rows, columns = picture.shape[:2]
        top, left = min(y, rows - 1), min(x, columns - 1)
        return np.ascontiguousarray(picture[top : max(y + height, top + 1), left : max(x + width, left + 1)])


class RequestSplitter:
    """Puts pieces of bytes together to requests; bytes that are none are skipped."""

    def __init__(self) -> None:
        self._rest = b""

    def feed(self, data: bytes) -> list[ImageRequest]:
        """The requests that are complete."""
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
