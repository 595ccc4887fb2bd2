"""Fuzz tests of the server: random, mutated, oversize and fragmented frames give errors, no crash and no leak."""

from __future__ import annotations

import contextlib
import json
import math
import random
import sys
from collections.abc import Iterator
from typing import Any

import msgpack
import pytest
from websockets.frames import Opcode

from network.server.parties import SPEC, Closed, Peer, ServerProcess, served

FRAMES = 1250  # per encoding and turn

SEEDS: list[dict[str, Any]] = [
    {"type": "hello", "id": 1, "version": 1, "name": "x", "token": ""},
    {"type": "get_scene", "id": 1},
    {"type": "claim", "id": 1, "robot": "red", "force": True},
    {"type": "spawn", "id": 1, "robot": "mine", "kind": SPEC, "at": [0.75, 0.5], "heading": 1.0, "color": "#112233"},
    {"type": "spawn", "id": 1, "robot": "mine", "kind": "e-puck"},
    {"type": "release_robot", "id": 1, "robot": "mine"},
    {"type": "enable", "id": 1, "robot": "red", "devices": ["ground"], "on": True},
    {"type": "poll_only", "id": 1, "robot": "red", "device": "proximity", "on": False},
    {"type": "step", "id": 1, "ticks": 1, "commands": {"red": {"wheels": [0.1, 0.1], "leds": {"led0": 1}, "pans": {}}}},
    {"type": "sense", "id": 1, "robot": "red", "commands": {"red": {"tone": [440.0, 0.1]}}},
    {"type": "read", "id": 1, "robot": "red", "device": "ground", "raw": True},
    {"type": "subscribe", "id": 1, "robot": "red", "devices": ["ground"], "period": 0.1, "jpeg": True, "stream": "s"},
    {"type": "unsubscribe", "id": 1, "robot": "red", "stream": "s"},
    {"type": "frames", "id": 1, "rate": 0},
    {"type": "lock", "id": 1, "on": False, "timeout": 0.5},
    {"type": "advance", "id": 1, "ticks": 1},
    {"type": "set_speed", "id": 1, "speed": 0},
    {"type": "reset", "id": 1, "seed": 3},
    {"type": "set_pose", "id": 1, "robot": "red", "x": 0.5, "y": 0.5, "heading": 0.0},
    {"type": "digest", "id": 1},
    {"type": "snapshot", "id": 1},
    {"type": "restore", "id": 1, "snapshot": 1},
    {"type": "command", "commands": {"red": {"wheels": [0.1, 0.1]}}},
    {"type": "frame_ack", "frame": 1},
]
ODD: list[Any] = [
    *(
        None,
        True,
        False,
        0,
        -1,
        1,
        2**31,
        2**63 - 1,
        -(2**63),
        1e308,
        -1e308,
        5e-324,
        0.5,
        "",
        "red",
        "\u0000",
        "\ud7ff",
    ),
    *("x" * 70, "x" * 300, "é", "../../etc/passwd", [], {}, [[]], [1, 2], [1, 2, 3], ["red"], {"a": 1}, {"red": {}}),
    *(
        {"wheels": [1, 2]},
        {"red": {"wheels": [math.pi, 1e300]}},
        [None],
        {"": None},
        "constructor",
        "__class__",
        "e-puck",
    ),
]


def mutated(value: Any, draw: random.Random) -> Any:
    """A message with a random change."""
    if draw.random() < 0.25:
        return draw.choice(ODD)
    if isinstance(value, dict):
        table = dict(value)
        key = draw.choice(list(table)) if table else "key"
        choice = draw.random()
        if choice < 0.15:
            table.pop(key, None)
        elif choice < 0.3:
            table[draw.choice(["x", "type", "id", "robot", "commands", key + key, key.upper()])] = draw.choice(ODD)
        else:
            table[key] = mutated(table.get(key), draw)
        return table
    if isinstance(value, list) and value:
        number = draw.randrange(len(value))
        return [*value[:number], mutated(value[number], draw), *value[number + 1 :]]
    return draw.choice(ODD)


def packed(message: Any, encoding: str) -> bytes:
    return json.dumps(message).encode() if encoding == "json" else bytes(msgpack.packb(message))


def damaged(data: bytes, draw: random.Random) -> bytes:
    """Bytes with a few of them changed, removed, duplicated or inserted."""
    content = bytearray(data)
    for _ in range(draw.randint(1, 4)):
        at = draw.randrange(len(content) + 1)
        choice = draw.random()
        if choice < 0.4 and at < len(content):
            content[at] = draw.randrange(256)
        elif choice < 0.6:
            del content[at : at + draw.randint(1, 8)]
        elif choice < 0.8:
            content[at:at] = draw.randbytes(draw.randint(1, 8))
        else:
            content[at:at] = content[: draw.randint(0, 20)]
    return bytes(content)


def frames(encoding: str, turn: str, number: int) -> Iterator[bytes]:
    draw = random.Random(encoding + turn)
    for _ in range(number):
        message = draw.choice(SEEDS)
        kind = draw.random()
        if kind < 0.5:
            yield packed(mutated(message, draw), encoding)
        elif kind < 0.85:
            yield damaged(packed(message, encoding), draw)
        else:
            yield draw.randbytes(draw.randint(0, 200))


REFUSALS = {
    *("BadMessage", "Refused", "UnknownName", "SpecError", "SimulationError"),
    *("DeviceRefused", "DeviceNotEnabled", "PaddockError"),
}
ANSWERS = {"done", "answer", "scene", "observed", "reading", "refused"}
NEWS = {"robots", "clock", "sensed", "frame", "released", "scores", "welcome"}


@pytest.mark.skipif(sys.platform != "linux", reason="reads the memory of a process as Linux has it")
def test_random_and_mutated_frames_are_answered_or_refused_without_leak() -> None:
    with ServerProcess("clutter", "--lock-step") as server, Peer(server, name="witness") as witness:
        witness.ask("lock", timeout=3600)
        witness.ask("spawn", robot="own", kind="e-puck")
        witness.ask("enable", robot="own")
        warm: dict[str, int] = {}
        for turn in ("warm-up", "again"):
            for encoding in ("json", "msgpack"):
                bombard(server, witness, encoding, turn)
            warm[turn] = server.rss
        assert warm["again"] - warm["warm-up"] < 8e6
        assert witness.ask("sense", robot="own")["type"] == "observed"
        server.process.terminate()
        server.process.wait()
        assert "Traceback" not in server.log, server.log[-3000:]


def bombard(server: ServerProcess, witness: Peer, encoding: str, turn: str) -> None:
    opcode = Opcode.TEXT if encoding == "json" else Opcode.BINARY
    peer = Peer(server, encoding=encoding, name="fuzzer")
    for i, frame in enumerate(frames(encoding, turn, FRAMES)):
        peer.send_frame(frame, opcode)
        if i % 50:
            continue
        try:
            for news in peer.all_news("refused"):
                assert news["error"] in REFUSALS, news
                assert news["message"]
                assert "the server failed" not in news["message"], news
            assert {news["type"] for news in peer.news} <= ANSWERS | NEWS
            peer.news.clear()
        except Closed:  # a close is an answer, too
            peer.close()
            peer = Peer(server, encoding=encoding, name="fuzzer")
        if i % 500 == 0:
            mine = witness.tell("sense", robot="own")
            assert set(witness.answer(mine)["robots"]["own"]["readings"]) >= {"proximity", "ground"}
            witness.news.clear()
    peer.close()


@pytest.mark.parametrize("encoding", ["json", "msgpack"])
def test_bad_message_error_names_field_and_expectation(encoding: str) -> None:
    cases = [
        ([], "expected a map with a key 'type', got a list of 0"),
        ({}, "type: missing"),
        ({"type": "stpe", "id": 3}, "type: no message is called 'stpe' (did you mean 'step'?)"),
        (
            {"type": "step", "id": 3, "ticks": -1},
            "step.ticks: expected a whole number of ticks from 0 to 1000000, got -1",
        ),
        ({"type": "step", "id": 3, "tick": 1}, "step: unknown key 'tick' (did you mean 'ticks'?)"),
        ({"type": "claim", "id": 3}, "claim.robot: missing, expected a text of at most 64 characters"),
        ({"type": "welcome", "id": 3}, "type: no message is called 'welcome'"),
        (
            {"type": "command", "commands": {"red": {"wheels": [1, "x"]}}},
            "command.commands.red.wheels[1]: expected a finite number, got 'x'",
        ),
    ]
    with served() as server, Peer(server, encoding=encoding) as peer:
        for message, told in cases:
            peer.send(message)
            refused = peer.wait("refused")
            assert refused["error"] == "BadMessage"
            assert refused["message"].startswith(told)
            assert refused.get("id") == (message.get("id") if isinstance(message, dict) else None)


@pytest.mark.parametrize(
    ("frame", "opcode", "told"),
    [
        (b"", Opcode.BINARY, "not valid msgpack"),
        (b"", Opcode.TEXT, "not valid JSON"),
        (b"\xc1", Opcode.BINARY, "not valid msgpack"),
        (b"\x81" * 100_000, Opcode.BINARY, "not valid msgpack"),
        (b"[" * 100_000, Opcode.TEXT, "not valid JSON: nested too deeply"),
        (b"\xdd\xff\xff\xff\xff", Opcode.BINARY, "not valid msgpack"),
        (b"\xdf\xff\xff\xff\xff", Opcode.BINARY, "not valid msgpack"),
        (b"\xc6\xff\xff\xff\xff", Opcode.BINARY, "not valid msgpack"),
        (b'{"type":"set_pose","id":1,"robot":"red","x":NaN,"y":0}', Opcode.TEXT, "not valid JSON: expected a number"),
        (b'{"type":"get_scene","id":' + b"9" * 5000 + b"}", Opcode.TEXT, "not valid JSON"),
        (b"\xd5\xff\x00\x00", Opcode.BINARY, ""),
    ],
)
def test_malicious_frames_are_refused_and_connection_stays_open(frame: bytes, opcode: Opcode, told: str) -> None:
    with served() as server, Peer(server, encoding="json" if opcode is Opcode.TEXT else "msgpack") as peer:
        peer.send_frame(frame, opcode)
        refused = peer.wait("refused")
        assert refused["error"] == "BadMessage"
        assert refused["message"].startswith(told)
        assert len(refused["message"]) < 2100
        assert peer.ask("sense", robot="red")["type"] == "observed"


def test_invalid_utf8_text_is_refused() -> None:
    with served() as server, Peer(server, encoding="json") as peer:
        peer.send_frame(b'{"type":"get_scene","id":1,"x":"\xff\xfe"}', Opcode.TEXT)
        assert peer.wait("refused")["error"] == "BadMessage"
        assert peer.ask("sense", robot="red")["type"] == "observed"


@pytest.mark.parametrize("pieces", [1, 7])
def test_oversize_message_closes_connection_with_code_1009(pieces: int) -> None:
    with served() as server, Peer(server) as other, Peer(server) as peer:
        size = (1024 * 1024 + 8) // pieces + 1
        with contextlib.suppress(OSError):
            for i in range(pieces):
                opcode = Opcode.BINARY if i == 0 else Opcode.CONT
                peer.send_frame(b"\xc0" * size, opcode, fin=i == pieces - 1)
        code, _ = peer.until_closed()
        assert code in (1009, 1006)  # 1006: it was gone before it could be read
        assert other.ask("sense", robot="red")["type"] == "observed"


def test_message_of_maximum_size_is_read() -> None:
    with served() as server, Peer(server, encoding="json") as peer:
        message = b'{"type":"get_scene","id":77' + b" " * (1024 * 1024 - 28) + b"}"
        peer.send_frame(message, Opcode.TEXT)
        assert peer.answer(77)["type"] == "scene"


@pytest.mark.parametrize("encoding", ["json", "msgpack"])
def test_fragmented_message_with_interleaved_pings_is_read(encoding: str) -> None:
    opcode = Opcode.TEXT if encoding == "json" else Opcode.BINARY
    with served() as server, Peer(server, encoding=encoding) as peer:
        data = packed({"type": "sense", "id": 99, "robot": "red"}, encoding)
        for i, byte in enumerate(data):
            peer.send_frame(bytes([byte]), opcode if i == 0 else Opcode.CONT, fin=False)
            peer.send_frame(b"still there?", Opcode.PING)
            peer.send_frame(b"", Opcode.CONT, fin=False)
        peer.send_frame(b"", Opcode.CONT)
        assert peer.answer(99)["type"] == "observed"


@pytest.mark.parametrize(
    "broken",
    [
        b"\x82\x01x",  # not masked
        b"\xf2\x80\x00\x00\x00\x00",  # reserved bits
        b"\x83\x80\x00\x00\x00\x00",  # an opcode that nobody knows
        b"\x80\x81\x00\x00\x00\x00x",  # a continuation of nothing
        b"\x89\xfe\x00\x80" + b"\x00" * 132,  # a ping too long
        b"\x09\x80\x00\x00\x00\x00",  # a ping in pieces
        b"\x88\x81\x00\x00\x00\x00x",  # a close with half a code
        b"\x82\xff\xff\xff\xff\xff\xff\xff\xff\xff",  # 2⁶⁴ bytes to come
    ],
)
def test_invalid_websocket_frames_close_only_their_connection(broken: bytes) -> None:
    with served() as server, Peer(server) as other, Peer(server) as peer:
        peer.send_bytes(broken)
        code, _ = peer.until_closed()
        assert code in (1002, 1009)
        assert other.ask("sense", robot="red")["type"] == "observed"


def test_empty_fragments_use_no_memory() -> None:
    with served() as server, Peer(server) as peer, Peer(server) as other:
        peer.send_frame(b"\xc0", fin=False)
        for _ in range(5000):
            peer.send_frame(b"", Opcode.CONT, fin=False)
        assert other.ask("sense", robot="red")["type"] == "observed"
        parts = [len(connection._reader._parts) for connection in server.connections]
        assert sum(parts) <= 1
