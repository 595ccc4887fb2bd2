"""SerCom: the text and binary protocol of e-pucks over Bluetooth and USB, without I/O.

A text command is a line that starts with a letter; so does its answer. A binary command starts with the negative of
its letter. Several binary commands form a chain that ends with a zero. Their answers are concatenated without a frame.
"""

from __future__ import annotations

import re
import struct
from dataclasses import dataclass
from typing import NamedTuple

from paddock.bridges.epuck.wire.pixels import BYTES_PER_PIXEL, RGB565
from paddock.core.errors import BadMessage

BAUD = 115200  # 8 bits, no parity, 1 stop bit, no flow control
WELCOME = b'\f\aWELCOME to the SerCom protocol on e-Puck\r\nthe EPFL education robot type "H" for help\r\n'
NOT_FOUND = b"z,Command not found\r\n"
VERSION = b"v,Version 1.2.2 August 2008 GCtronic\r\nHW version: %X\r\n"
CALIBRATING = (
    b"k, Starting calibration - Remove any object in sensors range\r\n",
    b"k, Calibration finished\r\n",
)
END_OF_CHAIN = 0
SOUNDS = {1: 262.0, 2: 330.0, 3: 392.0, 4: 523.0, 5: 659.0}
"""The firmware's recorded sounds, and the tones [Hz] that represent them in the simulation (our choice)."""

# Codes of the e-puck2's additions ("asercom v2").
ALL_SENSORS, ALL_ACTUATORS, COLOURS, BUTTON, FOUR_MICROPHONES, DISTANCE, CARD = 0x08, 0x09, 0x0A, 0x0B, 0x0C, 0x0D, 0x0E
MAGNETOMETER_ON, PROXIMITY_MODE, DISTANCE_ON = 0x0F, 0x10, 0x11
ALL_SENSORS_BYTES = 103


class Form(NamedTuple):
    """Formats of the parameters of a binary command and of its answer."""

    takes: str = ""  # struct formats, little-endian
    answers: str = ""


FORMS = {
    ord("a"): Form("", "3h"),  # accelerometer
    ord("A"): Form("", "3f"),  # acceleration, orientation, inclination
    ord("b"): Form("", "H"),  # battery
    ord("D"): Form("2h"),  # wheel speeds
    ord("E"): Form("", "2h"),  # commanded speeds
    ord("g"): Form("", "3h"),  # gyroscope
    ord("I"): Form(),  # image: 3 bytes and the pixels, see CameraSettings
    ord("L"): Form("2B"),  # LED, value
    ord("M"): Form("", "5H"),  # ground; without cliff sensors 3H
    ord("N"): Form("", "8H"),  # proximity
    ord("O"): Form("", "8H"),  # ambient light
    ord("P"): Form("2h"),  # step counters
    ord("Q"): Form("", "2h"),
    ord("t"): Form("", "b"),  # temperature
    ord("u"): Form("", "3H"),  # loudness
    ord("U"): Form("", "601B"),  # samples of the microphones
    ord("W"): Form("3B"),  # I2C
}
FORMS_OF_EPUCK2 = {
    ALL_SENSORS: Form("", f"{ALL_SENSORS_BYTES}B"),
    ALL_ACTUATORS: Form("19B"),
    COLOURS: Form("12B"),
    BUTTON: Form("", "B"),
    FOUR_MICROPHONES: Form("", "4H"),
    DISTANCE: Form("", "H"),
    CARD: Form("", "B"),
    MAGNETOMETER_ON: Form("B", "B"),
    PROXIMITY_MODE: Form("B", "B"),
    DISTANCE_ON: Form("B", "B"),
}


def count_bytes(form: str) -> int:
    """Return the number of bytes of a format."""
    return struct.calcsize("<" + form)


def pack_command(letter: str | int, *values: int) -> bytes:
    """Return one binary command, without the end of a chain."""
    number = ord(letter) if isinstance(letter, str) else letter
    form = FORMS.get(number) or FORMS_OF_EPUCK2[number]
    return bytes([-number & 0xFF]) + struct.pack("<" + form.takes, *values)


def pack_chain(*commands: bytes) -> bytes:
    """Return a chain of commands, which are answered together."""
    return b"".join(commands) + bytes([END_OF_CHAIN])


def unpack_numbers(form: str, answer: bytes) -> tuple[int, ...]:
    """Return the numbers of an answer."""
    try:
        return struct.unpack("<" + form, answer)
    except struct.error:
        raise BadMessage(f"expected {count_bytes(form)} bytes, got {len(answer)}") from None


# ---- text


def text_command(letter: str, *values: int) -> bytes:
    """Return a text command. It ends with a single character, so that a binary command can follow directly."""
    return ",".join([letter, *(str(value) for value in values)]).encode() + b"\r"


def text_answer(letter: str, *values: int) -> bytes:
    """Return an answer line of the robot."""
    return ",".join([letter, *(str(value) for value in values)]).encode() + b"\r\n"


MARK = text_command("E")
"""Sent after a binary chain: its answer, a line, marks the end of the answer of the chain."""
MARKED = re.compile(rb"e,-?\d{1,6},-?\d{1,6}\r\n\Z")


# ---- camera

ARRAY_WIDTH, ARRAY_HEIGHT = 640, 480
MAX_IMAGE_BYTES = 4139  # size of the firmware's buffer


@dataclass(frozen=True, slots=True)
class CameraSettings:
    """A window of the camera's 640 × 480 pixels, of which every `zoom`-th pixel is sent."""

    mode: int = RGB565
    width: int = 40
    height: int = 40
    zoom: int = 8
    x: int = -1  # -1: centred
    y: int = -1

    @property
    def bytes(self) -> int:
        """Size of an image, without its header."""
        return self.width * self.height * BYTES_PER_PIXEL.get(self.mode, 2)

    @property
    def corner(self) -> tuple[int, int]:
        """The window's top left corner on the array."""
        x = (ARRAY_WIDTH - self.width * self.zoom) // 2 if self.x == -1 else self.x
        y = (ARRAY_HEIGHT - self.height * self.zoom) // 2 if self.y == -1 else self.y
        return x, y

    @property
    def possible(self) -> CameraSettings:
        """The settings that the firmware applies. An image that is too large is replaced by 40 × 40 in colour."""
        if self.bytes > MAX_IMAGE_BYTES:
            return CameraSettings(RGB565, 40, 40, self.zoom, self.x, self.y)
        return self
