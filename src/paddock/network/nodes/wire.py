"""Encoding and decoding of messages as lines of JSON, with a reduced form for AP2DX's modules."""

from __future__ import annotations

import json
from typing import Any, Union

import msgspec

from paddock.core.errors import BadMessage, suggestion
from paddock.network.nodes.node_messages import MESSAGES, ModuleMessage

PROTOCOL = 1
LONGEST_LINE = 1 << 20  # bytes; a map of 20 m by 20 m with cells of 5 cm takes about ten thousand
ADDRESS = ("destinationModuleId", "sourceModuleId", "type")

_UNION: Any = Union[tuple(MESSAGES.values())]  # noqa: UP007
_decode = msgspec.json.Decoder(_UNION).decode
_encode = msgspec.json.Encoder(order="sorted").encode


def encode_message(message: ModuleMessage) -> bytes:
    """Encode a message as one line without line end, with keys in alphabetical order."""
    return _encode(message)


def encode_original(message: ModuleMessage) -> bytes:
    """Encode a message as AP2DX would send it: with its fields only, including those with default values.

    AP2DX has no null: a sensor without a return reports its maximum range.
    """
    table = {
        info.encode_name: msgspec.to_builtins(getattr(message, info.name)) for info in msgspec.structs.fields(message)
    }
    for key in ("rangeArray", "dataArray"):
        if key in table:
            table[key] = [table["max_range"] if value is None else value for value in table[key]]
    table["type"] = message.__struct_config__.tag
    keys = sorted((*ADDRESS, *message.original), key=lambda key: (key[0].isupper(), key))  # Bidirection is last
    return msgspec.json.encode({key: table[key] for key in keys})


def decode_message(line: bytes) -> ModuleMessage:
    """Decode a message from a line. Unknown fields are ignored; unknown types are rejected.

    Raises:
        BadMessage: the line is not a valid message; the text names the error and its location.
    """
    if len(line) > LONGEST_LINE:
        raise BadMessage(f"a line of {len(line)} bytes: at most {LONGEST_LINE} are allowed")
    try:
        message: ModuleMessage = _decode(line)
    except (msgspec.MsgspecError, UnicodeError, RecursionError) as error:
        raise BadMessage(_explain(line, str(error))) from None
    return message


def _explain(line: bytes, problem: str) -> str:
    try:
        table = json.loads(line)
    except (ValueError, RecursionError):
        return f"not valid JSON: {line[:60]!r}"
    if not isinstance(table, dict):
        return f"expected a JSON object, got {line[:60]!r}"
    kind = table.get("type")
    if not isinstance(kind, str) or kind not in MESSAGES:
        return f"no message of type {kind!r}{suggestion(str(kind), MESSAGES)}"
    return f"{kind}: {problem}"


def message_schema() -> dict[str, Any]:
    """Return the JSON Schema of all messages."""
    schema: dict[str, Any] = msgspec.json.schema(_UNION)
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "Paddock module messages"} | schema
