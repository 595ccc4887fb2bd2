"""PacketReader: packets of an e-puck2 on Wi-Fi out of a stream of bytes, whether they were asked for or not."""

from __future__ import annotations

from typing import NamedTuple

from paddock.core.errors import BadMessage
from paddock.epuck import packets


class Packet(NamedTuple):
    """What the robot said at once."""

    kind: int  # IMAGE, SENSORS or NOTHING
    data: bytes


class PacketReader:
    """Takes bytes as they come. Packets have neither end nor checksum: the kind of the next shows where one ended."""

    def __init__(self) -> None:
        self._waiting = bytearray()

    def feed(self, data: bytes) -> list[Packet]:
        """Take some bytes; the packets that they end."""
        self._waiting += data
        found = []
        while self._waiting:
            size = packets.SIZES.get(self._waiting[0])
            if size is None:
                raise BadMessage(f"expected a packet of kind 1, 2 or 3, got {self._waiting[0]}")
            if len(self._waiting) <= size:
                break
            found.append(Packet(self._waiting[0], bytes(self._waiting[1 : 1 + size])))
            del self._waiting[: 1 + size]
        return found

    @property
    def missing(self) -> int:
        """How many bytes are missing of a packet that has begun; 0 between two packets."""
        return 1 + packets.SIZES[self._waiting[0]] - len(self._waiting) if self._waiting else 0
