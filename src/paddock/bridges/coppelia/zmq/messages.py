"""Requests and replies of the ZeroMQ remote API: CBOR maps, in both versions of the protocol."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import cbor2
import numpy as np

from paddock.core.errors import BadMessage

DEEPEST = 32  # maximum nesting depth
TYPED_ARRAYS = {  # by their tags, RFC 8746
    65: ">u2", 66: ">u4", 67: ">u8", 69: "<u2", 70: "<u4", 71: "<u8", 72: "i1", 73: ">i2", 74: ">i4", 75: ">i8",
    77: "<i2", 78: "<i4", 79: "<i8", 81: ">f4", 82: ">f8", 85: "<f4", 86: "<f8",
}  # fmt: skip
BYTES = 64  # the tag of an array of bytes
WAIT = {"func": "_*wait*_", "args": []}
EXECUTED, END = "_*executed*_", "_*end*_"


class RemoteRequest(NamedTuple):
    """A request of a client."""

    function: str
    arguments: list[Any]
    client: str | None  # uuid of the client; None in version 1


def parse_request(body: bytes) -> RemoteRequest:
    """Parse a request, or raise `BadMessage`."""
    try:
        request = cbor2.loads(body, max_depth=DEEPEST, tag_hook=_read_tag, str_errors="replace")
    except Exception as error:  # the decoder may raise any exception for invalid bytes
        raise BadMessage(f"expected a request as CBOR: {str(error)[:200]}") from None
    if not isinstance(request, dict):
        raise BadMessage("expected a request: a map with func and args")
    function, arguments, client = request.get("func"), request.get("args", []), request.get("uuid")
    if not isinstance(function, str) or not isinstance(arguments, list):
        raise BadMessage("expected a request with a text func and a list args")
    if client is not None and not (isinstance(client, str) and len(client) <= 100):
        raise BadMessage("expected a text of at most 100 characters as uuid")
    return RemoteRequest(function, arguments, client)


def _read_tag(tag: Any, immutable: bool = False) -> Any:
    if tag.tag == BYTES:
        return tag.value
    layout = TYPED_ARRAYS.get(tag.tag)
    if layout is None or not isinstance(tag.value, bytes) or len(tag.value) % np.dtype(layout).itemsize:
        return None
    return np.frombuffer(tag.value, layout).tolist()


def pack_reply(reply: Mapping[str, Any], version: int) -> bytes:
    """Encode a reply for a version of the protocol."""
    if version == 1 and "err" in reply:
        reply = {"success": False, "error": reply["err"]}
    elif version == 1:
        reply = {"success": True, "ret": reply.get("ret", [])}
    try:
        return cbor2.dumps(reply)
    except Exception as error:
        return pack_reply({"err": f"the result cannot be sent: {error}"}, version)


def list_results(result: Any) -> list[Any]:
    """Return the result of a call as a list: a tuple contains several results, None means no result."""
    if isinstance(result, tuple):
        return list(result)
    return [] if result is None else [result]
