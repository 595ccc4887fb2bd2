"""The stream of an IP camera as the parts of a multipart response. An incomplete part ends at the next boundary."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Protocol

from paddock.core.errors import LinkError

CHUNK = 65536
LONGEST_HEAD = 16384  # bytes


class Bytestream(Protocol):
    """A stream that returns the available bytes, and none at its end."""

    def read1(self, amount: int = -1, /) -> bytes: ...


class GrowingBuffer:
    """Buffers the bytes of a stream. Searched bytes are not searched again when more bytes arrive."""

    def __init__(self, stream: Bytestream) -> None:
        self._stream, self._bytes = stream, bytearray()

    def take_until(self, mark: bytes, most: int, length: int | None = None) -> bytes | None:
        """Remove and return the bytes before a mark, or the first `length` bytes if the mark is not among them.

        The mark stays in the buffer. Return None if the stream ended.

        Raises:
            LinkError: there are more than `most` bytes without the mark.
        """
        searched = 0
        while True:
            end = self._bytes.find(mark, searched)
            if end < 0 and length is not None and len(self._bytes) >= length:
                end = length
            if end >= 0:
                taken = bytes(self._bytes[:end])
                del self._bytes[:end]
                return taken
            if len(self._bytes) > most:
                raise LinkError(f"more than {most} bytes without {mark.decode('latin-1')!r}")
            searched = max(0, len(self._bytes) - len(mark) + 1)
            chunk = self._stream.read1(CHUNK)
            if not chunk:
                return None
            self._bytes += chunk


def read_boundary(content_type: str) -> bytes:
    """Return the boundary of a Content-Type header. Cameras write it with or without its dashes."""
    found = re.search(r'boundary\s*=\s*"?([^";]+)"?', content_type, re.IGNORECASE)
    if found is None:
        raise LinkError(f"a stream without a boundary between its pictures: {content_type}")
    return b"--" + found[1].strip().removeprefix("--").encode("latin-1")


def read_parts(stream: Bytestream, boundary: bytes, largest: int) -> Iterator[tuple[dict[str, str], bytes]]:
    """Yield headers (in lower case) and body of each part. A wrong Content-Length is tolerated."""
    buffer = GrowingBuffer(stream)
    while buffer.take_until(boundary, largest) is not None:
        head = buffer.take_until(b"\r\n\r\n", LONGEST_HEAD)
        if head is None:
            return
        headers = _read_headers(head)
        length = _read_length(headers)
        body = buffer.take_until(boundary, largest, None if length is None else 4 + length)
        if body is None:
            return
        yield headers, body[4:].removesuffix(b"\r\n") if length is None else body[4 : 4 + length]


def _read_length(headers: dict[str, str]) -> int | None:
    text = headers.get("content-length", "")
    return int(text) if re.fullmatch(r"\d{1,9}", text, re.ASCII) else None


def _read_headers(head: bytes) -> dict[str, str]:
    lines = head.decode("latin-1").split("\r\n")[1:]
    pairs = [line.partition(":") for line in lines if ":" in line]
    return {key.strip().lower(): value.strip() for key, _, value in pairs}
