"""The binary frame: 20 bytes per robot, and one bit per LED."""

from __future__ import annotations

import math
import struct

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from paddock.network.protocol.frames import BODY, pack, pack_leds


def packed(  # one robot
    pose: tuple[float, float, float] = (0.0, 0.0, 0.0),
    wheels: tuple[float, float] = (0.0, 0.0),
    contacts: float = 0.0,
    bearing: float = 0.0,
) -> bytes:
    return pack(np.array([pose]), np.array([wheels]), np.array([contacts]), np.array([bearing]))


def test_body_has_documented_layout() -> None:
    data = packed((0.25, -0.5, 1.5), (0.1, -0.05), 2, math.pi / 2)
    assert struct.unpack("<fffhhHH", data) == (0.25, -0.5, 1.5, 100, -50, 2, 16384)
    assert BODY.itemsize == len(data) == 20


@given(
    st.tuples(*[st.floats(-1e6, 1e6, width=32)] * 3),
    st.tuples(*[st.floats(-32.7, 32.7)] * 2),
    st.integers(0, 65535),
    st.floats(-10, 10),
)
def test_packing_round_trip(
    pose: tuple[float, float, float], wheels: tuple[float, float], contacts: int, bearing: float
) -> None:
    (body,) = np.frombuffer(packed(pose, wheels, contacts, bearing), BODY)
    assert (body["x"], body["y"], body["heading"]) == pose
    assert abs(body["left"] / 1000 - wheels[0]) <= 0.0005 + 1e-12
    assert abs(body["right"] / 1000 - wheels[1]) <= 0.0005 + 1e-12
    assert body["contacts"] == contacts
    off = body["bearing"] * math.tau / 65536 - bearing
    assert abs(math.remainder(off, math.tau)) <= math.pi / 65536 + 1e-9


@given(st.integers(1, 5), st.integers(0, 64), st.data())
def test_every_led_has_one_bit(robots: int, leds: int, data: st.DataObject) -> None:
    """An e-puck2 has 18 LEDs, an uploaded robot up to 64."""
    brightness = data.draw(
        st.lists(
            st.lists(st.sampled_from([0.0, 0.5, 1.0]), min_size=leds, max_size=leds), min_size=robots, max_size=robots
        )
    )
    given_leds = np.array(brightness).reshape(robots, leds)
    bits = pack_leds(given_leds)
    rows = np.frombuffer(bits, np.uint8).reshape(robots, -1)
    on = np.unpackbits(rows, axis=1, bitorder="little").astype(bool)
    lit = np.zeros((robots, max(leds, on.shape[1])), bool)
    lit[:, :leds] = given_leds > 0
    assert len(bits) == (robots * math.ceil(leds / 8) if lit.any() else 0)
    assert on.tolist() == lit[:, : on.shape[1]].tolist()
    assert on.any() == lit.any()


def test_leds_have_documented_layout() -> None:
    leds = np.zeros((2, 18))
    leds[0, 0] = leds[1, 8] = leds[1, 17] = 1.0
    assert pack_leds(leds) == bytes([1, 0, 0, 0, 1, 2])


def test_dark_leds_take_no_bytes() -> None:
    assert pack_leds(np.zeros((5000, 64))) == b""


def test_values_out_of_range_are_clamped() -> None:
    (body,) = np.frombuffer(packed(wheels=(1e3, -1e3), contacts=100_000), BODY)
    assert (body["left"], body["right"], body["contacts"]) == (32767, -32768, 65535)


def test_world_without_robots_gives_empty_frame() -> None:
    none = np.zeros((0,))
    assert pack(np.zeros((0, 3)), np.zeros((0, 2)), none, none) == b""
    assert pack_leds(np.zeros((0, 0))) == b""
