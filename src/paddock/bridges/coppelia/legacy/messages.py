"""Messages of the legacy remote API: a header, and blocks with one command each."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import NamedTuple

from paddock.core.errors import BadMessage

HEADER = struct.Struct("<HBiiiHB")  # CRC (0), version, message id, client time, server time, scene, server state
BLOCK = struct.Struct("<iiHiiHiBB")
VERSION = 11
COMMAND = 0xFFFF  # mask: the low 16 bits of a block's code are the command, the high bits the operation mode
ONESHOT, BLOCKING, STREAMING, ONESHOT_SPLIT, STREAMING_SPLIT, DISCONTINUE = (mode << 16 for mode in range(6))
ERROR = 1  # bit of a reply's status
KEEP_BOTH = 1  # bit of a request's status: the command does not replace the same streaming command
LONGEST_DATA = 1 << 20  # maximum size of a command that is sent in pieces [bytes]
MAX_BLOCKS = 500  # per message


class LegacyRequest(NamedTuple):
    """A message of a client, without its blocks."""

    number: int
    client_time: int  # [ms]


class Block(NamedTuple):
    """A command of a client, or a piece of it."""

    code: int  # command and operation mode
    delay: int  # delay of a stream [ms], or size of the pieces of a split reply [bytes]
    status: int
    key: bytes  # the command data: the target of the command
    data: bytes
    offset: int  # offset of this piece in the complete data [bytes]
    whole: int  # size of the complete data [bytes]
    time: int = 0  # simulated time of a reply [ms]

    @property
    def command(self) -> int:
        return self.code & COMMAND

    @property
    def mode(self) -> int:
        return self.code & ~COMMAND


def parse_message(message: bytes) -> tuple[LegacyRequest, list[Block]]:
    """Parse a client's message, or raise `BadMessage`."""
    if len(message) < HEADER.size:
        raise BadMessage(f"message: expected at least {HEADER.size} bytes, got {len(message)}")
    _, _, number, client_time, _, _, _ = HEADER.unpack_from(message)
    blocks = list(islice(_parse_blocks(message), MAX_BLOCKS + 1))
    if len(blocks) > MAX_BLOCKS:
        raise BadMessage(f"message: expected at most {MAX_BLOCKS} commands")
    return LegacyRequest(number, client_time), blocks


def _parse_blocks(message: bytes) -> Iterator[Block]:
    start = HEADER.size
    while start < len(message):
        if len(message) - start < BLOCK.size:
            raise BadMessage(f"message: expected a command of {BLOCK.size} bytes or more at byte {start}")
        size, full, key_size, offset, code, delay, time, status, _ = BLOCK.unpack_from(message, start)
        data_at, end = start + BLOCK.size + key_size, start + size
        if not (data_at <= end <= len(message)):
            raise BadMessage(f"message: a command at byte {start} has {size} bytes, {key_size} of them its data")
        whole = full - BLOCK.size - key_size
        if not (offset >= 0 and offset + end - data_at <= whole <= LONGEST_DATA):
            raise BadMessage(f"message: a command at byte {start} has a piece at {offset} of {whole} bytes")
        key, data = message[start + BLOCK.size : data_at], message[data_at:end]
        yield Block(code, delay, status, key, data, offset, whole, time)
        start = end


def build_request(number: int, blocks: Iterable[Block]) -> bytes:
    """Return a client's message."""
    parts = [HEADER.pack(0, VERSION, number, 0, 0, 0, 0)]
    for block in blocks:
        head = BLOCK.size + len(block.key)
        sizes = (head + len(block.data), head + block.whole, len(block.key), block.offset)
        parts += [BLOCK.pack(*sizes, block.code, block.delay, 0, block.status, 0), block.key, block.data]
    return b"".join(parts)


def ask_for(command: int, key: bytes = b"", data: bytes = b"", *, mode: int = BLOCKING, delay: int = 0) -> Block:
    """Return a command of a client in one piece."""
    return Block(command | mode, delay, 0, key, data, 0, len(data))


class LegacyReply(NamedTuple):
    """The answer to a command: its code and key, and a result or a piece of it."""

    block: Block
    data: bytes
    time: int  # simulated [ms]
    failed: bool = False
    offset: int = 0
    whole: int | None = None  # size of the complete result [bytes]; None: `data` is complete


def build_message(request: LegacyRequest, server_time: int, state: int, replies: Iterable[LegacyReply]) -> bytes:
    """Return the server's answer to a message."""
    parts = [HEADER.pack(0, VERSION, request.number, request.client_time, server_time, 1, state)]
    for reply in replies:
        block, data = reply.block, reply.data
        head = BLOCK.size + len(block.key)
        full = head + (len(data) if reply.whole is None else reply.whole)
        status = ERROR if reply.failed else 0
        sizes = (head + len(data), full, len(block.key), reply.offset)
        parts += [BLOCK.pack(*sizes, block.code, block.delay, reply.time, status, 0), block.key, data]
    return b"".join(parts)
