"""Every message round-trips in both encodings."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from network.protocol.drawn import record
from network.protocol.samples import KNOWN, decode, same
from paddock.core.observation import Command, WheelSpeeds
from paddock.network.protocol import Encoding, encode
from paddock.network.protocol.messages import Observed, RobotReadings, SetPose, Step

ENCODINGS: tuple[Encoding, ...] = ("msgpack", "json")


@pytest.mark.parametrize("kind", KNOWN)
def test_messages_round_trip(kind: str) -> None:
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
def test_numpy_numbers_are_sent_as_plain_numbers(encoding: Encoding) -> None:
    wheels = WheelSpeeds(np.float32(0.5), np.float64(0.25))  # type: ignore[arg-type]
    data = encode(Step(id=1, ticks=np.int64(3), commands={"red": Command(wheels=wheels)}), encoding)  # type: ignore[arg-type]
    arrived = decode(data if encoding == "msgpack" else data.decode())
    assert arrived == Step(id=1, ticks=3, commands={"red": Command(wheels=(0.5, 0.25))})


def test_integers_are_converted_to_floats() -> None:
    arrived = decode('{"type":"set_pose","id":1,"robot":"red","x":1,"y":-2}')
    assert arrived == SetPose(id=1, robot="red", x=1.0, y=-2.0)
    assert type(arrived.x) is float


@given(st.lists(st.floats(), max_size=20))
def test_readings_are_bit_identical_in_msgpack(values: list[float]) -> None:
    sent = np.array(values, np.float64)
    seen = RobotReadings(wheels=(0.0, 0.0), readings={"eye": sent})
    arrived = decode(encode(Observed(id=1, tick=1, robots={"red": seen})))
    assert isinstance(arrived, Observed)
    assert arrived.robots["red"].readings["eye"].tobytes() == sent.tobytes()


def test_non_finite_numbers_are_null_in_json() -> None:
    seen = RobotReadings(wheels=(0.0, 0.0), readings={"eye": np.array([1.5, math.nan, math.inf])})
    told = json.loads(encode(Observed(id=1, tick=1, robots={"red": seen}), "json"))
    assert told["robots"]["red"]["readings"]["eye"] == [1.5, None, None]


def test_readings_of_any_layout_and_type_are_sent_as_little_endian_float64() -> None:
    strided = np.arange(6, dtype=">f4")[::2]
    seen = RobotReadings(wheels=(0.0, 0.0), readings={"eye": strided})  # type: ignore[dict-item]
    arrived = decode(encode(Observed(id=1, tick=1, robots={"red": seen})))
    assert isinstance(arrived, Observed)
    assert arrived.robots["red"].readings["eye"].tolist() == [0.0, 2.0, 4.0]
