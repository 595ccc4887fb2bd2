"""XdrLayout: the fields of a payload of Player, packed and unpacked in XDR."""

from __future__ import annotations

import re
import struct
from collections.abc import Sequence
from typing import Any

import numpy as np

from paddock.core.errors import BadMessage

WORD = 4  # everything fills whole words
COUNTS = struct.Struct(">II")


class XdrLayout:
    """Fields one after the other, big-endian.

    `I`, `i`, `f` and `d` are numbers, and small ones fill a word, too; `3d` is a tuple of three. `*d` are as many as
    there are, `*6dff` as many groups, and `*B` bytes. These carry their count twice: as a field, and as XDR has it.
    """

    def __init__(self, *fields: str) -> None:
        self.fields = [_ArrayField(field[1:]) if field[0] == "*" else _NumberField(field) for field in fields]

    def pack(self, *values: Any) -> bytes:
        """A payload with one value for each field."""
        return b"".join(field.pack(value) for field, value in zip(self.fields, values, strict=True))

    def unpack(self, data: bytes) -> list[Any]:
        """The values of all fields; what follows them is not looked at, as Player itself does it."""
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
    """As many numbers, groups of numbers, or bytes as there are."""

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
