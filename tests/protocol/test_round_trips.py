"""What is sent is what arrives, for every message and in both encodings."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paddock.core.observation import Command, WheelSpeeds
from paddock.protocol import Encoding, encode
from paddock.protocol.messages import Observed, RobotReadings, SetPose, Step
from protocol.drawn import record
from protocol.samples import KNOWN, decode, same

ENCODINGS: tuple[Encoding, ...] = ("msgpack", "json")


@pytest.mark.parametrize("kind", KNOWN)
def test_a_message_arrives_as_it_was_sent(kind: str) -> None:
    @settings(max_examples=20)
    @given(record(KNOWN[kind]))
    def check(sent: object) -> None:
        for encoding in ENCODINGS:
            data = encode(sent, encoding)  # type: ignore[arg-type]
            arrived = decode(data if encoding == "msgpack" else data.decode())
            assert same(arrived, sent)
            assert encode(arrived, encoding) == data

    check()


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_numbers_of_numpy_travel_as_plain_ones(encoding: Encoding) -> None:
    wheels = WheelSpeeds(np.float32(0.5), np.float64(0.25))  # type: ignore[arg-type]
    data = encode(Step(id=1, ticks=np.int64(3), commands={"red": Command(wheels=wheels)}), encoding)  # type: ignore[arg-type]
    arrived = decode(data if encoding == "msgpack" else data.decode())
    assert arrived == Step(id=1, ticks=3, commands={"red": Command(wheels=(0.5, 0.25))})


def test_whole_numbers_become_floats_where_floats_are_wanted() -> None:
    arrived = decode('{"type":"set_pose","id":1,"robot":"red","x":1,"y":-2}')
    assert arrived == SetPose(id=1, robot="red", x=1.0, y=-2.0)
    assert type(arrived.x) is float


@given(st.lists(st.floats(), max_size=20))
def test_readings_travel_bit_by_bit_in_msgpack(values: list[float]) -> None:
    sent = np.array(values, np.float64)
    seen = RobotReadings(wheels=(0.0, 0.0), readings={"eye": sent})
    arrived = decode(encode(Observed(id=1, tick=1, robots={"red": seen})))
    assert isinstance(arrived, Observed)
    assert arrived.robots["red"].readings["eye"].tobytes() == sent.tobytes()


def test_what_is_no_number_is_null_in_json() -> None:
    seen = RobotReadings(wheels=(0.0, 0.0), readings={"eye": np.array([1.5, math.nan, math.inf])})
    told = json.loads(encode(Observed(id=1, tick=1, robots={"red": seen}), "json"))
    assert told["robots"]["red"]["readings"]["eye"] == [1.5, None, None]


def test_readings_of_any_layout_and_type_are_little_endian_float64() -> None:
    strided = np.arange(6, dtype=">f4")[::2]
    seen = RobotReadings(wheels=(0.0, 0.0), readings={"eye": strided})  # type: ignore[dict-item]
    arrived = decode(encode(Observed(id=1, tick=1, robots={"red": seen})))
    assert isinstance(arrived, Observed)
    assert arrived.robots["red"].readings["eye"].tolist() == [0.0, 2.0, 4.0]
