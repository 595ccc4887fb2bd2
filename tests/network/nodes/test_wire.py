"""Tests of the JSON lines, including byte-for-byte compatibility with AP2DX."""

from __future__ import annotations

import math

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from paddock.core.errors import BadMessage
from paddock.network.nodes import message_schema
from paddock.network.nodes.bus import LONGEST_LINE, decode_message, encode_message, encode_original
from paddock.network.nodes.node_messages import (
    MESSAGES,
    ActionMessage,
    DriveMessage,
    HelloMessage,
    MotorMessage,
    RangeScannerMessage,
    SonarMessage,
    StopMessage,
    to_numbers,
)

GOLDEN = [  # the first two were caught from the original coordinator
    (
        HelloMessage(source="COORDINATOR", destination="SENSOR", both_ways=False, protocol=1),
        b'{"destinationModuleId":"SENSOR","sourceModuleId":"COORDINATOR","type":"HELLO!!!","Bidirection":false}',
    ),
    (
        SonarMessage(source="COORDINATOR", destination="SENSOR", time=395.7716, sequence=7, sent=1.0,
                     values=[4.5798, 2.1461, 1.745, None, 5.0, 1.0, 2.0, 3.0]),
        b'{"destinationModuleId":"SENSOR","rangeArray":[4.5798,2.1461,1.745,5.0,5.0,1.0,2.0,3.0],'
        b'"sourceModuleId":"COORDINATOR","time":395.7716,"type":"sensorSonar"}',
    ),
    (
        ActionMessage(source="PLANNER", destination="REFLEX", action="FORWARD", value=10.0, epoch=3),
        b'{"actionType":"FORWARD","destinationModuleId":"REFLEX","sourceModuleId":"PLANNER","type":"motorAction",'
        b'"value":10.0}',
    ),
    (
        MotorMessage(source="MOTOR", destination="COORDINATOR", left=-3.0, right=-3.0),
        b'{"destinationModuleId":"COORDINATOR","leftValue":-3.0,"normalized":true,"rightValue":-3.0,'
        b'"sourceModuleId":"MOTOR","type":"motor"}',
    ),
    (
        StopMessage(source="REFLEX", destination="PLANNER", epoch=4, reason="near"),
        b'{"destinationModuleId":"PLANNER","sourceModuleId":"REFLEX","type":"STOP"}',
    ),
]  # fmt: skip


@pytest.mark.parametrize(("message", "line"), GOLDEN, ids=lambda value: type(value).__name__)
def test_ap2dx_modules_receive_their_own_lines_byte_for_byte(message: msgspec.Struct, line: bytes) -> None:
    assert encode_original(message) == line  # type: ignore[arg-type]
    assert decode_message(line).__class__ is message.__class__


def test_ap2dx_line_is_read_without_number_and_times() -> None:
    message = decode_message(
        b'{"dataArray":[1.5,20.0],"destinationModuleId":"SENSOR","fov":3.14,"resolution":0.017,'
        b'"sourceModuleId":"COORDINATOR","type":"sensorRangeScanner"}'
    )
    assert message == RangeScannerMessage(
        source="COORDINATOR", destination="SENSOR", fov=3.14, resolution=0.017, values=[1.5, 20.0]
    )


@given(st.lists(st.floats(), max_size=20), st.floats(allow_nan=False, allow_infinity=False))
def test_messages_survive_encoding_and_infinity_becomes_null(values: list[float], time: float) -> None:
    message = SonarMessage(source="SENSOR", sequence=3, time=time, values=to_numbers(values))
    line = encode_message(message)
    assert decode_message(line) == message
    assert b"\n" not in line
    assert (b"null" in line) == any(not math.isfinite(value) for value in values)


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        (b"{", "not valid JSON"),
        (b"\xff\xfe", "not valid JSON"),
        (b"[1]", "expected a JSON object"),
        (b'{"type":[]}', r"no message of type \[\]"),
        (b'{"type":"sensorSonor"}', "no message of type 'sensorSonor' .did you mean 'sensorSonar'"),
        (b'{"type":"sensorSonar","rangeArray":["a"]}', r"sensorSonar: Expected .* at `\$.rangeArray\[0\]`"),
        (b'{"type":"drive","left":1}', "drive: Object missing required field `right`"),
        (b'{"type":"drive","left":1e999,"right":0}', "drive: Number out of range"),
        (b'{"type":"drive","left":1,"right":0,"sourceModuleId":"../x"}', "drive: .*sourceModuleId"),
        (b'{"type":"sensorSonar","rangeArray":[' + b"1," * 5000 + b"1]}", "sensorSonar: Expected `array` of length <="),
        (b"[" * 100_000, "not valid JSON"),
        (b" " * (LONGEST_LINE + 1), "at most 1048576 are allowed"),
    ],
)
def test_invalid_message_is_refused_with_the_reason(line: bytes, problem: str) -> None:
    with pytest.raises(BadMessage, match=problem):
        decode_message(line)


def test_unknown_fields_are_ignored() -> None:
    line = b'{"type":"drive","left":0.5,"right":0.25,"colour":"red"}'
    assert decode_message(line) == DriveMessage(left=0.5, right=0.25)


def test_schema_names_every_type() -> None:
    schema = message_schema()
    kinds = {entry["properties"]["type"]["enum"][0] for entry in schema["$defs"].values() if "properties" in entry}
    assert kinds == set(MESSAGES)
