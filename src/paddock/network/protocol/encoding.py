"""Encode and decode messages as msgpack (binary frames) or JSON (text frames), and the WebSocket frames around them.

An encoded message is a map with a key `type` and its fields; fields that have their default value are omitted.
JSON has no bytes and no NaN: bytes are base64 texts, and arrays of numbers are lists with null for NaN.
"""

from __future__ import annotations

import json
import math
import os
import struct
from collections.abc import Mapping
from typing import Any, Literal, Union

import msgspec
import numpy as np
from websockets.frames import Frame, Opcode
from websockets.protocol import Protocol, State

from paddock.core.errors import BadMessage
from paddock.network.protocol.message_base import Message
from paddock.network.protocol.message_faults import check_fields, find_class

try:
    from websockets.speedups import apply_mask
except ImportError:  # platforms for which the package has no compiled part
    from websockets.utils import apply_mask

Encoding = Literal["msgpack", "json"]
FLOAT64 = np.dtype("<f8")
UNREADABLE = (msgspec.MsgspecError, UnicodeError, RecursionError, OverflowError, BadMessage)


class Malformed(BadMessage):
    """The received data is not a valid message; `id` is the id of the request, if it could be read."""

    def __init__(self, problem: str, id: int | None = None) -> None:
        super().__init__(problem)
        self.id = id


class UnknownMessage(Malformed):
    """A message of an unknown type; a newer server may send such notifications."""


class MessageDecoder:
    """Decodes messages of known types. Anything else raises an error, except for additional fields of a newer peer.

    Args:
        known: the classes by the names of their types.
    """

    def __init__(self, known: Mapping[str, type[Message]]) -> None:
        self.known = dict(known)
        union: Any = Union[tuple(known.values())]  # noqa: UP007
        self._binary = msgspec.msgpack.Decoder(union, dec_hook=_to_array)
        self._text = msgspec.json.Decoder(union, dec_hook=_to_array)

    def decode(self, data: bytes | str, *, newer: bool = False) -> Message:
        """Decode a message from a binary (msgpack) or a text (JSON) frame.

        Args:
            data: the frame.
            newer: ignore unknown fields, because the peer has a newer minor version.
        """
        try:
            message: Message = (self._text if type(data) is str else self._binary).decode(data)  # type: ignore[arg-type]
        except UNREADABLE as error:
            return self._decode_slowly(data, error, newer)
        return message

    def _decode_slowly(self, data: bytes | str, error: Exception, newer: bool) -> Message:
        """Find the error and raise it with its location, or ignore additional fields of a newer peer."""
        kind = "JSON" if isinstance(data, str) else "msgpack"
        try:
            table = _FROM_JSON.decode(data) if isinstance(data, str) else msgspec.msgpack.decode(data)
        except RecursionError:
            raise Malformed(f"not valid {kind}: nested too deeply") from None
        except (*UNREADABLE, ValueError) as problem:
            raise Malformed(f"not valid {kind}: {str(problem).partition(';')[0]}") from None
        number = table.get("id") if type(table) is dict else None
        id = number if type(number) is int and 0 <= number < 2**31 else None
        if isinstance(error, BadMessage):
            raise Malformed(str(error), id)
        try:
            cls = find_class(table, self.known)
        except BadMessage as fault:
            raise UnknownMessage(str(fault), id) from None
        try:
            lenient = newer or cls.type in ("hello", "welcome")  # these contain the version of the peer
            check_fields(table, cls, _to_array, lenient=lenient)
            if not lenient:
                raise error
            message: Message
            if isinstance(data, str):
                message = self._text.decode(msgspec.json.encode(table))
            else:
                message = self._binary.decode(msgspec.msgpack.encode(table))
        except UNREADABLE as fault:
            raise Malformed(str(fault), id) from None
        return message


def encode(message: Message, encoding: Encoding = "msgpack") -> bytes:
    """Encode a message; JSON is UTF-8 and must be sent in a text frame."""
    return to_msgpack(message) if encoding == "msgpack" else to_json(message)


def _to_array(kind: type, value: Any) -> Any:
    """Convert bytes (msgpack) or a list with nulls (JSON) into an array."""
    if type(value) is bytes and len(value) % 8 == 0:
        return np.frombuffer(value, FLOAT64)
    if type(value) is list and all(type(entry) in (int, float, type(None)) for entry in value):
        return np.array([math.nan if entry is None else float(entry) for entry in value], np.float64)
    raise ValueError("expected bytes of float64, or a list of numbers and nulls")


def _to_bytes(value: Any) -> Any:
    """Convert a value that msgpack has no type for."""
    if type(value) is np.ndarray:
        return (value if value.dtype is FLOAT64 else value.astype(FLOAT64)).tobytes()
    return _plain_scalar(value)


def _to_list(value: Any) -> Any:
    """Convert a value that JSON has no type for."""
    return value.tolist() if isinstance(value, np.ndarray) else _plain_scalar(value)


def _plain_scalar(value: Any) -> Any:
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError(f"{type(value).__name__} cannot be sent")


def _no_constant(name: str) -> Any:
    raise ValueError(f"expected a number or null, got {name}")


_FROM_JSON = json.JSONDecoder(parse_constant=_no_constant)  # slower than msgspec, with better error messages
to_msgpack = msgspec.msgpack.Encoder(enc_hook=_to_bytes).encode
to_json = msgspec.json.Encoder(enc_hook=_to_list).encode


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
    """Splits received data into messages. It reads unfragmented ones itself, in a quarter of the package's time.

    Args:
        protocol: the package's protocol, after its handshake; it receives only complete frames: control frames,
            fragments and protocol violations.
        masked: whether frames must be masked; frames from clients must be.
        limit: maximum bytes of a message; a longer one fails the connection.
    """

    def __init__(self, protocol: Protocol, *, masked: bool, limit: int) -> None:
        self.protocol, self.masked, self.limit = protocol, masked, limit
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
            if size + self._size > self.limit:
                self.has_replies = True
                self.protocol.fail(
                    TOO_BIG, f"a message has {size + self._size} bytes: at most {self.limit} are allowed"
                )
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
