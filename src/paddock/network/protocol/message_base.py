"""Base classes of messages, field types with their limits, and the check of free-form tables."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, TypeVar

import numpy as np
from msgspec import Meta, Struct
from numpy.typing import NDArray

from paddock.core.errors import BadMessage, format_value
from paddock.core.observation import Finite as Finite

VERSION = 1  # of the protocol; both sides need the same
MINOR = 10  # increases with every new field or message; unknown fields and messages of a newer peer are ignored
MAX_TICKS = 1_000_000  # of one step
LONGEST_NAME = 64  # characters of the name of a robot, a device or a client
LONGEST_LINE = 200  # characters of a value in a refusal
LONGEST_TEXT = 100_000
MAX_ENTRIES = 20_000  # of a list or a map
DEEPEST = 16  # levels of a table

# No control characters, and no characters that change the text direction, are invisible or break the line.
PRINTABLE = r"\A[^\x00-\x1f\x7f-\x9f\xad\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff]*\Z"

Name = Annotated[str, Meta(max_length=LONGEST_NAME, pattern=PRINTABLE)]
Key = Annotated[str, Meta(max_length=LONGEST_NAME)]  # of a map; only looked up, never stored
Token = Annotated[str, Meta(max_length=200, pattern=PRINTABLE)]
Line = Annotated[str, Meta(max_length=LONGEST_LINE, pattern=PRINTABLE)]
Colour = Annotated[str, Meta(max_length=32, pattern=PRINTABLE)]
Text = Annotated[str, Meta(max_length=LONGEST_TEXT)]
Prose = Annotated[str, Meta(max_length=10_000)]
Int64 = Annotated[int, Meta(ge=-(2**63), le=2**63 - 1, description="a whole number of at most 64 bits")]
Id = Annotated[int, Meta(ge=0, le=2**31 - 1, description="a whole number")]
Ticks = Annotated[int, Meta(ge=0, le=MAX_TICKS, description="a whole number of ticks")]
Seed = Annotated[int, Meta(ge=0, le=2**63 - 1, description="a whole number")]
Period = Annotated[float, Meta(ge=0, le=3600, description="seconds")]
Rate = Annotated[float, Meta(ge=0, le=120, description="frames per second")]
TimeoutSeconds = Annotated[float, Meta(gt=0, le=3600, description="seconds")]
Speed = Annotated[float, Meta(ge=0, le=1000, description="a factor from 0.01 to 1000, or 0 for as fast as possible,")]
Measured = float | None  # a measured value, which may be NaN; NaN is null in JSON
TomlTable = dict[str, Any]  # a spec with the types of TOML
# Numbers are little-endian float64 bytes in msgpack, and a list with null for NaN in JSON. For msgspec the bare class
# is cheaper to check.
if TYPE_CHECKING:
    Numbers = NDArray[np.float64]
else:
    Numbers = np.ndarray


class MessagePart(Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """Base of structures inside messages."""


class Message(MessagePart, tag_field="type", frozen=True, kw_only=True):
    """Base of all messages; `type` is the name of the message in the protocol."""

    type: ClassVar[str] = ""


class Request(Message, frozen=True, kw_only=True):
    """Base of messages that are answered: by a specific answer, by `done`, or by `refused`."""

    id: Id


M = TypeVar("M", bound=Message)


def by_type(classes: Iterable[type[M]]) -> dict[str, type[M]]:
    """Return message classes by type name, and set the `type` of each class."""
    table: dict[str, type[M]] = {}
    for cls in classes:
        cls.type = str(cls.__struct_config__.tag)
        table[cls.type] = cls
    return table


def check_table(value: Any, place: str, levels: int = DEEPEST) -> None:
    """Raise `BadMessage` for values that TOML cannot represent, and for dates; `place` is the path in the message."""
    kind = type(value)
    if kind in (dict, list):
        if levels == 0:
            raise BadMessage(f"{place}: expected at most {DEEPEST} levels, got more")
        for key, entry in value.items() if kind is dict else enumerate(value):
            if kind is dict:
                check_key(key, place)
            check_table(entry, f"{place}.{key}" if kind is dict else f"{place}[{key}]", levels - 1)
    elif kind is str:
        if len(value) > LONGEST_TEXT:
            raise BadMessage(f"{place}: expected a text of at most {LONGEST_TEXT} characters, got {len(value)}")
    elif kind is int:
        if not -(2**63) <= value < 2**63:
            raise BadMessage(f"{place}: expected a whole number of at most 64 bits, got {describe(value)}")
    elif kind is float:
        if not math.isfinite(value):
            raise BadMessage(f"{place}: expected a finite number, got {describe(value)}")
    elif kind is not bool:
        raise BadMessage(f"{place}: expected a text, a number, true, false, a list or a map, got {describe(value)}")


def check_key(key: Any, place: str = "") -> None:
    """Raise `BadMessage` for a map key that is not a short printable text."""
    if type(key) is not str or len(key) > LONGEST_NAME or not key.isprintable():
        raise BadMessage(f"{place}: expected keys of at most {LONGEST_NAME} printable characters, got {describe(key)}")


def describe(value: Any) -> str:
    """Return a short description of a received value."""
    if value is None:
        return "null"
    if isinstance(value, dict):
        return "a map"
    if isinstance(value, bytes):
        return f"{len(value)} bytes"
    if isinstance(value, (list, tuple)):
        return f"a list of {len(value)}"
    if isinstance(value, str):
        return format_value(value[:LONGEST_LINE])
    return format_value(value) if isinstance(value, (int, float)) else "a msgpack extension"
