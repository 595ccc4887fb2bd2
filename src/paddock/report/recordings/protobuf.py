"""Minimal protocol buffers: messages as (field number, value), schemas, and arrays of messages of equal layout."""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

VARINT, FIXED64, BYTES = 0, 1, 2
Part = bytes | tuple[Any, ...]  # constant bytes, or a variable part: name, numpy type and optional shape
Kind = Literal["double", "string", "bytes", "bool", "int64", "doubles", "floats", "File"]
# Numbers of types and labels in a schema description.
TYPES = {"double": 1, "int64": 3, "bool": 8, "string": 9, "bytes": 12, "doubles": 1, "floats": 2}
OPTIONAL, REPEATED, MESSAGE = 1, 3, 11


def encode(fields: Sequence[tuple[int, Any]]) -> bytes:
    """Encode a message: floats as doubles, ints as varints, arrays packed, texts and bytes unchanged."""
    return b"".join(encode_field(number, value) for number, value in fields)


def encode_field(number: int, value: Any) -> bytes:
    """Encode one field; a nested message is given as its bytes."""
    if isinstance(value, float):
        return tag(number, FIXED64) + struct.pack("<d", value)
    if isinstance(value, int):
        return tag(number, VARINT) + varint(value)
    data = value.encode() if isinstance(value, str) else value.tobytes() if isinstance(value, np.ndarray) else value
    return tag(number, BYTES) + varint(len(data)) + data


def tag(number: int, wire: int) -> bytes:
    """Return the tag of a field."""
    return varint(number << 3 | wire)


def varint(value: int) -> bytes:
    """Encode an integer >= 0 in as few bytes as possible."""
    parts = []
    while value > 0x7F:
        parts.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*parts, value])


def decode(data: bytes) -> dict[int, list[Any]]:
    """Decode all fields of a message by number: varints as int, all others as bytes."""
    fields: dict[int, list[Any]] = {}
    at, view = 0, memoryview(data)
    while at < len(view):
        key, at = _read_varint(view, at)
        number, wire = key >> 3, key & 7
        value: Any
        if wire == VARINT:
            value, at = _read_varint(view, at)
        else:
            size = 8 if wire == FIXED64 else 4
            if wire == BYTES:
                size, at = _read_varint(view, at)
            value, at = view[at : at + size], at + size
        fields.setdefault(number, []).append(value)
    return fields


def _read_varint(view: memoryview, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = view[at]
        value |= (byte & 0x7F) << shift
        shift, at = shift + 7, at + 1
        if byte < 0x80:
            return value, at


def describe(messages: Mapping[str, Mapping[str, Kind]]) -> bytes:
    """Return a schema of the package `paddock` (a FileDescriptorSet), with fields in the order of their numbers."""
    described = [(4, encode([(1, name), *_describe_fields(fields)])) for name, fields in messages.items()]
    return encode([(1, encode([(1, "paddock.proto"), (2, "paddock"), *described, (12, "proto3")]))])


def _describe_fields(fields: Mapping[str, Kind]) -> list[tuple[int, bytes]]:
    described = []
    for number, (name, kind) in enumerate(fields.items(), 1):
        several = (kind.endswith("s") and kind != "bytes") or kind == "File"
        parts = [(1, name), (3, number), (4, REPEATED if several else OPTIONAL), (5, TYPES.get(kind, MESSAGE))]
        described.append((2, encode([*parts, *([] if kind in TYPES else [(6, f".paddock.{kind}")])])))
    return described


class FixedLayout:
    """Encodes many messages of equal layout at once: constant bytes with variable parts between them."""

    def __init__(self, *parts: Part) -> None:
        """Take constant bytes, and variable parts with their names and numpy types, in order."""
        fields = [part if isinstance(part, tuple) else (f"_{i}", f"V{len(part)}") for i, part in enumerate(parts)]
        self.dtype = np.dtype(fields)
        self._template = np.zeros(1, self.dtype)
        for field, part in zip(fields, parts, strict=True):
            if isinstance(part, bytes):
                self._template[field[0]] = np.void(part)

    def rows(self, count: int) -> NDArray[np.void]:
        """Return `count` messages, with zeros in the variable parts."""
        return np.repeat(self._template, count)


STAMP_SIZE = 12


def stamp_parts(number: int, name: str) -> tuple[Part, ...]:
    """Return a google.protobuf.Timestamp field of a fixed layout; `fixed_stamps` returns its values."""
    return tag(number, BYTES) + varint(STAMP_SIZE), (name, "u1", STAMP_SIZE)


def fixed_stamps(nanoseconds: NDArray[np.int64]) -> NDArray[np.uint8]:
    """Return timestamps of equal length: all varints have five bytes, even if fewer are sufficient."""
    stamps = np.empty((len(nanoseconds), 2, STAMP_SIZE // 2), np.uint8)
    stamps[:, 0, 0], stamps[:, 1, 0] = tag(1, VARINT)[0], tag(2, VARINT)[0]
    parts = np.stack(np.divmod(nanoseconds, 1_000_000_000), axis=1)
    stamps[:, :, 1:] = parts[:, :, None] >> SHIFTS & 0x7F | CONTINUED
    return stamps.reshape(-1, STAMP_SIZE)


SHIFTS, CONTINUED = np.arange(0, 35, 7), np.array([0x80, 0x80, 0x80, 0x80, 0])


def encode_stamp(nanoseconds: int) -> bytes:
    """Encode a google.protobuf.Timestamp."""
    seconds, nanos = divmod(nanoseconds, 1_000_000_000)
    return encode([(1, seconds), (2, nanos)])
