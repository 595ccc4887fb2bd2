"""PacketReader: splits the byte stream of an e-puck2 on Wi-Fi into packets, requested or not."""

from __future__ import annotations

from typing import NamedTuple

from paddock.core.errors import BadMessage
from paddock.epuck import packets


class Packet(NamedTuple):
    """A packet from the robot."""

    kind: int  # IMAGE, SENSORS or NOTHING
    data: bytes


class PacketReader:
    """Splits received bytes into packets. Packets have no end mark and no checksum; the first byte gives the length."""

    def __init__(self) -> None:
        self._waiting = bytearray()

    def feed(self, data: bytes) -> list[Packet]:
        """Add bytes. Return the packets that they complete."""
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
        """Number of bytes that are missing from a partly received packet; 0 between two packets."""
        return 1 + packets.SIZES[self._waiting[0]] - len(self._waiting) if self._waiting else 0
