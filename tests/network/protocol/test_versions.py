"""Minor versions are compatible: unknown fields of a newer peer are ignored, misspelt fields of others are refused."""

from __future__ import annotations

import contextlib
from typing import Any

import msgspec
import pytest

import paddock
from network.protocol.samples import SAMPLES, decode, same
from network.server.parties import Peer, served
from paddock.core.errors import BadMessage
from paddock.network.client.wire import WebSocketWire
from paddock.network.protocol import MINOR
from paddock.network.protocol import messages as m
from paddock.network.protocol.encoding import UnknownMessage


def grown(message: m.Message, encoding: str) -> bytes | str:
    """The message as a newer peer would send it, with an additional field in every part."""
    table = msgspec.to_builtins(message, enc_hook=lambda array: array.tobytes(), builtin_types=(bytes,))

    def grow(value: Any, part: Any) -> Any:
        if isinstance(part, msgspec.Struct):
            fields = {f.name: getattr(part, f.name) for f in msgspec.structs.fields(part)}
            return {k: grow(v, fields.get(k)) for k, v in value.items()} | {"novelty": [1, {"a": None}]}
        if isinstance(value, dict) and isinstance(part, dict):
            return {k: grow(v, part[k]) for k, v in value.items()}
        if isinstance(value, (list, tuple)) and isinstance(part, tuple):
            return [grow(v, p) for v, p in zip(value, part, strict=True)]
        return value

    table = grow(table, message)
    return msgspec.msgpack.encode(table) if encoding == "msgpack" else msgspec.json.encode(table).decode()


@pytest.mark.parametrize("message", SAMPLES, ids=lambda message: message.type)
def test_unknown_fields_of_newer_peer_are_ignored(message: m.Message) -> None:
    assert same(decode(grown(message, "msgpack"), newer=True), message)
    if message.type not in ("hello", "welcome"):
        with pytest.raises(BadMessage, match=f"{message.type}.*: unknown key 'novelty'"):
            decode(grown(message, "msgpack"))


def test_other_errors_of_newer_peer_are_reported() -> None:
    with pytest.raises(BadMessage, match=r"^claim\.robot: missing, expected a text of at most 64 characters"):
        decode('{"type":"claim","id":1,"robto":"red"}', newer=True)
    with pytest.raises(BadMessage, match=r"^command\.commands\.red\.wheels\[1\]: expected a finite number, got 'x'"):
        decode('{"type":"command","commands":{"red":{"wheels":[1,"x"],"novelty":1}}}', newer=True)


def test_hello_may_have_unknown_fields() -> None:
    arrived = decode('{"type":"hello","id":1,"version":1,"minor":99,"novelty":1}')
    assert isinstance(arrived, m.Hello)
    assert arrived.minor == 99


def test_server_ignores_unknown_fields_of_newer_clients_only() -> None:
    with served("empty") as server, Peer(server, hello=False) as newer, Peer(server) as equal:
        newer.ask("hello", version=1, minor=MINOR + 1, favourite="red")
        assert newer.ask("claim", robot="red", gently=True)["type"] == "done"
        slip = equal.ask("claim", robot="red", forc=True)
        assert slip["message"] == "claim: unknown key 'forc' (did you mean 'force'?)"


def test_client_ignores_unknown_fields_and_messages_of_newer_server(monkeypatch: pytest.MonkeyPatch) -> None:
    with served("empty") as server, contextlib.closing(paddock.connect(server.url())) as arena:
        wire = arena.dialogue.wire
        assert not wire.newer
        news = msgspec.msgpack.encode({"type": "weather", "sun": True})
        observed = msgspec.msgpack.encode({"type": "done", "id": 1, "novelty": 1})
        with pytest.raises(UnknownMessage, match="no message is called 'weather'"):
            wire._decode_all([(False, news)])
        wire.newer = True
        assert wire._decode_all([(False, news), (False, observed)]) == [m.Done(id=1)]
    monkeypatch.setattr("paddock.network.server.core.visibility.MINOR", MINOR + 1)
    with served("empty") as server, contextlib.closing(paddock.connect(server.url())) as arena:
        assert isinstance(arena.dialogue.wire, WebSocketWire)
        assert arena.dialogue.wire.newer
