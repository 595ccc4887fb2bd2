"""Requests of the ZeroMQ API from clients of all languages, and replies in both protocol versions."""

from __future__ import annotations

import cbor2
import numpy as np
import pytest

from paddock.bridges.coppelia.zmq import pack_reply, parse_request
from paddock.core.errors import BadMessage


def test_request_is_parsed_in_both_versions() -> None:
    request = {"func": "sim.getObject", "args": ["/ePuck"], "argsL": 1, "uuid": "me", "ver": 2, "lang": "python"}
    assert parse_request(cbor2.dumps(request)) == ("sim.getObject", ["/ePuck"], "me")
    assert parse_request(cbor2.dumps({"func": "step", "args": ["me"]})) == ("step", ["me"], None)


@pytest.mark.parametrize(("tag", "layout"), [(69, "<u2"), (78, "<i4"), (82, ">f8"), (85, "<f4"), (86, "<f8")])
def test_typed_arrays_become_lists(tag: int, layout: str) -> None:
    numbers = cbor2.CBORTag(tag, np.array([1, 2, 3], layout).tobytes())
    assert parse_request(cbor2.dumps({"func": "f", "args": [numbers]})).arguments == [[1, 2, 3]]


def test_typed_arrays_of_bytes_become_bytes() -> None:
    assert parse_request(cbor2.dumps({"func": "f", "args": [cbor2.CBORTag(64, b"\1\2")]})).arguments == [b"\1\2"]


def test_deeply_nested_request_is_refused() -> None:
    with pytest.raises(BadMessage, match="expected a request as CBOR"):
        parse_request(cbor2.dumps({"func": "f", "args": eval("[" * 60 + "]" * 60)}))


def test_replies_follow_the_protocol_version() -> None:
    forms = [pack_reply(reply, version) for version in (1, 2) for reply in ({"ret": [1]}, {"err": "no"})]
    expected = [{"success": True, "ret": [1]}, {"success": False, "error": "no"}, {"ret": [1]}, {"err": "no"}]
    assert [cbor2.loads(form) for form in forms] == expected


def test_unserialisable_result_is_an_error_in_both_versions() -> None:
    first, second = (cbor2.loads(pack_reply({"ret": [object()]}, version)) for version in (1, 2))
    assert "cannot be sent" in first["error"]
    assert not first["success"]
    assert "cannot be sent" in second["err"]
