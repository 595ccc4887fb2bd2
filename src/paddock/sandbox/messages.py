"""What crosses between the arena and a user's controller. The arena's side believes nothing: no pickles from there.

Each message is its length in four bytes, a letter, and the rest.
"""

from __future__ import annotations

import struct
from typing import Annotated

import msgspec

from paddock.core.observation import Command
from paddock.sandbox.failure import FailureKind

LENGTH = struct.Struct("<I")
HEAD = struct.Struct("<Ic7xd")  # length, letter, time of an observation; its readings follow, aligned
TIME = struct.Struct("<8xd")  # without the length
WHEELS = struct.Struct("<Icdd")
MAX_BYTES = 1 << 16  # of an answer
CHUNK = 4096  # bytes to read at a time: room for more costs more than all else

JOB, SLOTS, READINGS, OBSERVATION = b"j", b"s", b"r", b"o"  # to the controller: all but READINGS are pickles
READY, SILENT, DRIVE, COMMAND, FAILED = b"a", b"n", b"w", b"c", b"f"  # from it

Words = Annotated[str, msgspec.Meta(max_length=2000)]


class FailedMessage(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The last words of a controller."""

    kind: FailureKind
    place: Words
    text: Words


encode = msgspec.msgpack.Encoder().encode
decode_failure = msgspec.msgpack.Decoder(FailedMessage).decode
decode_command = msgspec.msgpack.Decoder(Command).decode


def frame(letter: bytes, data: bytes = b"") -> bytes:
    """A message as it travels."""
    return LENGTH.pack(1 + len(data)) + letter + data
