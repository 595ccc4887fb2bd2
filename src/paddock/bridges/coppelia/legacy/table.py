"""The command table: the calls of the legacy remote API, by number."""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

from paddock.bridges.coppelia.legacy.caller import Caller
from paddock.core.errors import PaddockError

Handler = Callable[..., bytes | None]
H = TypeVar("H", bound=Handler)

INTEGER, PAIR, TEXT, SCRIPT = 0x1000, 0x2000, 0x3000, 0x3400  # first numbers of commands, by type of command data


class Call(NamedTuple):
    """A call of the API."""

    name: str
    handler: Handler  # takes the caller, the command data, and the data; returns the data of the reply


CALLS: dict[int, Call] = {}


def command(number: int, name: str, **others: int) -> Callable[[H], H]:
    """Declare the handler of a command, and of `others` with the same handler, as `name=number`.

    The handler takes the `Caller`, the command data (nothing, one or two integers, a text, or an integer and two texts,
    depending on the range of its number) and the data. It returns the data of the reply, None for none, or raises.
    """

    def declare(handler: H) -> H:
        for called, key in {name: number, **others}.items():
            assert key not in CALLS, f"{key:#x} twice"
            CALLS[key] = Call(called, handler)
        return handler

    return declare


def carry_out(caller: Caller, number: int, key: bytes, data: bytes) -> bytes:
    """Execute a command. Errors are `PaddockError`s that name the call."""
    call = CALLS.get(number)
    if call is None:
        raise PaddockError(f"command {number:#06x}: unknown call")
    try:
        return call.handler(caller, *_read_key(number, key), data) or b""
    except PaddockError as error:
        raise PaddockError(f"{call.name}: {error}") from None


def _read_key(number: int, key: bytes) -> tuple[Any, ...]:
    if number < INTEGER:
        return ()
    if number < TEXT:
        layout = "<i" if number < PAIR else "<ii"
        rest = key[struct.calcsize(layout) :]
        about: tuple[Any, ...] = take(layout, key)
    elif number < SCRIPT:
        text, rest = read_text(key)
        about = (text,)
    else:
        script, rest = read_text(key[4:])
        function, rest = read_text(rest)
        about = (*take("<i", key), script, function)
    if rest:
        raise PaddockError(f"expected command data of {len(key) - len(rest)} bytes, got {len(key)}")
    return about


def take(layout: str, data: bytes) -> tuple[Any, ...]:
    """Unpack numbers from the start of some bytes."""
    needed = struct.calcsize(layout)
    if len(data) < needed:
        raise PaddockError(f"expected {needed} bytes of data, got {len(data)}")
    return struct.unpack_from(layout, data)


def read_text(data: bytes) -> tuple[str, bytes]:
    """Return a zero-terminated text and the bytes after it."""
    text, zero, rest = data.partition(b"\0")
    if not zero:
        raise PaddockError("expected a zero-terminated text")
    return text.decode("utf-8", "replace"), rest


def pack_int(*values: int) -> bytes:
    """Pack integers of a reply."""
    return struct.pack(f"<{len(values)}i", *values)


def pack_float(*values: float) -> bytes:
    """Pack floats of a reply."""
    return struct.pack(f"<{len(values)}f", *values)
