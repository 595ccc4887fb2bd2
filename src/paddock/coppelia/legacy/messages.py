"""Messages of the legacy remote API: a header, and blocks with a command each."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import NamedTuple

from paddock.core.errors import BadMessage

HEADER = struct.Struct("<HBiiiHB")  # CRC (0), version, message id, client time, server time, scene, state of server
BLOCK = struct.Struct("<iiHiiHiBB")
VERSION = 11
COMMAND = 0xFFFF  # the low half of a block's code is the command, the high half the operation mode
ONESHOT, BLOCKING, STREAMING, ONESHOT_SPLIT, STREAMING_SPLIT, DISCONTINUE = (mode << 16 for mode in range(6))
ERROR = 1  # bit of a reply's status
KEEP_BOTH = 1  # bit of a request's status: it does not replace one that is alike
LONGEST_DATA = 1 << 24  # bytes of a command that comes in pieces
MOST_BLOCKS = 500  # of a message


class LegacyRequest(NamedTuple):
    """A message of a client, without its blocks."""

    number: int
    client_time: int  # [ms]


class Block(NamedTuple):
    """A command of a client, or a piece of it."""

    code: int  # command and operation mode
    delay: int  # of a stream [ms], or bytes of the pieces of a split reply
    status: int
    key: bytes  # the command data: what it is about
    data: bytes
    offset: int  # of the data in the whole
    whole: int  # bytes of the whole data
    time: int = 0  # simulated, of a reply [ms]

    @property
    def command(self) -> int:
        return self.code & COMMAND

    @property
    def mode(self) -> int:
        return self.code & ~COMMAND


def parse_message(message: bytes) -> tuple[LegacyRequest, list[Block]]:
    """A client's message; what breaks the format raises `BadMessage`."""
    if len(message) < HEADER.size:
        raise BadMessage(f"message: expected at least {HEADER.size} bytes, got {len(message)}")
    _, _, number, client_time, _, _, _ = HEADER.unpack_from(message)
    blocks = list(islice(_parse_blocks(message), MOST_BLOCKS + 1))
    if len(blocks) > MOST_BLOCKS:
        raise BadMessage(f"message: expected at most {MOST_BLOCKS} commands")
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
    """A client's message."""
    parts = [HEADER.pack(0, VERSION, number, 0, 0, 0, 0)]
    for block in blocks:
        head = BLOCK.size + len(block.key)
        sizes = (head + len(block.data), head + block.whole, len(block.key), block.offset)
        parts += [BLOCK.pack(*sizes, block.code, block.delay, 0, block.status, 0), block.key, block.data]
    return b"".join(parts)


def ask_for(command: int, key: bytes = b"", data: bytes = b"", *, mode: int = BLOCKING, delay: int = 0) -> Block:
    """A command of a client, in one piece."""
    return Block(command | mode, delay, 0, key, data, 0, len(data))


class LegacyReply(NamedTuple):
    """The answer to a command: its code and key again, and a result, or a piece of it."""

    block: Block
    data: bytes
    time: int  # simulated [ms]
    failed: bool = False
    offset: int = 0
    whole: int | None = None  # bytes of the whole result; None: this is all


def build_message(request: LegacyRequest, server_time: int, state: int, replies: Iterable[LegacyReply]) -> bytes:
    """The server's answer to a message."""
    parts = [HEADER.pack(0, VERSION, request.number, request.client_time, server_time, 1, state)]
    for reply in replies:
        block, data = reply.block, reply.data
        head = BLOCK.size + len(block.key)
        full = head + (len(data) if reply.whole is None else reply.whole)
        status = ERROR if reply.failed else 0
        sizes = (head + len(data), full, len(block.key), reply.offset)
        parts += [BLOCK.pack(*sizes, block.code, block.delay, reply.time, status, 0), block.key, data]
    return b"".join(parts)
