"""The wire format is stable: clients in other languages rely on these bytes.

`python tests/network/protocol/samples.py` rewrites the files for a new version of the protocol.
"""

from __future__ import annotations

import json
from pathlib import Path

import msgpack
import pytest

from network.protocol.samples import GOLDEN, KNOWN, SAMPLES, decode, same
from paddock.network.protocol import Encoding, Message, encode

ENCODINGS: tuple[Encoding, ...] = ("msgpack", "json")


def stored(kind: str, encoding: Encoding) -> bytes | str:
    data = (GOLDEN / f"{kind}.{encoding}").read_bytes()
    return data if encoding == "msgpack" else data.decode()


def test_every_message_type_has_sample_and_two_golden_files() -> None:
    assert sorted(message.type for message in SAMPLES) == sorted(KNOWN)
    assert {path.name for path in Path(GOLDEN).iterdir()} == {f"{kind}.{end}" for kind in KNOWN for end in ENCODINGS}


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("message", SAMPLES, ids=lambda message: message.type)
def test_message_encodes_to_golden_bytes_and_back(message: Message, encoding: Encoding) -> None:
    data = stored(message.type, encoding)
    assert encode(message, encoding) == (data if isinstance(data, bytes) else data.encode())
    assert same(decode(data), message)


@pytest.mark.parametrize("kind", KNOWN)
def test_both_encodings_have_same_keys_in_same_order(kind: str) -> None:
    binary, text = msgpack.unpackb(stored(kind, "msgpack")), json.loads(stored(kind, "json"))
    assert list(binary) == list(text)
    assert next(iter(text)) == "type"
    assert text["type"] == kind
