"""Messages of Player's protocol: a header of 40 bytes and a payload."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from enum import IntEnum
from typing import NamedTuple

from paddock.core.errors import BadMessage

HEADER = struct.Struct(">IIIIIIdII")
BANNER_BYTES = 32
LARGEST_REQUEST = 1 << 16  # maximum size of a payload from a client [bytes]
LARGEST_DATA = 1 << 24  # maximum size of a payload from a server, such as an image [bytes]


class MessageType(IntEnum):
    """Message types of Player."""

    DATA = 1
    COMMAND = 2
    REQUEST = 3
    ACK = 4
    SYNCH = 5
    NACK = 6


class PlayerAddress(NamedTuple):
    """Address of a device. In requests of clients, host and robot (the port) may be 0."""

    host: int
    robot: int
    interface: int
    number: int  # index among devices of the same interface


class PlayerMessage(NamedTuple):
    """A message; `time` is in seconds."""

    address: PlayerAddress
    type: int
    subtype: int
    time: float = 0.0
    sequence: int = 0
    payload: bytes = b""

    def pack(self) -> bytes:
        """Return the message as bytes."""
        header = HEADER.pack(*self.address, self.type, self.subtype, self.time, self.sequence, len(self.payload))
        return header + self.payload


def pack_banner(version: str) -> bytes:
    """Return the banner that a server sends first."""
    return f"Player v.{version}".encode()[: BANNER_BYTES - 1].ljust(BANNER_BYTES, b"\0")


class PlayerSplitter:
    """Splits a stream of bytes into messages."""

    def __init__(self, largest: int = LARGEST_REQUEST) -> None:
        self._rest, self._largest = b"", largest

    def feed(self, data: bytes) -> Iterator[PlayerMessage]:
        """Add bytes and yield the messages that they complete."""
        data, at = self._rest + data, 0
        self._rest = b""
        while len(data) - at >= HEADER.size:
            *address, type, subtype, time, sequence, size = HEADER.unpack_from(data, at)
            if not 1 <= type <= len(MessageType) or size > self._largest:
                raise BadMessage(
                    f"expected a type from 1 to {len(MessageType)} and at most {self._largest} bytes of payload, got "
                    f"type {type} and {size} bytes: is this Player's protocol?"
                )
            start = at + HEADER.size
            if len(data) < start + size:
                break
            at = start + size
            yield PlayerMessage(PlayerAddress(*address), type, subtype, time, sequence, data[start:at])
        self._rest = data[at:]
