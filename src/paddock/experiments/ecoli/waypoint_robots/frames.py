"""Frames of the order protocol: those of the 2012 program, and checked ones."""

from __future__ import annotations

import binascii
import re
from typing import NamedTuple

STX, ETX = 2, 3
LONGEST_TEXT = 256  # characters; longer than any order or reply
MAX_WAITING = 1 << 12  # maximum bytes of an unfinished message; the real robot has no limit, and crashes
MARK = "@"  # first character of a checked frame, and of no order of 2012
HIGHEST_NUMBER = 0xFFFF
FRAME = re.compile(r"(@([0-9a-f]{4}):([0-9a-f]{2}):([ -~]*))\*([0-9a-f]{4})", re.ASCII)


def write_frame(text: str) -> bytes:
    """Return the bytes of a frame with a text."""
    return bytes([STX]) + text.encode("latin-1") + bytes([ETX])


class LegacyReader:
    """Reads frames like the robots of 2012.

    STX and ETX are dropped everywhere. A message ends if the last received byte is ETX and no more bytes are waiting.
    Therefore two messages sent back to back become one. Bytes before an STX belong to the message.
    """

    def __init__(self) -> None:
        self._text = bytearray()

    def feed(self, waiting: bytes) -> str | None:
        """Add all waiting bytes. Return the message if they complete it, else None."""
        self._text += waiting.translate(None, bytes([STX, ETX]))
        del self._text[:-MAX_WAITING]
        if not waiting or waiting[-1] != ETX:
            return None
        text = self._text.decode("latin-1")
        self._text.clear()
        return text


class FrameReader:
    """Reads messages one by one. STX starts a message, ETX ends it. Messages that are too long are dropped."""

    def __init__(self) -> None:
        self._text = bytearray()

    def feed(self, data: bytes) -> list[str]:
        """Add bytes. Return the non-empty texts that they complete."""
        texts = []
        for byte in data:
            if byte == ETX:
                if 0 < len(self._text) <= LONGEST_TEXT:
                    texts.append(self._text.decode("latin-1"))
                self._text.clear()
            elif byte == STX:
                self._text.clear()
            elif len(self._text) <= LONGEST_TEXT:
                self._text.append(byte)
        return texts


class CheckedFrame(NamedTuple):
    """A text with its number. Orders count from 1; 0 is for texts that belong to no order."""

    number: int
    text: str


def write_checked_text(number: int, text: str) -> str:
    """Return the text between STX and ETX."""
    covered = f"{MARK}{number:04x}:{len(text):02x}:{text}"
    return f"{covered}*{compute_crc(covered):04x}"


def write_checked(number: int, text: str) -> bytes:
    """Return the bytes of a checked frame."""
    return write_frame(write_checked_text(number, text))


def read_checked(text: str) -> CheckedFrame | None:
    """Parse a checked frame; None if it is damaged."""
    found = FRAME.fullmatch(text)
    if found is None or int(found[3], 16) != len(found[4]) or int(found[5], 16) != compute_crc(found[1]):
        return None
    return CheckedFrame(int(found[2], 16), found[4])


def next_number(number: int) -> int:
    """Return the next number. It wraps around to 1, because 0 is reserved."""
    return number % HIGHEST_NUMBER + 1


def is_newer(number: int, last: int) -> bool:
    """Whether a number is after the last one, in the nearer half of the circle of numbers."""
    return 0 < (number - last) % HIGHEST_NUMBER <= HIGHEST_NUMBER // 2


def compute_crc(text: str) -> int:
    """Return the CRC-16 with the polynomial x¹⁶ + x¹² + x⁵ + 1, from 0xFFFF ("CCITT-FALSE")."""
    return binascii.crc_hqx(text.encode("latin-1"), 0xFFFF)
