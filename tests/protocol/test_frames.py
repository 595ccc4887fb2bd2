"""All robots in 20 bytes each."""

from __future__ import annotations

import math
import struct

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from paddock.core.errors import BadMessage
from paddock.protocol.frames import BODY, MOST_LAMPS, pack, unpack


def packed(  # one robot
    pose: tuple[float, float, float] = (0.0, 0.0, 0.0),
    wheels: tuple[float, float] = (0.0, 0.0),
    contacts: float = 0.0,
    bearing: float = 0.0,
    lamps: tuple[float, ...] = (),
) -> bytes:
    return pack(np.array([pose]), np.array([wheels]), np.array([contacts]), np.array([bearing]), np.array([lamps]))


def test_a_body_is_laid_out_as_the_page_says() -> None:
    data = packed((0.25, -0.5, 1.5), (0.1, -0.05), 2, math.pi / 2, (1.0, 0.0, 0.3))
    assert struct.unpack("<fffhhBBH", data) == (0.25, -0.5, 1.5, 100, -50, 2, 64, 0b101)
    assert BODY.itemsize == len(data) == 20


@given(
    st.tuples(*[st.floats(-1e6, 1e6, width=32)] * 3),
    st.tuples(*[st.floats(-32.7, 32.7)] * 2),
    st.integers(0, 255),
    st.floats(-10, 10),
    st.lists(st.sampled_from([0.0, 0.5, 1.0]), max_size=MOST_LAMPS).map(tuple),
)
def test_what_is_packed_is_unpacked(
    pose: tuple[float, float, float],
    wheels: tuple[float, float],
    contacts: int,
    bearing: float,
    lamps: tuple[float, ...],
) -> None:
    (body,) = unpack(packed(pose, wheels, contacts, bearing, lamps))
    assert (body["x"], body["y"], body["heading"]) == pose
    assert abs(body["left"] / 1000 - wheels[0]) <= 0.0005 + 1e-12
    assert abs(body["right"] / 1000 - wheels[1]) <= 0.0005 + 1e-12
    assert body["contacts"] == contacts
    off = body["bearing"] * math.tau / 256 - bearing
    assert abs(math.remainder(off, math.tau)) <= math.pi / 256 + 1e-9
    assert [bool(body["lamps"] >> i & 1) for i in range(len(lamps))] == [lamp > 0 for lamp in lamps]


def test_what_does_not_fit_is_capped() -> None:
    (body,) = unpack(packed(wheels=(1e3, -1e3), contacts=1000, lamps=(1.0,) * 20))
    assert (body["left"], body["right"], body["contacts"], body["lamps"]) == (32767, -32768, 255, 65535)


def test_a_world_without_robots_is_an_empty_frame() -> None:
    none = np.zeros((0,))
    assert pack(np.zeros((0, 3)), np.zeros((0, 2)), none, none, np.zeros((0, 0))) == b""
    assert len(unpack(b"")) == 0


def test_a_frame_of_a_wrong_length_is_refused() -> None:
    with pytest.raises(BadMessage, match=r"frame\.bodies: expected 20 bytes per robot, got 19 bytes"):
        unpack(bytes(19))
