"""Messages between the arena and a user's controller. The arena validates everything and accepts no pickles.

Each message consists of its length in four bytes, a letter, and data.
"""

from __future__ import annotations

import struct
from typing import Annotated

import msgspec

from paddock.core.observation import Command
from paddock.teaching.sandbox.failure import FailureKind

LENGTH = struct.Struct("<I")
HEAD = struct.Struct("<Ic7xd")  # length, letter, time of an observation; its readings follow, aligned
TIME = struct.Struct("<8xd")  # without the length
WHEELS = struct.Struct("<Icdd")
MAX_BYTES = 1 << 16  # maximum length of an answer
CHUNK = 4096  # bytes to read at a time; allocating larger buffers dominates the cost of a message

JOB, SLOTS, READINGS, OBSERVATION = b"j", b"s", b"r", b"o"  # to the controller; all except READINGS are pickles
READY, SILENT, DRIVE, COMMAND, FAILED = b"a", b"n", b"w", b"c", b"f"  # from the controller

Words = Annotated[str, msgspec.Meta(max_length=2000)]


class FailedMessage(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The failure that ended a controller."""

    kind: FailureKind
    location: Words
    text: Words


encode = msgspec.msgpack.Encoder().encode
decode_failure = msgspec.msgpack.Decoder(FailedMessage).decode
decode_command = msgspec.msgpack.Decoder(Command).decode


def frame(letter: bytes, data: bytes = b"") -> bytes:
    """Return a message with its length."""
    return LENGTH.pack(1 + len(data)) + letter + data
