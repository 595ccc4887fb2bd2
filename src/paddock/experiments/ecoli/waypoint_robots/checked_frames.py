"""Checked frames: a number, the length of the text, the text and a CRC-16, inside a plain frame.

Example: `@0007:0c:O39.00;95.00*8c8f`. A robot of 2012 answers such a text as an unknown order, which identifies it.
"""

from __future__ import annotations

import binascii
import re
from typing import NamedTuple

from paddock.experiments.ecoli.waypoint_robots.legacy_frames import write_frame

MARK = "@"  # first character of a checked frame, and of no order of 2012
HIGHEST_NUMBER = 0xFFFF
FRAME = re.compile(r"(@([0-9a-f]{4}):([0-9a-f]{2}):([ -~]*))\*([0-9a-f]{4})", re.ASCII)


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
