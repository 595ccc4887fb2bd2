"""XdrLayout: packs and unpacks the fields of Player payloads in XDR."""

from __future__ import annotations

import re
import struct
from collections.abc import Sequence
from typing import Any

import numpy as np

from paddock.core.errors import BadMessage

WORD = 4  # every field is padded to whole words [bytes]
COUNTS = struct.Struct(">II")


class XdrLayout:
    """A sequence of big-endian fields.

    `I`, `i`, `f` and `d` are numbers; small numbers also fill a word. `3d` is a tuple of three numbers. `*d` is an
    array of numbers, `*6dff` an array of groups, and `*B` an array of bytes. Arrays contain their length twice: as a
    field of Player, and as the XDR length.
    """

    def __init__(self, *fields: str) -> None:
        self.fields = [_ArrayField(field[1:]) if field[0] == "*" else _NumberField(field) for field in fields]

    def pack(self, *values: Any) -> bytes:
        """Return a payload with one value for each field."""
        return b"".join(field.pack(value) for field, value in zip(self.fields, values, strict=True))

    def unpack(self, data: bytes) -> list[Any]:
        """Return the values of all fields. Bytes after them are ignored, as in Player."""
        values, at = [], 0
        for field in self.fields:
            value, at = field.unpack(data, at)
            values.append(value)
        return values


class _NumberField:
    """A number, or a tuple of several."""

    def __init__(self, code: str) -> None:
        self.struct, self.single = struct.Struct(f">{code}"), len(code) == 1

    def pack(self, value: Any) -> bytes:
        return self.struct.pack(value) if self.single else self.struct.pack(*value)

    def unpack(self, data: bytes, at: int) -> tuple[Any, int]:
        end = at + self.struct.size
        if end > len(data):
            raise BadMessage(f"expected {end} bytes or more, got {len(data)}")
        values = self.struct.unpack_from(data, at)
        return values[0] if self.single else values, end


class _ArrayField:
    """An array of numbers, groups of numbers, or bytes."""

    def __init__(self, code: str) -> None:
        self.code, self.size = code, struct.calcsize(f">{code}")
        self.single = re.fullmatch("[Iifd]", code) is not None
        self.type = np.dtype(f">{ {'d': 'f8', 'f': 'f4', 'I': 'u4', 'i': 'i4'}[code] }") if self.single else None

    def pack(self, values: Sequence[Any]) -> bytes:
        counts = COUNTS.pack(len(values), len(values))
        if self.code == "B":
            return counts + bytes(values) + bytes(-len(values) % WORD)
        if self.single:
            return counts + np.asarray(values, self.type).tobytes()
        return counts + b"".join(struct.pack(f">{self.code}", *value) for value in values)

    def unpack(self, data: bytes, at: int) -> tuple[Any, int]:
        start = at + COUNTS.size
        if start > len(data):
            raise BadMessage(f"expected {start} bytes or more, got {len(data)}")
        _, count = COUNTS.unpack_from(data, at)
        end = start + count * self.size
        if end > len(data):
            raise BadMessage(f"expected {end} bytes or more, got {len(data)}")
        if self.code == "B":
            return data[start:end], end + -end % WORD
        if self.single:
            return np.frombuffer(data, self.type, count, start).astype(np.float64), end
        return list(struct.iter_unpack(f">{self.code}", data[start:end])), end
