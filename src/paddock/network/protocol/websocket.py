"""WebSocket frames: this module reads unfragmented messages; the parser of the `websockets` package reads the rest.

A lock-step cycle consists of two unfragmented messages. The package's parser is a chain of generators. For a frame that
has arrived in one piece, this module takes a quarter of the time (see docs/network/remote.md).
"""

from __future__ import annotations

import os
import struct

from websockets.frames import Frame, Opcode
from websockets.protocol import Protocol, State

try:
    from websockets.speedups import apply_mask
except ImportError:  # platforms for which the package has no compiled part
    from websockets.utils import apply_mask

TEXT, BINARY = 0x81, 0x82  # first bytes of a frame that is a whole message
KNOWN = frozenset((0, 1, 2, 8, 9, 10))  # opcodes
MASKED = 0x80  # bit of the second byte
TOO_BIG = 1009  # close code


def frame(data: bytes, *, text: bool = False) -> bytes:
    """Return the frame of a message from a server."""
    return _head(TEXT if text else BINARY, 0, len(data)) + data


def masked_frame(data: bytes) -> bytes:
    """Return the masked frame of a binary message from a client."""
    mask = os.urandom(4)
    return _head(BINARY, MASKED, len(data)) + mask + apply_mask(data, mask)


def _head(first: int, masked: int, size: int) -> bytes:
    if size < 126:
        return bytes((first, masked | size))
    if size < 65536:
        return struct.pack("!BBH", first, masked | 126, size)
    return struct.pack("!BBQ", first, masked | 127, size)


class MessageReader:
    """Splits received data into messages.

    Args:
        protocol: the package's protocol, after its handshake; it receives only complete frames: control frames,
            fragments and protocol violations.
        masked: whether frames must be masked; frames from clients must be.
        most: maximum bytes of a message; a longer one fails the connection.
    """

    def __init__(self, protocol: Protocol, *, masked: bool, most: int) -> None:
        self.protocol, self.masked, self.most = protocol, masked, most
        self.frames = 0  # data frames so far
        self.has_replies = False  # whether the protocol may have something to send
        self._rest = bytearray()  # an incomplete frame
        self._in_pieces = False  # whether a fragmented message has begun
        self._parts: list[bytes] = []
        self._text, self._size = False, 0  # of the fragmented message: whether it is text, and its size so far

    def feed(self, data: bytes) -> list[tuple[bool, bytes]]:
        """Return the messages that are now complete, as pairs of is-text flag and payload."""
        messages: list[tuple[bool, bytes]] = []
        buffer: bytes | bytearray = data
        if self._rest:
            self._rest += data
            buffer = self._rest
        at, there, masked = 0, len(buffer), self.masked
        while there - at >= 2:
            first, second = buffer[at], buffer[at + 1]
            if first & 0x7F not in KNOWN or second >> 7 != masked:
                self._feed_package(bytes(buffer[at:]), messages)  # this closes the connection
                at = there
                break
            size, start = second & 0x7F, at + 2
            if size > 125:
                start += 2 if size == 126 else 8
                if start > there:
                    break
                size = int.from_bytes(buffer[at + 2 : start], "big")
            if size + self._size > self.most:
                self.has_replies = True
                self.protocol.fail(TOO_BIG, f"a message has {size + self._size} bytes: at most {self.most} are allowed")
                at = there
                break
            if second & MASKED:
                start += 4
            end = start + size
            if end > there:
                break
            whole = first in (BINARY, TEXT)
            if whole and not self._in_pieces and self.protocol.state is State.OPEN:
                self.frames += 1
                payload = (
                    apply_mask(buffer[start:end], buffer[start - 4 : start]) if masked else bytes(buffer[start:end])
                )
                messages.append((first == TEXT, payload))
            else:
                self._feed_package(bytes(buffer[at:end]), messages)
            at = end
        if buffer is data:
            if at < there:
                self._rest = bytearray(data[at:])
        else:
            del self._rest[:at]
        return messages

    def _feed_package(self, data: bytes, messages: list[tuple[bool, bytes]]) -> None:
        self.has_replies = True
        self.protocol.receive_data(data)
        for event in self.protocol.events_received():
            if isinstance(event, Frame) and event.opcode in (Opcode.TEXT, Opcode.BINARY, Opcode.CONT):
                self.frames += 1
                if event.opcode is not Opcode.CONT:
                    self._text = event.opcode is Opcode.TEXT
                if event.data:
                    self._parts.append(bytes(event.data))
                    self._size += len(event.data)
                self._in_pieces = not event.fin
                if event.fin:
                    messages.append((self._text, b"".join(self._parts)))
                    self._parts, self._size = [], 0
