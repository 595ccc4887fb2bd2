"""Errors name the field, the expectation and the value, and are short for any input."""

from __future__ import annotations

import json
import struct
import sys
import tracemalloc
from typing import Any

import msgpack
import pytest

from network.protocol.samples import decode
from paddock.core.errors import BadMessage
from paddock.network.protocol import MessageDecoder
from paddock.network.protocol.encoding import Malformed
from paddock.network.protocol.message_base import MAX_ENTRIES
from paddock.network.protocol.messages import REQUESTS

LONG = 210_000  # letters or entries


def refusal(data: bytes | str) -> str:
    with pytest.raises(BadMessage) as caught:
        decode(data)
    return str(caught.value)


def nested(levels: int) -> Any:
    value: Any = 0
    for _ in range(levels):
        value = {"in": value}
    return value


SPAWN = {"type": "spawn", "id": 1, "robot": "me", "kind": "e-puck"}
ID = "a whole number from 0 to 2147483647"
PLAIN = "a text, a number, true, false, a list or a map"
WRONG: list[tuple[Any, str]] = [
    (7, "expected a map with a key 'type', got 7"),
    ([], "expected a map with a key 'type', got a list of 0"),
    ({}, "type: missing"),
    ({"type": "stpe"}, "type: no message is called 'stpe' (did you mean 'step'?)"),
    ({"type": "get_scene"}, f"get_scene.id: missing, expected {ID}"),
    ({"type": "get_scene", "id": True}, f"get_scene.id: expected {ID}, got true"),
    ({"type": "get_scene", "id": 1.0}, f"get_scene.id: expected {ID}, got 1"),
    ({"type": "get_scene", "id": -1}, f"get_scene.id: expected {ID}, got -1"),
    ({"type": "get_scene", "id": 2**31}, f"get_scene.id: expected {ID}, got 2147483648"),
    ({"type": "get_scene", "id": None}, f"get_scene.id: expected {ID}, got null"),
    ({"type": "get_scene", "id": 1, "di": 2}, "get_scene: unknown key 'di' (there are: id)"),
    ({"type": "claim", "id": 1}, "claim.robot: missing, expected a text of at most 64 characters"),
    ({"type": "claim", "id": 1, "robot": "r" * 65}, "claim.robot: expected a text of at most 64 characters, got 65"),
    ({"type": "claim", "id": 1, "robot": "a\nb"}, "claim.robot: expected printable characters, got 'a\\nb'"),
    ({"type": "step", "id": 1, "ticks": 10**7}, "step.ticks: expected a whole number of ticks from 0 to 1000000, got"),
    ({"type": "step", "id": 1, "commands": []}, "step.commands: expected a map of at most 20000, got a list of 0"),
    ({"type": "command", "commands": {"red": 5}}, "command.commands.red: expected a map, got 5"),
    (
        {"type": "command", "commands": {"red": {"wheels": [1]}}},
        "command.commands.red.wheels: expected a list of 2, got a list of 1",
    ),
    (
        {"type": "command", "commands": {"red": {"wheels": [1, False]}}},
        "command.commands.red.wheels[1]: expected a finite number, got false",
    ),
    (
        {"type": "command", "commands": {"red": {"weels": [1, 1]}}},
        "command.commands.red: unknown key 'weels' (did you mean 'wheels'?)",
    ),
    (
        {"type": "command", "commands": {"x" * 65: {}}},
        "command.commands: expected keys of at most 64 printable characters, got",
    ),
    (SPAWN | {"kind": 5}, "spawn.kind: expected a text of at most 64 characters or a map, got 5"),
    (SPAWN | {"kind": "k" * 65}, "spawn.kind: expected a text of at most 64 characters, got 65"),
    (SPAWN | {"kind": {"sensors": [None]}}, f"spawn.kind.sensors[0]: expected {PLAIN}, got null"),
    (
        SPAWN | {"kind": {"n": 2**63}},
        "spawn.kind.n: expected a whole number of at most 64 bits, got 9223372036854775808",
    ),
    (SPAWN | {"kind": nested(17)}, "spawn.kind" + 16 * ".in" + ": expected at most 16 levels, got more"),
    (SPAWN | {"at": [0, "here"]}, "spawn.at[1]: expected a finite number, got 'here'"),
    (
        {"type": "set_speed", "id": 1, "speed": -1},
        "set_speed.speed: expected a factor from 0.01 to 1000, or 0 for as fast",
    ),
    ({"type": "lock", "id": 1, "on": 1}, "lock.on: expected true or false, got 1"),
    (
        {"type": "reset", "id": 1, "seed": -1},
        "reset.seed: expected a whole number from 0 to 9223372036854775807, got -1",
    ),
    (
        {"type": "frame", "frame": 1, "tick": 1, "bodies": "?"},
        "frame.bodies: expected bytes, in JSON a text in base64, ",
    ),
    ({"type": "reading", "id": 1, "tick": 1, "values": ["1"]}, "reading.values: expected bytes of float64, or a list"),
    ({"type": "reading", "id": 1, "tick": 1, "values": [[1]]}, "reading.values: expected bytes of float64, or a list"),
]


@pytest.mark.parametrize(("message", "told"), WRONG, ids=[told.partition(":")[0] for _, told in WRONG])
def test_errors_name_the_field(message: Any, told: str) -> None:
    assert refusal(json.dumps(message)).startswith(told)
    assert refusal(msgpack.packb(message)).startswith(told)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "not valid JSON: Expecting value"),
        ('{"type":"get_scene","id":NaN}', "not valid JSON: expected a number or null, got NaN"),
        ('{"type":"spawn","kind":{"n":-Infinity}}', "not valid JSON: expected a number or null, got -Infinity"),
        ('{"type":"frames","id":1,"rate":1e999}', "frames.rate: expected frames per second >= 0 and <= 120, got inf"),
        ('{"type":"set_pose","id":1,"robot":"r","y":0,"x":1e999}', "set_pose.x: expected a finite number, got inf"),
        (
            '{"type":"set_pose","id":1,"x":-%s}' % ("9" * 4000),
            "set_pose.x: expected a finite number, got a number of 400",
        ),
        ('{"type":"get_scene","id":%s}' % ("9" * 5000), "not valid JSON: Exceeds the limit (4300 digits)"),
        ('{"type":"claim","id":1,"robot":"\\ud800"}', "claim.robot: expected printable characters, got '\\ud800'"),
        (
            '{"type":"spawn","id":1,"robot":"r","kind":{"note":"a\\n\\udfff"}}',
            "JSON is malformed: invalid utf-16 surrogate pair",
        ),
        ("[" * LONG, "not valid JSON: nested too deeply"),
    ],
    ids=["empty", "NaN", "Infinity", "1e999", "inf", "whole", "digits", "surrogate", "in a spec", "deep"],
)
def test_errors_of_invalid_json(text: str, told: str) -> None:
    assert refusal(text).startswith(told)


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (b"", "not valid msgpack: Input data was truncated"),
        (b"\xc1", "not valid msgpack: "),
        (b"\x80\x00", "not valid msgpack: MessagePack data is malformed: trailing"),
        (b"\x81\xa4type\xa2\xff\xfe", "not valid msgpack: 'utf-8' codec can't decode"),
        (b"\x81\x90\x00", "type: missing"),
        (b"\x81\x07\x00", "type: missing"),
        (b"\x82\xa4type\xa9get_scene\xc4\x02id\x01", "get_scene: unknown key 2 bytes"),
        (
            msgpack.packb({"type": "get_scene", "id": msgpack.Timestamp(1, 2)}),
            f"get_scene.id: expected {ID}, got a msgpack exten",
        ),
        (msgpack.packb({"type": "spawn", "at": msgpack.ExtType(2, b"!!")}), "spawn.at: expected a list of 2 or null"),
        (
            msgpack.packb(SPAWN | {"kind": {"when": msgpack.Timestamp(1)}}),
            f"spawn.kind.when: expected {PLAIN}, got a msg",
        ),
        (msgpack.packb({"type": "set_pose", "x": float("nan")}), "set_pose.x: expected a finite number, got nan"),
        (msgpack.packb({"type": "reading", "values": b"1234567"}), "reading.values: expected bytes of float64, or a"),
        (b"\x91" * 2000, "not valid msgpack: "),
        (b"\x81\xa4type" + b"\x91" * 900 + b"\xc0", "type: no message is called a list of 1 (there are: "),
    ],
    ids=lambda value: None if isinstance(value, bytes) else value[:30],
)
def test_errors_of_invalid_msgpack(data: bytes, told: str) -> None:
    assert refusal(data).startswith(told)


HUGE: dict[str, bytes | str] = {
    "a long key": json.dumps({"type": "get_scene", "x" * LONG: 1}),
    "a long key of a map": json.dumps({"type": "command", "commands": {"x" * LONG: 1}}),
    "a long type": json.dumps({"type": "x" * LONG}),
    "a long name": json.dumps({"type": "claim", "id": 1, "robot": "x" * LONG}),
    "a list for a number": json.dumps({"type": "get_scene", "id": [None] * LONG}),
    "a list for a pair": json.dumps(SPAWN | {"at": [[None] * LONG]}),
    "bytes for a number": msgpack.packb({"type": "get_scene", "id": bytes(LONG)}),
    "many devices": json.dumps({"type": "enable", "id": 1, "robot": "r", "devices": ["a"] * LONG}),
    "many keys": json.dumps({"type": "get_scene", **{f"k{i}": i for i in range(LONG // 10)}}),
    "many keys and one twice": "{" + "".join(f'"k{i}":0,' for i in range(LONG // 10)) + '"k7":0}',
    "many commands": json.dumps({"type": "command", "commands": {f"k{i}": {} for i in range(LONG // 10)}}),
    "many lists": "[" + "[]," * (LONG // 3) + "[]]",
    "lists that claim to be long": (b"\xdd" + struct.pack(">I", LONG)) * 1000 + bytes(LONG),
    "lists that claim to be as long as allowed": (b"\xdd" + struct.pack(">I", MAX_ENTRIES)) * 500 + bytes(LONG),
    "maps that claim to be long": b"\xdf\x00\x00\x40\x00\xa1a" * 500 + bytes(LONG),
    "a wide table": json.dumps(SPAWN | {"kind": {"sensors": [{"a": [{}] * (LONG // 6)}] * 2, "n": None}}),
}


@pytest.mark.parametrize("data", HUGE.values(), ids=HUGE.keys())
def test_huge_messages_are_refused_with_bounded_text_work_and_memory(data: bytes | str) -> None:
    calls = 0

    def count(*_: object) -> None:
        nonlocal calls
        calls += 1

    told = refusal(data)
    assert len(told) < 1000
    told.encode()
    sys.setprofile(count)
    try:
        refusal(data)
    finally:
        sys.setprofile(None)
    assert calls < 3 * len(data) + 10_000
    tracemalloc.start()
    refusal(data)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 100e6


@pytest.mark.parametrize(
    ("data", "number"),
    [
        ('{"type":"loko","id":7}', 7),
        (msgpack.packb({"type": "claim", "id": 9}), 9),
        ('{"type":"get_scene","id":true}', None),
        ('{"type":"get_scene","id":-1}', None),
        ('{"type":"get_scene","id":2147483648}', None),
        ('{"id":7', None),
        ("[7]", None),
        (b"\xc1", None),
    ],
)
def test_error_has_id_of_bad_request_if_there_is_one(data: bytes | str, number: int | None) -> None:
    with pytest.raises(Malformed) as caught:
        decode(data)
    assert caught.value.id == number


def test_only_known_messages_are_decoded() -> None:
    with pytest.raises(BadMessage, match="type: no message is called 'welcome'"):
        MessageDecoder(REQUESTS).decode('{"type":"welcome"}')
