"""CBOR messages with raw bytes: the compression `cbor-raw` of rosbridge, which Foxglove requests."""

from __future__ import annotations

import struct

NUMBER, BYTES, TEXT, MAP = 0, 2, 3, 5  # major types of CBOR


def pack_raw(topic: str, seconds: int, nanoseconds: int, data: bytes) -> bytes:
    """Encode a publication: {"op": "publish", "topic": …, "msg": {"secs": …, "nsecs": …, "bytes": …}}."""
    stamp = [pack_text("secs"), pack_head(NUMBER, seconds), pack_text("nsecs"), pack_head(NUMBER, nanoseconds)]
    parts = [pack_head(MAP, 3), pack_text("op"), pack_text("publish"), pack_text("topic"), pack_text(topic)]
    parts += [pack_text("msg"), pack_head(MAP, 3), *stamp, pack_text("bytes"), pack_head(BYTES, len(data)), data]
    return b"".join(parts)


def pack_text(text: str) -> bytes:
    """Encode a text."""
    data = text.encode()
    return pack_head(TEXT, len(data)) + data


def pack_head(major: int, number: int) -> bytes:
    """Encode the head of a value: its type, and its number or length."""
    if number < 24:
        return bytes([major << 5 | number])
    return struct.pack(">BB", major << 5 | 24, number) if number < 256 else struct.pack(">BI", major << 5 | 26, number)
