"""Messages as JSON in the format of rosbridge: bytes in base64, and null for numbers that are not finite."""

from __future__ import annotations

import base64
import binascii
import math
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

import msgspec
import numpy as np

from paddock.bridges.ros2.wire.fields import DTYPES, FieldType, RosMessage
from paddock.core.errors import BadMessage, format_value, suggestion

SomeMessage = TypeVar("SomeMessage", bound=RosMessage)
encoder = msgspec.json.Encoder(enc_hook=lambda array: array.tolist())


def encode_json(message: RosMessage) -> bytes:
    """Encode a message as JSON."""
    return encoder.encode(message)


def read_json(kind: type[SomeMessage], table: Any, path: str = "msg") -> SomeMessage:
    """Build a message from parsed JSON. Missing fields get their defaults."""
    if not isinstance(table, Mapping):
        raise BadMessage(f"{path}: expected an object with the fields of {kind.ros_name}, got {format_value(table)}")
    fields = dict(kind.ros_fields())
    for name in table:
        if name not in fields:
            raise BadMessage(f"{path}: {kind.ros_name} has no field {format_value(name)}{suggestion(name, fields)}")
    return kind(**{name: _read_field(fields[name], value, f"{path}.{name}") for name, value in table.items()})


def _read_field(kind: FieldType, value: Any, path: str) -> Any:
    if not kind.many:
        return _read_value(kind, value, path)
    if kind.base in ("uint8", "char") and isinstance(value, str):
        values: Any = _read_base64(value, path)
    elif not isinstance(value, Sequence) or isinstance(value, str):
        raise BadMessage(f"{path}: expected a list for {kind.text}, got {format_value(value)}")
    else:
        values = [_read_value(kind.single, item, f"{path}[{i}]") for i, item in enumerate(value)]
    if kind.size and len(values) != kind.size:
        raise BadMessage(f"{path}: expected {kind.size} elements, got {len(values)}")
    if isinstance(values, bytes) or kind.base not in DTYPES:
        return values
    array = np.array(values, DTYPES[str(kind.base)])
    return array.tobytes() if kind.base in ("uint8", "char") else array


def _read_base64(text: str, path: str) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except binascii.Error as error:
        raise BadMessage(f"{path}: expected base64: {error}") from None


def _read_value(kind: FieldType, value: Any, path: str) -> Any:
    if not isinstance(kind.base, str):
        return read_json(kind.base, value, path)
    if kind.base == "string":
        if not isinstance(value, str):
            raise BadMessage(f"{path}: expected a text, got {format_value(value)}")
        return value
    if kind.base == "bool":
        if not isinstance(value, bool):
            raise BadMessage(f"{path}: expected true or false, got {format_value(value)}")
        return value
    if kind.base.startswith("float"):
        if value is None:
            return math.nan
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise BadMessage(f"{path}: expected a number, got {format_value(value)}")
        try:
            return float(value)
        except OverflowError:
            raise BadMessage(f"{path}: expected {kind.base}, got {format_value(value)}") from None
    bounds = np.iinfo(DTYPES[kind.base].char)
    whole = isinstance(value, int) and not isinstance(value, bool)
    if not (whole and bounds.min <= value <= bounds.max):
        raise BadMessage(f"{path}: expected {kind.base}, got {format_value(value)}")
    return value
