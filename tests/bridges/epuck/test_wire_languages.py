"""The e-puck's serial and Wi-Fi protocols, compared byte by byte."""

from __future__ import annotations

import struct

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from paddock.bridges.epuck.wire import packets, sercom
from paddock.bridges.epuck.wire.pixels import GREY, RGB565, YUV, decode_pixels, encode_pixels
from paddock.core.errors import BadMessage


def test_binary_codes_are_the_negated_letters() -> None:
    known = {"N": 0xB2, "A": 0xBF, "a": 0x9F, "E": 0xBB, "M": 0xB3, "O": 0xB1, "Q": 0xAF, "u": 0x8B, "U": 0xAB}
    known |= {"b": 0x9E, "g": 0x99, "t": 0x8C, "I": 0xB7}
    assert {letter: sercom.pack_command(letter)[0] for letter in known} == known
    assert sercom.pack_command("D", 1, 2)[0] == 0xBC
    assert sercom.pack_command("L", 1, 2)[0] == 0xB4
    assert sercom.pack_command("P", 1, 2)[0] == 0xB0
    forms = sercom.FORMS_OF_EPUCK2.items()
    codes = [sercom.pack_command(code, *[0] * sercom.count_bytes(form.takes))[0] for code, form in forms]
    assert codes == [0xF8, 0xF7, 0xF6, 0xF5, 0xF4, 0xF3, 0xF2, 0xF1, 0xF0, 0xEF]


def test_command_chain_matches_the_specification() -> None:
    commands = sercom.pack_command("D", 300, -300), sercom.pack_command("N"), sercom.pack_command("Q")
    assert sercom.pack_chain(*commands) == bytes.fromhex("BC 2C 01 D4 FE B2 AF 00")


def test_answer_lengths_match_the_specification() -> None:
    lengths = {
        "a": 6,
        "A": 12,
        "b": 2,
        "D": 0,
        "E": 4,
        "g": 6,
        "L": 0,
        "M": 10,
        "N": 16,
        "O": 16,
        "Q": 4,
        "t": 1,
        "u": 6,
    }
    assert {letter: sercom.count_bytes(sercom.FORMS[ord(letter)].answers) for letter in lengths} == lengths
    with pytest.raises(BadMessage, match="expected 16 bytes, got 15"):
        sercom.unpack_numbers("8H", bytes(15))


def test_text_command_format() -> None:
    assert sercom.text_command("D", 500, -500) == b"D,500,-500\r"


def test_camera_falls_back_when_an_image_exceeds_the_buffer() -> None:
    assert sercom.CameraSettings().bytes == 3200
    assert sercom.CameraSettings().corner == (160, 80)
    assert sercom.CameraSettings(1, 52, 39, 8).possible == sercom.CameraSettings(1, 52, 39, 8)
    assert sercom.CameraSettings(1, 60, 60, 4).possible == sercom.CameraSettings(1, 40, 40, 4)
    assert sercom.CameraSettings(0, 60, 60, 4).possible.width == 60


def test_epuck2_command_format() -> None:
    wanted = packets.Actuators(left=106, right=-106, leds=0b110001, colours=tuple(range(12)), sound=0x20)
    data = packets.pack_command(packets.WANT_SENSORS, wanted)
    assert len(data) == packets.COMMAND_BYTES == 21
    assert data == bytes.fromhex("80 02 00 6A 00 96 FF 31 00 01 02 03 04 05 06 07 08 09 0A 0B 20")
    assert packets.Actuators.unpack(data[2:]) == wanted


def test_every_epuck2_sensor_has_its_offset_in_the_packet() -> None:
    sensors = packets.Sensors(
        accelerometer=(1, -2, 3), acceleration=800.0, orientation=10.0, inclination=20.0, gyroscope=(4, 5, -6),
        magnetometer=(1.5, 2.5, -3.5), temperature=-7, proximity=tuple(range(100, 108)), light=tuple(range(200, 208)),
        distance=1234, microphones=(11, 12, 13, 14), steps=(-30000, 30000), battery=2000, card=1, remote=(1, 2, 3),
        selector=9, ground=(301, 302, 303), ground_light=(401, 402, 403), button=1,
    )  # fmt: skip
    data = sensors.pack()
    assert len(data) == 104
    places = [(0, "<3h", (1, -2, 3)), (6, "<f", (800.0,)), (10, "<f", (10.0,)), (14, "<f", (20.0,))]
    places += [(18, "<3h", (4, 5, -6)), (24, "<3f", (1.5, 2.5, -3.5)), (36, "b", (-7,)), (69, "<H", (1234,))]
    places += [(37, "<8H", sensors.proximity), (53, "<8H", sensors.light), (71, "<4H", (11, 12, 13, 14))]
    places += [(79, "<2h", (-30000, 30000)), (83, "<H", (2000,)), (85, "B", (1,)), (86, "3B", (1, 2, 3))]
    places += [(89, "B", (9,)), (90, "<3H", sensors.ground), (96, "<3H", (401, 402, 403)), (102, "B", (1,))]
    for place, form, values in places:
        assert struct.unpack_from(form, data, place) == values
    assert packets.Sensors.unpack(data) == sensors
    assert packets.Sensors.unpack(data[:103]) == sensors


@pytest.mark.parametrize(("place", "bad"), [(38, 0x10), (54, 0xFF), (89, 16), (102, 2), (13, 0x7F), (91, 4)])
def test_packets_with_invalid_values_are_refused(place: int, bad: int) -> None:
    data = bytearray(packets.Sensors().pack())
    data[place] = bad
    with pytest.raises(BadMessage, match=r"sensors\."):
        packets.Sensors.unpack(bytes(data))
    with pytest.raises(BadMessage, match="expected 104 bytes, got 90"):
        packets.Sensors.unpack(bytes(90))


def whole(count: int, low: int, high: int) -> st.SearchStrategy[tuple[int, ...]]:
    return st.tuples(*[st.integers(low, high)] * count)


def single(low: float, high: float) -> st.SearchStrategy[float]:
    return st.floats(low, high, width=32)


WORD = (-32768, 32767)
PACKETS = st.builds(
    packets.Sensors, whole(3, *WORD), single(0, 2600), single(0, 360), single(0, 180), whole(3, *WORD),
    st.tuples(*[single(-5000, 5000)] * 3), st.integers(-128, 127), whole(8, 0, 4095), whole(8, 0, 4095),
    st.integers(0, 65535), whole(4, 0, 4095), whole(2, *WORD), st.integers(0, 4095), st.integers(0, 1),
    whole(3, 0, 255), st.integers(0, 15), whole(3, 0, 1023), whole(3, 0, 1023), st.integers(0, 1),
)  # fmt: skip


@given(PACKETS, st.integers(0, 102), st.integers(0, 255))
def test_packets_round_trip_and_modified_ones_do_or_are_refused(
    sensors: packets.Sensors, place: int, byte: int
) -> None:
    data = bytearray(sensors.pack())
    assert packets.Sensors.unpack(bytes(data)) == sensors
    data[place] = byte
    try:
        changed = packets.Sensors.unpack(bytes(data))
    except BadMessage:
        return
    assert changed.pack()[:103] == data[:103]


@given(st.floats(-3.14, 3.14))
def test_heading_is_computed_from_the_magnetic_field(heading: float) -> None:
    assert packets.heading_from(packets.field_at(heading)) == pytest.approx(heading)


def test_pixel_formats_match_the_firmware() -> None:
    picture = np.array([[[255, 0, 0], [0, 255, 0]], [[0, 0, 255], [255, 255, 255]]], np.uint8)
    assert encode_pixels(picture, RGB565) == bytes.fromhex("F800 07E0 001F FFFF")
    assert (decode_pixels(bytes.fromhex("F800 07E0 001F FFFF"), 2, 2) == picture).all()
    assert encode_pixels(picture, GREY) == bytes([76, 149, 29, 255])
    assert len(encode_pixels(picture, YUV)) == 8
    with pytest.raises(BadMessage, match="expected 8 bytes for 2 × 2 pixels, got 7"):
        decode_pixels(bytes(7), 2, 2)


@given(st.binary(min_size=48, max_size=48))
def test_image_encoding_loses_only_the_low_bits(data: bytes) -> None:
    picture = np.frombuffer(data, np.uint8).reshape(4, 4, 3)
    back = decode_pixels(encode_pixels(picture), 4, 4).astype(int)
    assert (abs(back - picture) <= (7, 3, 7)).all()
