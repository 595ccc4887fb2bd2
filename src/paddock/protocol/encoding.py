"""Encodings: a message as msgpack (binary frames) or as JSON (text frames), and back.

On the wire a message is a map with a key `type` and its fields; fields that have their default value are left out.
JSON has no bytes and no NaN: bytes are base64 texts there, arrays of numbers are lists with null for NaN.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any, Literal, Union

import msgspec
import numpy as np

from paddock.core.errors import BadMessage
from paddock.protocol.base import Message
from paddock.protocol.faults import check_fields, find_class

Encoding = Literal["msgpack", "json"]
FLOAT64 = np.dtype("<f8")
UNREADABLE = (msgspec.MsgspecError, UnicodeError, RecursionError, OverflowError, BadMessage)


class Malformed(BadMessage):
    """What arrived is no message; `id` is that of the request that it may have been."""

    def __init__(self, problem: str, id: int | None = None) -> None:
        super().__init__(problem)
        self.id = id


class UnknownMessage(Malformed):
    """A message of a type that is not known here; a newer server may send such news."""


class MessageDecoder:
    """Reads messages of some types. Anything else is refused in words, but for what a newer peer says in addition.

    Args:
        known: the classes by the names of their types.
    """

    def __init__(self, known: Mapping[str, type[Message]]) -> None:
        self.known = dict(known)
        union: Any = Union[tuple(known.values())]  # noqa: UP007
        self._binary = msgspec.msgpack.Decoder(union, dec_hook=_to_array)
        self._text = msgspec.json.Decoder(union, dec_hook=_to_array)

    def decode(self, data: bytes | str, *, newer: bool = False) -> Message:
        """A message from a binary (msgpack) or a text (JSON) frame.

        Args:
            data: the frame.
            newer: it comes from a peer of a newer minor version, so that unknown fields are ignored.
        """
        try:
            message: Message = (self._text if type(data) is str else self._binary).decode(data)  # type: ignore[arg-type]
        except UNREADABLE as error:
            return self._decode_slowly(data, error, newer)
        return message

    def _decode_slowly(self, data: bytes | str, error: Exception, newer: bool) -> Message:
        """Find out what is wrong, and tell it with its place; unless it is only what a newer peer may say."""
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
            lenient = newer or cls.type in ("hello", "welcome")  # these tell which version the peer has
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
    """The message's bytes; JSON ones are UTF-8 and belong into a text frame."""
    return to_msgpack(message) if encoding == "msgpack" else to_json(message)


def _to_array(kind: type, value: Any) -> Any:
    """Numbers as an array: bytes in msgpack, a list with nulls in JSON."""
    if type(value) is bytes and len(value) % 8 == 0:
        return np.frombuffer(value, FLOAT64)
    if type(value) is list and all(type(entry) in (int, float, type(None)) for entry in value):
        return np.array([math.nan if entry is None else float(entry) for entry in value], np.float64)
    raise ValueError("expected bytes of float64, or a list of numbers and nulls")


def _to_bytes(value: Any) -> Any:
    """What msgpack has no type for."""
    if type(value) is np.ndarray:
        return (value if value.dtype is FLOAT64 else value.astype(FLOAT64)).tobytes()
    return _plain_scalar(value)


def _to_list(value: Any) -> Any:
    """What JSON has no type for."""
    return value.tolist() if isinstance(value, np.ndarray) else _plain_scalar(value)


def _plain_scalar(value: Any) -> Any:
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError(f"{type(value).__name__} cannot be sent")


def _no_constant(name: str) -> Any:
    raise ValueError(f"expected a number or null, got {name}")


_FROM_JSON = json.JSONDecoder(parse_constant=_no_constant)  # slower, and tells better what is wrong
to_msgpack = msgspec.msgpack.Encoder(enc_hook=_to_bytes).encode
to_json = msgspec.json.Encoder(enc_hook=_to_list).encode
