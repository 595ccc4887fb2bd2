"""Encodings: a message as msgpack (binary frames) or as JSON (text frames), and back.

On the wire a message is a map with a key `type` and its fields; fields that have their default value are left out.
JSON has no bytes and no NaN: bytes are base64 texts there, arrays of numbers are lists with null for NaN.
"""

from __future__ import annotations

import base64
import dataclasses
import functools
import json
import math
from collections.abc import Callable, Mapping
from typing import Any, Literal

import msgpack  # type: ignore[import-untyped]
import numpy as np

from paddock.core.errors import BadMessage
from paddock.protocol.fields import MOST_ENTRIES, got, meant, record
from paddock.protocol.messages import Message

Encoding = Literal["msgpack", "json"]


def encode(message: Message, encoding: Encoding = "msgpack") -> bytes:
    """The message's bytes; JSON ones are UTF-8 and belong into a text frame."""
    table = {"type": message.type, **_table(message)}
    if encoding == "msgpack":
        packed: bytes = msgpack.packb(table, default=_packed)
        return packed
    return _TO_JSON.encode(table).encode()


def decode(data: bytes | str, known: Mapping[str, type[Message]]) -> Message:
    """A message from a binary (msgpack) or a text (JSON) frame; anything else is a BadMessage."""
    table = _parsed(data)
    if type(table) is not dict:
        raise BadMessage(f"expected a map with a key 'type', got {got(table)}")
    kind = table.pop("type", None)
    cls = known.get(kind) if type(kind) is str else None
    if cls is None:
        if kind is None:
            raise BadMessage("type: missing")
        raise BadMessage(f"type: no message is called {got(kind)}{meant(kind, known)}")
    try:
        message: Message = record(cls)(table)
    except BadMessage as error:
        raise BadMessage(f"{cls.type}{error}") from None
    return message


def request_id(data: bytes | str) -> int | None:
    """The id of a message that could not be decoded, if it has one."""
    try:
        table = _parsed(data)
    except BadMessage:
        return None
    number = table.get("id") if type(table) is dict else None
    return number if type(number) is int and 0 <= number < 2**31 else None


@functools.cache
def _fields(cls: Any) -> list[tuple[str, Any, Callable[[], Any] | None]]:
    return [
        (f.name, f.default, None if f.default_factory is dataclasses.MISSING else f.default_factory)
        for f in dataclasses.fields(cls)
    ]


def _table(part: Any) -> dict[str, Any]:
    """The fields of a dataclass that differ from their defaults."""
    cls: Any = type(part)
    table = {}
    for name, default, factory in _fields(cls):
        value = getattr(part, name)
        if factory is not None:
            if not value:
                continue
        elif value is default or (
            default is not dataclasses.MISSING and type(value) is type(default) and value == default
        ):
            continue
        table[name] = value
    return table


def _packed(value: Any) -> Any:
    """What msgpack has no type for."""
    if isinstance(value, np.ndarray):
        return value.astype("<f8", copy=False).tobytes()
    return value.item() if isinstance(value, np.generic) else _table(value)


def _plain(value: Any) -> Any:
    """What JSON has no type for."""
    if isinstance(value, np.ndarray):
        return [number if math.isfinite(number) else None for number in value.tolist()]
    if isinstance(value, (bytes, bytearray)):
        return base64.b64encode(value).decode()
    return value.item() if isinstance(value, np.generic) else _table(value)


def _parsed(data: bytes | str) -> Any:
    """Maps, lists, texts and numbers."""
    text = isinstance(data, str)
    try:
        return _FROM_JSON.decode(data) if isinstance(data, str) else _unpacked(data)
    except RecursionError:
        problem = "nested too deeply"
    except (ValueError, OverflowError, msgpack.UnpackException) as error:
        problem = str(error).partition(";")[0] or type(error).__name__
    raise BadMessage(f"not valid {'JSON' if text else 'msgpack'}: {problem}")


def _unpacked(data: bytes) -> Any:
    # msgpack makes room for as many entries as a list claims to have, before they are there.
    most = min(len(data), MOST_ENTRIES)
    return msgpack.unpackb(data, object_pairs_hook=_unique, max_array_len=most, max_map_len=most)


def _unique(pairs: list[tuple[Any, Any]]) -> dict[Any, Any]:
    table = dict(pairs)
    if len(table) != len(pairs):
        for key, _ in pairs:
            if table.pop(key, pairs) is pairs:
                raise ValueError(f"the key {got(key)} is there twice")
    return table


def _no_constant(name: str) -> Any:
    raise ValueError(f"expected a number or null, got {name}")


_TO_JSON = json.JSONEncoder(separators=(",", ":"), allow_nan=False, default=_plain)
_FROM_JSON = json.JSONDecoder(object_pairs_hook=_unique, parse_constant=_no_constant)
