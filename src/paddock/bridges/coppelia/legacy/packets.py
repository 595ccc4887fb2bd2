"""Packets: framing of the messages of the legacy remote API over TCP."""

from __future__ import annotations

import struct
from collections.abc import Iterator

from paddock.core.errors import BadMessage

HEAD = struct.Struct("<hhh")  # 1, length of the payload, number of remaining packets
MAX_PAYLOAD = 1294  # bytes; 1300 with the header
LONGEST_MESSAGE, LONGEST_REPLY = 1 << 20, 1 << 24  # bytes, to and from a server


def split_packets(message: bytes) -> bytes:
    """Split a message into consecutive packets; all but the last have the same length."""
    if len(message) <= MAX_PAYLOAD:
        return HEAD.pack(1, len(message), 0) + message
    count = -(-len(message) // MAX_PAYLOAD)
    if count > 1 << 15:
        raise BadMessage(f"a message of {len(message)} bytes is too long for packets of {MAX_PAYLOAD}")
    parts = []
    for left in range(count - 1, -1, -1):
        start = (count - 1 - left) * MAX_PAYLOAD
        payload = message[start : start + MAX_PAYLOAD]
        parts += [HEAD.pack(1, len(payload), left), payload]
    return b"".join(parts)


class PacketJoiner:
    """Joins received packets into messages of at most `longest` bytes."""

    def __init__(self, longest: int = LONGEST_MESSAGE) -> None:
        self._longest = longest
        self._bytes = bytearray()
        self._message = bytearray()
        self._left: int | None = None  # remaining packets of an incomplete message

    def feed(self, data: bytes) -> Iterator[bytes]:
        """Add bytes and yield the complete messages. Raise `BadMessage` for an invalid packet; the rest is unusable."""
        self._bytes += data
        while len(self._bytes) >= HEAD.size:
            probe, length, left = HEAD.unpack_from(self._bytes)
            self._check(probe, length, left)
            if len(self._bytes) < HEAD.size + length:
                return
            self._message += self._bytes[HEAD.size : HEAD.size + length]
            del self._bytes[: HEAD.size + length]
            self._left = left
            if len(self._message) > self._longest:
                raise BadMessage(f"packet: expected a message of at most {self._longest} bytes")
            if left == 0:
                message, self._message, self._left = bytes(self._message), bytearray(), None
                yield message

    def _check(self, probe: int, length: int, left: int) -> None:
        if probe != 1:
            what = "it comes from a big-endian machine" if probe == 256 else f"it begins with {probe}"
            raise BadMessage(f"packet: expected 1 in little-endian order first; {what}")
        if length < 0 or left < 0:
            raise BadMessage(f"packet: expected a length and a count >= 0, got {length} and {left}")
        if self._left is not None and left != self._left - 1:
            raise BadMessage(f"packet: expected {self._left - 1} packets to come, got {left}")
