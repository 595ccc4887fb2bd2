"""Messages as JSON in the format of rosbridge: bytes in base64, and null for numbers that are not finite."""

from __future__ import annotations

import base64
import binascii
import math
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
import numpy as np

from paddock.bridges.ros2.wire.messages import FieldType, Nodetype, RosMessage, find_dtype, find_message, list_fields
from paddock.core.errors import BadMessage, format_value, suggestion

encoder = msgspec.json.Encoder(enc_hook=lambda array: array.tobytes() if array.dtype == "uint8" else array.tolist())


def encode_json(message: RosMessage) -> bytes:
    """Encode a message as JSON."""
    return encoder.encode(message)


def read_json(kind: type[RosMessage], table: Any, path: str = "msg") -> Any:
    """Build a message from parsed JSON. Missing fields get their defaults."""
    if not isinstance(table, Mapping):
        raise BadMessage(f"{path}: expected an object with the fields of {kind.ros_name}, got {format_value(table)}")
    fields = dict(list_fields(kind))
    for name in table:
        if name not in fields:
            raise BadMessage(f"{path}: {kind.ros_name} has no field {format_value(name)}{suggestion(name, fields)}")
    return kind(**{name: _read_field(fields[name], value, f"{path}.{name}") for name, value in table.items()})


def _read_field(kind: FieldType, value: Any, path: str) -> Any:
    node, about = kind
    if node == Nodetype.NAME:
        return read_json(find_message(about), value, path)
    if node == Nodetype.BASE:
        return _read_value(about[0], value, path)
    element, size = about
    number = element[1][0] if element[0] == Nodetype.BASE and element[1][0] != "string" else ""
    if number in ("uint8", "char", "byte") and isinstance(value, str):
        values: Any = _read_base64(value, path)
    elif not isinstance(value, Sequence) or isinstance(value, str):
        raise BadMessage(f"{path}: expected a list, got {format_value(value)}")
    else:
        values = [_read_field(element, item, f"{path}[{i}]") for i, item in enumerate(value)]
    if node == Nodetype.ARRAY and len(values) != size:
        raise BadMessage(f"{path}: expected {size} elements, got {len(values)}")
    if isinstance(values, bytes):
        return np.frombuffer(values, np.uint8)
    return np.array(values, find_dtype(number)) if number else values


def _read_base64(text: str, path: str) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except binascii.Error as error:
        raise BadMessage(f"{path}: expected base64: {error}") from None


def _read_value(kind: str, value: Any, path: str) -> Any:
    plain = {"string": (str, "a text"), "bool": (bool, "true or false")}.get(kind)
    if plain is not None:
        if not isinstance(value, plain[0]):
            raise BadMessage(f"{path}: expected {plain[1]}, got {format_value(value)}")
        return value
    if kind.startswith("float"):
        if value is None:
            return math.nan
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise BadMessage(f"{path}: expected a number, got {format_value(value)}")
        try:
            return float(value)
        except OverflowError:
            raise BadMessage(f"{path}: expected {kind}, got {format_value(value)}") from None
    bounds = np.iinfo(find_dtype(kind))
    whole = isinstance(value, int) and not isinstance(value, bool)
    if not (whole and bounds.min <= value <= bounds.max):
        raise BadMessage(f"{path}: expected {kind}, got {format_value(value)}")
    return value
