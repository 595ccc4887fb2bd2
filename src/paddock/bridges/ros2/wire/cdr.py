"""CDR: serialisation of messages as in ROS 2, little-endian (XCDR version 1, final types)."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator
from itertools import groupby
from operator import attrgetter
from typing import Any, NamedTuple, TypeVar

import numpy as np

from paddock.bridges.ros2.wire.fields import DTYPES, FieldType, RosMessage
from paddock.core.errors import BadMessage

HEADER = b"\x00\x01\x00\x00"  # little-endian CDR, no options
COUNT = struct.Struct("<I")
PADDING = [bytes(n) for n in range(8)]
Write = Callable[[bytearray, Any], None]
Read = Callable[[bytes, int], tuple[Any, int]]
SomeMessage = TypeVar("SomeMessage", bound=RosMessage)


class Coder(NamedTuple):
    """Appends a value to a buffer, and reads it from an offset. Offsets count from the end of the header."""

    write: Write
    read: Read


CODERS: dict[type[RosMessage], Coder] = {}


def encode_cdr(message: RosMessage) -> bytes:
    """Serialise a message."""
    body = bytearray()
    try:
        message_coder(type(message)).write(body, message)
    except (struct.error, TypeError, ValueError, OverflowError) as error:
        raise BadMessage(f"{message.ros_name}: a field cannot be written: {error}") from None
    return HEADER + body


def decode_cdr(kind: type[SomeMessage], data: bytes) -> SomeMessage:
    """Deserialise a message."""
    if data[:2] != HEADER[:2] or len(data) < len(HEADER):
        raise BadMessage(f"{kind.ros_name}: expected little-endian CDR, which starts with 0001, got {data[:4].hex()}")
    try:
        message: SomeMessage = message_coder(kind).read(bytes(data[len(HEADER) :]), 0)[0]
    except (struct.error, ValueError) as error:
        raise BadMessage(f"{kind.ros_name}: cannot read a message from {len(data)} bytes: {error}") from None
    return message


def message_coder(kind: type[RosMessage]) -> Coder:
    """Return the codec of a message."""
    coder = CODERS.get(kind)
    if coder is None:
        coder = CODERS[kind] = _make_message_coder(kind)
    return coder


def _make_message_coder(kind: type[RosMessage]) -> Coder:
    """Group fields, so that neighbouring numbers of the same size are packed together."""
    parts = list(_make_parts(kind))

    def write(body: bytearray, message: Any) -> None:
        for get, write_part, _ in parts:
            write_part(body, get(message))

    def read(data: bytes, at: int) -> tuple[Any, int]:
        values: list[Any] = []
        for _, _, read_part in parts:
            found, at = read_part(data, at)
            values += found
        return kind(*values), at

    if not kind.ros_fields():  # IDL has no empty structures
        return Coder(lambda body, _: body.append(0), lambda data, at: (kind(), at + 1))
    return Coder(write, read)


def _make_parts(kind: type[RosMessage]) -> Iterator[tuple[Callable[[Any], Any], Write, Read]]:
    """Functions that get the fields of a part, write them, and read them as a list."""

    def size_of(field_type: FieldType) -> int:
        plain = isinstance(field_type.base, str) and field_type.base != "string" and not field_type.many
        return DTYPES[str(field_type.base)].itemsize if plain else 0

    for size, group in groupby(kind.ros_fields(), lambda field: size_of(field.type)):
        fields = list(group)
        if size and len(fields) > 1:
            coder = number_coder("".join(DTYPES[str(field.type.base)].char for field in fields), size)
            yield attrgetter(*(field.name for field in fields)), coder.write, coder.read
        else:
            for field in fields:
                coder = field_coder(field.type)
                yield attrgetter(field.name), coder.write, _as_list(coder.read)


def _as_list(read: Read) -> Read:
    def read_list(data: bytes, at: int) -> tuple[list[Any], int]:
        value, at = read(data, at)
        return [value], at

    return read_list


def field_coder(kind: FieldType) -> Coder:
    """Return the codec of a field."""
    if kind.many:
        return _array_coder(kind) if kind.base in DTYPES else _list_coder(kind)
    if kind.base == "string":
        return Coder(_write_text, _read_text)
    if isinstance(kind.base, str):
        coder = number_coder(DTYPES[kind.base].char, DTYPES[kind.base].itemsize)
        return Coder(lambda body, value: coder.write(body, (value,)), _first(coder.read))
    return message_coder(kind.base)


def _first(read: Read) -> Read:
    def read_first(data: bytes, at: int) -> tuple[Any, int]:
        values, at = read(data, at)
        return values[0], at

    return read_first


def number_coder(codes: str, size: int) -> Coder:
    """Return the codec of tuples of numbers of the same size."""
    packer = struct.Struct(f"<{codes.replace('l', 'q').replace('L', 'Q')}")

    def write(body: bytearray, values: tuple[Any, ...]) -> None:
        body += PADDING[-len(body) % size] + packer.pack(*values)

    def read(data: bytes, at: int) -> tuple[Any, int]:
        at += -at % size
        return packer.unpack_from(data, at), at + packer.size

    return Coder(write, read)


def _write_text(body: bytearray, text: str) -> None:
    data = text.encode() + b"\0"
    body += PADDING[-len(body) % 4] + COUNT.pack(len(data)) + data


def _read_text(data: bytes, at: int) -> tuple[str, int]:
    count, at = _read_count(data, at, 1)
    return data[at : at + count].rstrip(b"\0").decode(), at + count


def _read_count(data: bytes, at: int, size: int) -> tuple[int, int]:
    """Read the number of elements and the offset after it. Each element has at least the given number of bytes."""
    at += -at % 4
    (count,) = COUNT.unpack_from(data, at)
    if count * size > len(data) - at - 4:
        raise ValueError(f"{count} elements at byte {at} would exceed the end of the data")
    return count, at + 4


def _array_coder(kind: FieldType) -> Coder:
    dtype = DTYPES[str(kind.base)]

    def write(body: bytearray, values: Any) -> None:
        raw = isinstance(values, bytes) and dtype.itemsize == 1
        data = values if raw else np.asarray(values, dtype).tobytes()
        count = len(data) // dtype.itemsize
        check_count(kind, count)
        if not kind.size:
            body += PADDING[-len(body) % 4] + COUNT.pack(count)
        if count:
            body += PADDING[-len(body) % dtype.itemsize]
        body += data

    def read(data: bytes, at: int) -> tuple[Any, int]:
        count = kind.size
        if not kind.size:
            count, at = _read_count(data, at, dtype.itemsize)
        at += -at % dtype.itemsize if count else 0
        end = at + count * dtype.itemsize
        if dtype.itemsize == 1 and dtype.kind == "u":
            return data[at:end], end
        return np.frombuffer(data, dtype, count, at), end

    return Coder(write, read)


def check_count(kind: FieldType, count: int) -> None:
    """Raise an error if the number of elements is wrong."""
    if kind.size and count != kind.size:
        raise ValueError(f"expected {kind.text}, got {count} elements")


def _list_coder(kind: FieldType) -> Coder:
    coder = field_coder(kind.single)

    def write(body: bytearray, values: Any) -> None:
        check_count(kind, len(values))
        if not kind.size:
            body += PADDING[-len(body) % 4] + COUNT.pack(len(values))
        for value in values:
            coder.write(body, value)

    def read(data: bytes, at: int) -> tuple[list[Any], int]:
        count = kind.size
        if not kind.size:
            count, at = _read_count(data, at, 1)
        values = []
        for _ in range(count):
            value, at = coder.read(data, at)
            values.append(value)
        return values, at

    return Coder(write, read)
