"""ZMTP 3.0, the wire protocol of ZeroMQ sockets, without I/O: greeting, handshake without security, messages of frames.

With its own implementation, the server needs no thread of a messaging library between a request and its answer, and
detects when a client disconnects. The specification is RFC 23 of ZeroMQ, https://rfc.zeromq.org/spec/23.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator, Mapping

from paddock.core.errors import BadMessage

SIGNATURE = b"\xff" + bytes(8) + b"\x7f"
MECHANISM = b"NULL".ljust(20, b"\0")
GREETING = SIGNATURE + bytes((3, 0)) + MECHANISM + bytes(32)
MORE, LONG, COMMAND = 1, 2, 4  # flags of a frame
SHORT = 255  # maximum size of a frame with a short header [bytes]
LONGEST = {"REQ": 1 << 24, "REP": 1 << 20, "PUB": 1 << 10}  # maximum size of a received message [bytes]
MAX_FRAMES = 16  # maximum number of frames of a message
PARTNERS: Mapping[str, tuple[str, ...]] = {
    "REP": ("REQ", "DEALER"),
    "REQ": ("REP", "ROUTER"),
    "PUB": ("SUB", "XSUB"),
}


def pack_frame(body: bytes, flags: int = 0) -> bytes:
    """Return a frame with its header."""
    if len(body) <= SHORT:
        return bytes((flags, len(body))) + body
    return bytes((flags | LONG,)) + struct.pack(">Q", len(body)) + body


def pack_message(frames: Iterable[bytes]) -> bytes:
    """Return the frames of a message as bytes."""
    *first, last = frames
    return b"".join(pack_frame(frame, MORE) for frame in first) + pack_frame(last)


def pack_command(name: bytes, data: bytes) -> bytes:
    """Return a ZMTP command."""
    return pack_frame(bytes((len(name),)) + name + data, COMMAND)


def pack_ready(socket_type: str) -> bytes:
    """Return the READY command, which ends the handshake and contains the socket type."""
    named = ((b"Socket-Type", socket_type.encode()), (b"Identity", b""))
    data = b"".join(bytes((len(key),)) + key + struct.pack(">I", len(value)) + value for key, value in named)
    return pack_command(b"READY", data)


class ZmtpPeer:
    """One end of a connection. Send `greeting` first. `feed` yields complete messages and appends to `replies`."""

    greeting = GREETING

    def __init__(self, socket_type: str) -> None:
        """
        Args:
            socket_type: REP, REQ or PUB.
        """
        self.socket_type, self._longest = socket_type, LONGEST[socket_type]
        self.replies = b""  # protocol commands to be sent
        self.ready = False  # whether the handshake is completed
        self._greeted = False
        self._buffer = bytearray()
        self._needed = 0  # size of the buffer at which the next frame is complete
        self._frames: list[bytes] = []  # frames of an incomplete message
        self._held = 0  # total size of these frames [bytes]

    def feed(self, data: bytes) -> Iterator[list[bytes]]:
        """Add bytes and yield the complete messages. Raise `BadMessage` for a protocol error."""
        buffer, start = self._take(data), 0
        if not self._greeted and buffer:
            if not self._check_greeting(buffer):
                self._buffer += buffer
                return
            start = len(GREETING)
        while (head := self._read_header(buffer, start)) is not None:
            flags, at, end = head
            if end > len(buffer):
                self._needed = end - start
                break
            start, body = end, buffer[at:end]
            if flags & COMMAND:
                subscription = self._handle_command(body)
                if subscription is not None:
                    yield [subscription]
            elif not self.ready:
                raise BadMessage("ZMTP: expected a READY command before messages")
            else:
                self._add(body)
                if not flags & MORE:
                    frames, self._frames, self._held = self._frames, [], 0
                    yield frames
        self._buffer += buffer[start:]

    def _take(self, data: bytes) -> bytes:
        """Add bytes to the buffer and return the bytes to parse; none until a large frame is complete."""
        if not self._buffer:
            return data
        self._buffer += data
        if len(self._buffer) < self._needed:
            return b""
        data, self._needed = bytes(self._buffer), 0
        self._buffer.clear()
        return data

    def _check_greeting(self, buffer: bytes) -> bool:
        """Return whether the greeting is complete. Raise `BadMessage` as early as possible if it is wrong."""
        if buffer[:1] != SIGNATURE[:1] or (len(buffer) > 9 and not buffer[9] & 1):
            raise BadMessage("expected ZeroMQ's greeting")
        if len(buffer) > 10 and buffer[10] < 3:
            raise BadMessage(f"expected version 3 of ZeroMQ's protocol, got {buffer[10]}")
        if len(buffer) < len(GREETING):
            return False
        if buffer[12:32] != MECHANISM:
            raise BadMessage("expected ZeroMQ's mechanism NULL: security layers are not supported")
        self._greeted = True
        self.replies += pack_ready(self.socket_type)
        return True

    def _read_header(self, buffer: bytes, start: int) -> tuple[int, int, int] | None:
        """Return flags, start and end of a frame's body; None if the header is incomplete."""
        left = len(buffer) - start
        if left < 2:
            return None
        flags = buffer[start]
        if flags > MORE | LONG | COMMAND:
            raise BadMessage(f"ZMTP: unknown flags {flags:#x}")
        if not flags & LONG:
            return flags, start + 2, start + 2 + buffer[start + 1]
        if left < 9:
            return None
        (size,) = struct.unpack_from(">Q", buffer, start + 1)
        if size > self._longest:
            raise BadMessage(f"expected a message of at most {self._longest} bytes, got {size}")
        return flags, start + 9, start + 9 + size

    def _add(self, body: bytes) -> None:
        self._frames.append(body)
        self._held += len(body)
        if len(self._frames) > MAX_FRAMES or self._held > self._longest:
            raise BadMessage(f"expected a message of at most {MAX_FRAMES} frames and {self._longest} bytes")

    def _handle_command(self, body: bytes) -> bytes | None:
        """Execute a command. Return a subscription in the form of the message used before version 3.1."""
        name, data = body[1 : 1 + body[0]] if body else b"", body[1 + body[0] :] if body else b""
        if name == b"READY":
            kind = _read_properties(data).get(b"socket-type", b"").decode("ascii", "replace")
            if kind not in PARTNERS[self.socket_type]:
                expected = " or ".join(PARTNERS[self.socket_type])
                raise BadMessage(f"expected a socket of type {expected}, got {kind or 'none'}")
            self.ready = True
        elif name == b"PING":
            self.replies += pack_command(b"PONG", data[2:18])
        elif name == b"SUBSCRIBE":
            return b"\1" + data
        elif name == b"CANCEL":
            return b"\0" + data
        elif name == b"ERROR":
            raise BadMessage("the other side refused the connection")
        return None


def _read_properties(data: bytes) -> dict[bytes, bytes]:
    found, at = {}, 0
    while at < len(data):
        name = data[at + 1 : at + 1 + data[at]]
        at += 1 + data[at]
        if at + 4 > len(data):
            raise BadMessage("ZMTP: a READY command is too short")
        (size,) = struct.unpack_from(">I", data, at)
        found[name.lower()] = data[at + 4 : at + 4 + size]
        at += 4 + size
    return found
