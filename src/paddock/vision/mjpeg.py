"""The stream of an IP camera: parts of a multipart answer. A part that was cut ends at the next boundary."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Protocol

from paddock.core.errors import LinkError

CHUNK = 65536


class Bytestream(Protocol):
    """What bytes are read from, as many as are there; none at its end."""

    def read1(self, amount: int = -1, /) -> bytes: ...


def read_boundary(content_type: str) -> bytes:
    """The boundary that a Content-Type names; cameras write it with or without its dashes."""
    found = re.search(r'boundary\s*=\s*"?([^";]+)"?', content_type, re.IGNORECASE)
    if found is None:
        raise LinkError(f"a stream without a boundary between its pictures: {content_type}")
    return b"--" + found[1].strip().removeprefix("--").encode("latin-1")


def read_parts(stream: Bytestream, boundary: bytes, largest: int) -> Iterator[tuple[dict[str, str], bytes]]:
    """Headers (in small letters) and body of each part; Content-Length is not believed."""
    buffer = bytearray()
    while True:
        start = buffer.find(boundary)
        head = buffer.find(b"\r\n\r\n", start) if start >= 0 else -1
        end = buffer.find(boundary, head + 4) if head >= 0 else -1
        length = _length(buffer[start:head]) if head >= 0 else None
        if end < 0 and length is not None and len(buffer) >= head + 4 + length:
            end = head + 4 + length  # whole, though the next boundary has not come yet
        if end < 0:
            if len(buffer) > largest:
                raise LinkError(f"a part of the stream is larger than {largest} bytes")
            chunk = stream.read1(CHUNK)
            if not chunk:
                return
            buffer += chunk
            continue
        headers = _read_headers(bytes(buffer[start:head]))
        body = bytes(buffer[head + 4 : end])
        del buffer[:end]
        yield headers, body.removesuffix(b"\r\n") if length is None else body[:length]


def _length(head: bytes | bytearray) -> int | None:
    found = re.search(rb"content-length:\s*(\d{1,9})", bytes(head), re.IGNORECASE)
    return int(found[1]) if found else None


def _read_headers(head: bytes) -> dict[str, str]:
    lines = head.decode("latin-1").split("\r\n")[1:]
    pairs = [line.partition(":") for line in lines if ":" in line]
    return {key.strip().lower(): value.strip() for key, _, value in pairs}
