"""Orders and replies as texts, and their frames."""

from __future__ import annotations

import binascii

import pytest
from hypothesis import given
from hypothesis import strategies as st

from experiments.ecoli.waypoint_robots.lines import Bench
from paddock import PaddockError
from paddock.core.errors import BadMessage
from paddock.experiments.ecoli.waypoint_robots.frames import (
    FrameReader,
    LegacyReader,
    next_number,
    read_checked,
    write_checked,
    write_checked_text,
    write_frame,
)
from paddock.experiments.ecoli.waypoint_robots.texts import (
    ARGUMENTS,
    TEMPLATES,
    Order,
    read_order,
    read_order_loosely,
    read_reply,
    write_order,
    write_reply,
)

NUMBERS = st.floats(-9999, 9999).map(lambda number: round(number, 6))
ORDERS = st.sampled_from([letter for letter in ARGUMENTS if letter != "N"]).flatmap(
    lambda letter: st.tuples(*[NUMBERS] * ARGUMENTS[letter]).map(lambda numbers: Order(letter, numbers))
)


def test_published_example_is_encoded_as_published() -> None:
    assert write_frame(write_order(Order("P", (22.5, 14.36)), decimals=2)) == b"\2P22.50;14.36\3"


@pytest.mark.parametrize(
    ("numbers", "text"), [((20, 95), "O20.;95."), ((22.5, -0.0), "O22.5;0."), ((1 / 3, 0), "O0.333333;0.")]
)
def test_numbers_are_written_without_trailing_zeros(numbers: tuple[float, float], text: str) -> None:
    assert write_order(Order("O", numbers)) == text


@given(ORDERS)
def test_every_order_round_trips(order: Order) -> None:
    text = write_order(order)
    for read in (read_order(text), read_order_loosely(text)):
        assert read is not None
        assert read.letter == order.letter
        assert read.numbers == pytest.approx(order.numbers, abs=1e-6)


@given(st.sampled_from(sorted(TEMPLATES)), st.lists(st.integers(0, 4095), min_size=20, max_size=20))
def test_every_reply_round_trips(kind: str, numbers: list[int]) -> None:
    used = numbers[: TEMPLATES[kind].count("{")]
    assert read_reply(write_reply(kind, *used)) == (kind, tuple(used))


@pytest.mark.parametrize(
    ("text", "order"),
    [
        ("O39.00;9", Order("O", (39.0, 9.0))),
        ("O39.0x0;95.00", Order("O", (39.0, 95.0))),
        ("O39.00;95.00O39.00;95.00", Order("O", (39.0, 95.0))),
        ("O39.00", Order("O", (39.0, 0.0))),
        ("P;7", Order("P", (0.0, 7.0))),
        ("Q1", None),
        ("", None),
    ],
)
def test_legacy_robot_parses_orders_loosely(text: str, order: Order | None) -> None:
    assert read_order_loosely(text) == order


def test_short_number_after_a_long_one_has_no_leftover_decimals() -> None:
    bench = Bench()
    assert bench.order("P123.456789;11.071234") == "SEND_POSITION(123.456789,11.071234)"
    assert bench.order("P9;7") == "SEND_POSITION(9.000000,7.000000)"


@pytest.mark.parametrize(
    "text", ["", "O39.00", "O39.00;95.00;1", "O39;nan", "O39.00;95.00 ", "Z", "P1e9;2", "Oa;b", "i1"]
)
def test_invalid_checked_order_is_refused(text: str) -> None:
    with pytest.raises(BadMessage):
        read_order(text)


@pytest.mark.parametrize("order", [Order("O", (1.0,)), Order("Z"), Order("A", (float("nan"),))])
def test_invalid_order_is_not_written(order: Order) -> None:
    with pytest.raises(PaddockError, match="expected"):
        write_order(order)


def test_legacy_reader_merges_two_consecutive_messages() -> None:
    reader = LegacyReader()
    assert reader.feed(b"\2P1;2\3\2A0\3") == "P1;2A0"
    assert reader.feed(b"noise\2A") is None
    assert reader.feed(b"\x03\x020") is None  # bytes 2 and 3 are dropped wherever they are
    assert reader.feed(b"\3") == "noiseA0"


@given(st.lists(st.text(st.characters(min_codepoint=32, max_codepoint=126), min_size=1, max_size=40)), st.data())
def test_frame_reader_returns_every_message_for_any_split(texts: list[str], data: st.DataObject) -> None:
    stream, reader, found = b"".join(write_frame(text) for text in texts), FrameReader(), []
    while stream:
        count = data.draw(st.integers(1, len(stream)))
        found += reader.feed(stream[:count])
        stream = stream[count:]
    assert found == texts


def test_overlong_frame_is_dropped() -> None:
    reader = FrameReader()
    assert reader.feed(b"\2" + b"x" * 100_000 + b"\3\2P1;2\3") == ["P1;2"]


def test_checksum_is_the_standard_crc_16() -> None:
    assert binascii.crc_hqx(b"123456789", 0xFFFF) == 0x29B1
    assert write_checked(7, "O39.00;95.00") == b"\2@0007:0c:O39.00;95.00*8c8f\3"


@given(st.integers(0, 0xFFFF), st.text(st.characters(min_codepoint=32, max_codepoint=126), max_size=100), st.data())
def test_checked_frame_with_a_bit_error_or_lost_byte_is_refused(number: int, text: str, data: st.DataObject) -> None:
    whole = write_checked_text(number, text)
    assert read_checked(whole) == (number, text)
    i, bit = data.draw(st.integers(0, len(whole) - 1)), data.draw(st.integers(0, 6))
    assert read_checked(whole[:i] + chr(ord(whole[i]) ^ 1 << bit) + whole[i + 1 :]) is None
    assert read_checked(whole[:i] + whole[i + 1 :]) is None


def test_order_numbers_wrap_around_and_skip_zero() -> None:
    assert [next_number(number) for number in (0, 1, 0xFFFF)] == [1, 2, 1]
